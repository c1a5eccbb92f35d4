import { readFileSync } from 'node:fs'
import type { OutgoingHttpHeaders } from 'node:http'
import type { RequestOptions } from 'node:https'
import { KubeConfig } from '@kubernetes/client-node/dist/config.js'
import type { Cluster } from '@kubernetes/client-node/dist/config_types.js'
import { err, ok, type Result, textOf } from '../base/result.ts'
import { defined } from '../base/values.ts'
import { type CredentialSource, connectTo, type Endpoint, type OwnConnection } from './connection.ts'
import type { ConnectionOptions } from './http.ts'

// Only this module of the package: its other modules are a megabyte of classes.

export type Kubeconfig = { readonly endpoint: Endpoint; readonly credentials: CredentialSource }

/** The connection of the current context of a kubeconfig file. */
export function connectionOf(file: string): Result<OwnConnection, string> {
  const read = readKubeconfig(file)
  return read.ok ? ok(connectTo(read.value.endpoint, read.value.credentials)) : read
}

/**
 * The current context of a kubeconfig file. The file can name client certificates, tokens, files of tokens, and plug-ins to run; the client library
 * supports all of them. The error is a sentence that says what is wrong with the file, and what to do.
 */
export function readKubeconfig(file: string): Result<Kubeconfig, string> {
  const config = new KubeConfig()
  try {
    config.loadFromFile(file)
  } catch (error) {
    // The lines after the first quote the file, and may quote a token.
    const [why] = textOf(error).split('\n', 1)
    return err(`${file} is no kubeconfig that can be read (${why}); set it to one`)
  }
  const cluster = config.getCurrentCluster()
  if (!cluster) return err(`the current context of ${file} names no cluster; choose a context`)
  // Either address may hold a password, so no message repeats one.
  if (!isWeb(cluster.server)) return err(`the server in ${file} has to be an http or https URL; correct it`)
  const proxy = cluster.proxyUrl || undefined
  if (proxy !== undefined && !isWeb(proxy)) return err(`the proxy in ${file} has to be an http or https URL; correct it`)
  const authority = authorityOf(cluster)
  if (!authority.ok) return err(`the certificate authority that ${file} names cannot be read (${authority.error}); correct it`)
  const endpoint = { server: cluster.server, ...defined({ ca: authority.value, proxy }) }
  return ok({ endpoint, credentials: () => credentialsIn(config) })
}

function isWeb(address: string): boolean {
  return /^https?:$/.test(URL.parse(address)?.protocol ?? '')
}

/** The library gives the authority only to requests of a user. */
function authorityOf({ caData, caFile }: Cluster): Result<Buffer | undefined, string> {
  if (caData) return ok(Buffer.from(caData, 'base64'))
  try {
    return ok(caFile ? readFileSync(caFile) : undefined)
  } catch (error) {
    return err(textOf(error))
  }
}

async function credentialsIn(config: KubeConfig): Promise<ConnectionOptions> {
  const options: RequestOptions & { headers?: OutgoingHttpHeaders } = {}
  await config.applyToHTTPSOptions(options)
  const { cert, key, rejectUnauthorized, servername, headers, auth } = options
  return defined({ cert, key, rejectUnauthorized, servername, headers, auth: auth ?? undefined })
}
