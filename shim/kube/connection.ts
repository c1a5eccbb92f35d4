import { existsSync, readFileSync } from 'node:fs'
import type { Agent, OutgoingHttpHeaders } from 'node:http'
import type { RequestOptions } from 'node:https'
import { defined } from '../../shared/base/defined.ts'
import { textOf } from '../../shared/base/thrown.ts'
import type { ConnectionOptions } from '../../shared/kubeclient/http.ts'
import { nodeHttp, nodeHttps } from '../../shared/kubeclient/http.ts'
import { Fault, problem } from '../../shared/model/problem.ts'
import type { Clock } from '../clock.ts'
import { isLoopback } from '../loopback.ts'

const SERVICE_ACCOUNT = '/var/run/secrets/kubernetes.io/serviceaccount'
/**
 * How long credentials are used before they are read again. Service account tokens are renewed within the hour, and the kubelet writes the new token
 * well before the old one ends.
 */
const CREDENTIAL_AGE_MS = 60_000

/** An API server, and the credentials for it. */
export interface KubeConnection {
  readonly server: URL
  /** Returns the agent, the certificates and the current authorization header. */
  options(): Promise<ConnectionOptions>
}

export type ConnectionEnv = { readonly [name: string]: string | undefined }

/**
 * Returns the connection that KUBECONFIG names. Without it: the plain proxy on this machine (`kubectl proxy`) that KUBERNETES_API_SERVER names.
 * Without both: the connection of the pod's service account.
 */
export function connectionFrom(env: ConnectionEnv, clock: Clock): Promise<KubeConnection> {
  if (env['KUBECONFIG']) return fromKubeconfig(env['KUBECONFIG'], clock)
  return Promise.resolve(env['KUBERNETES_API_SERVER'] ? throughProxy(env['KUBERNETES_API_SERVER']) : fromServiceAccount(env, clock))
}

function wrong(message: string): Fault {
  return new Fault('find the API server', problem('SETTING.INVALID', message))
}

/** The proxy adds the credentials. */
function throughProxy(address: string): KubeConnection {
  const server = URL.parse(address)
  if (server?.protocol !== 'http:' || !isLoopback(server.hostname)) {
    throw wrong(
      `setting KUBERNETES_API_SERVER: ${JSON.stringify(address)} has to be http to a loopback address; point it at a kubectl proxy`,
    )
  }
  const agent = new nodeHttp.Agent({ keepAlive: true })
  return { server, options: () => Promise.resolve({ agent }) }
}

function fromServiceAccount(env: ConnectionEnv, clock: Clock): KubeConnection {
  const host = env['KUBERNETES_SERVICE_HOST']
  const folder = env['SERVICE_ACCOUNT_DIR'] ?? SERVICE_ACCOUNT
  if (!host) throw wrong('setting KUBERNETES_SERVICE_HOST: is not set; set KUBECONFIG, or run in a pod')
  if (!existsSync(`${folder}/ca.crt`))
    throw wrong(`there is no service account in ${folder}; give the pod one and let its token be mounted`)
  const server = new URL(`https://${host.includes(':') ? `[${host}]` : host}:${env['KUBERNETES_SERVICE_PORT'] ?? '443'}`)
  const agent = new nodeHttps.Agent({ keepAlive: true, ca: readFileSync(`${folder}/ca.crt`) })
  const read = async () => ({ agent, headers: { authorization: `Bearer ${readFileSync(`${folder}/token`, 'utf8').trim()}` } })
  return { server, options: refreshed(read, clock) }
}

/**
 * Returns the connection of a kubeconfig, which can name client certificates, tokens and plug-ins to run. The client library supports all of them. It
 * is loaded only here: it costs more memory than the whole rest of the shim, and a pod does not need it.
 */
async function fromKubeconfig(file: string, clock: Clock): Promise<KubeConnection> {
  const { KubeConfig } = await import('@kubernetes/client-node/dist/config.js')
  const config = new KubeConfig()
  try {
    config.loadFromFile(file)
  } catch (error) {
    throw wrong(`setting KUBECONFIG: ${file} is no kubeconfig that can be read (${textOf(error)}); set it to one`)
  }
  const cluster = config.getCurrentCluster()
  if (!cluster) throw wrong(`setting KUBECONFIG: the current context of ${file} names no cluster; choose a context`)
  const server = URL.parse(cluster.server)
  if (!server) throw wrong(`setting KUBECONFIG: the server ${JSON.stringify(cluster.server)} in ${file} has to be a URL; correct it`)
  let agent: Agent | undefined
  const read = async () => {
    const options: RequestOptions & { headers?: OutgoingHttpHeaders } = {}
    await config.applyToHTTPSOptions(options)
    const { ca, cert, key, rejectUnauthorized, servername, headers } = options
    const tls = defined({ ca, cert, key, rejectUnauthorized, servername })
    agent ??= server.protocol === 'https:' ? new nodeHttps.Agent({ keepAlive: true, ...tls }) : new nodeHttp.Agent({ keepAlive: true })
    return defined({ agent, headers, auth: options.auth ?? undefined })
  }
  return { server, options: refreshed(read, clock) }
}

function refreshed(read: () => Promise<ConnectionOptions>, clock: Clock): () => Promise<ConnectionOptions> {
  let held: { readonly options: Promise<ConnectionOptions>; readonly at: number } | undefined
  return () => {
    if (held === undefined || clock.monotonic() - held.at > CREDENTIAL_AGE_MS) held = { options: read(), at: clock.monotonic() }
    return held.options
  }
}
