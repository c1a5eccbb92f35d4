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
    return err(`${file} is no kubeconfig that can be read (${textOf(error)}); set it to one`)
  }
  const cluster = config.getCurrentCluster()
  if (!cluster) return err(`the current context of ${file} names no cluster; choose a context`)
  const server = URL.parse(cluster.server)
  if (!server) return err(`the server ${JSON.stringify(cluster.server)} in ${file} has to be a URL; correct it`)
  const { proxyUrl } = cluster
  if (proxyUrl && !/^https?:/.test(proxyUrl)) {
    return err(`the proxy ${JSON.stringify(proxyUrl)} in ${file} has to be an http or https URL; correct it`)
  }
  const proxy = proxyUrl || undefined
  const endpoint = { server, ...defined({ ca: authorityOf(cluster), proxy }) }
  return ok({ endpoint, credentials: () => credentialsIn(config) })
}

/** The library gives the authority only to requests of a user. */
function authorityOf({ caData, caFile }: Cluster): Buffer | undefined {
  if (caData) return Buffer.from(caData, 'base64')
  return caFile ? readFileSync(caFile) : undefined
}

async function credentialsIn(config: KubeConfig): Promise<ConnectionOptions> {
  const options: RequestOptions & { headers?: OutgoingHttpHeaders } = {}
  await config.applyToHTTPSOptions(options)
  const { cert, key, rejectUnauthorized, servername, headers, auth } = options
  return defined({ cert, key, rejectUnauthorized, servername, headers, auth: auth ?? undefined })
}
