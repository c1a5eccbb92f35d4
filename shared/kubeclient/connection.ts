import { readFileSync } from 'node:fs'
import type { OutgoingHttpHeaders } from 'node:http'
import { defined } from '../base/values.ts'
import type { KubeConnection } from './client.ts'
import { type ConnectionOptions, nodeHttp, nodeHttps } from './http.ts'

/**
 * How long credentials are used before they are read again. Service account tokens are renewed within the hour, and the kubelet writes the new token
 * well before the old one ends.
 */
const CREDENTIAL_AGE_MS = 60_000

export type Endpoint = {
  /** `https://host[:port]`; plain http only to a proxy on this machine. */
  readonly server: string | URL
  /** PEM of the authority of the cluster. Absent: the authorities that the process trusts by default. */
  readonly ca?: string | Buffer
  /** Where to connect instead of the host and port of `server`. The certificate is still checked against `server`. */
  readonly dial?: { readonly host: string; readonly port: number }
  /** URL of an HTTP proxy. */
  readonly proxy?: string
  /** How long a connection without a call is kept, in milliseconds. Absent: as long as the server keeps it. */
  readonly idleMs?: number
}

/** Returns what the caller shows to be let in: headers, a client certificate. It is called for each request. */
export type CredentialSource = () => Promise<ConnectionOptions>

/** A connection whose sockets end with `close`. */
export type OwnConnection = KubeConnection & { close(): void }

export function connectTo(endpoint: Endpoint, credentials: CredentialSource = () => Promise.resolve({})): OwnConnection {
  const server = new URL(endpoint.server)
  const { ca, dial, proxy, idleMs } = endpoint
  const kept = { keepAlive: true, ...defined({ timeout: idleMs }) }
  const isPlain = server.protocol === 'http:'
  const proxyEnv = proxy === undefined ? {} : { proxyEnv: isPlain ? { HTTP_PROXY: proxy } : { HTTPS_PROXY: proxy } }
  const agent = isPlain ? new nodeHttp.Agent({ ...kept, ...proxyEnv }) : new nodeHttps.Agent({ ...kept, ...proxyEnv })
  const way = dial === undefined ? {} : { hostname: dial.host, port: dial.port, servername: server.hostname }
  return {
    server,
    options: async () => ({ agent, ...defined({ ca }), ...way, ...(await credentials()) }),
    close: () => agent.destroy(),
  }
}

/** A bearer token, from a provider such as Entra's. The provider caches. */
export function bearer(token: () => Promise<string>): CredentialSource {
  return async () => ({ headers: authorization(await token()) })
}

/** The token of a service account in a folder that the kubelet writes. `monotonic` is a steady clock, in milliseconds. */
export function serviceAccountToken(folder: string, monotonic: () => number): CredentialSource {
  const read = async () => ({ headers: authorization(readFileSync(`${folder}/token`, 'utf8').trim()) })
  return refreshed(read, monotonic)
}

/** Keeps credentials for a minute. A failed read is not kept. */
export function refreshed(read: CredentialSource, monotonic: () => number): CredentialSource {
  let held: { readonly options: Promise<ConnectionOptions>; readonly at: number } | undefined
  return () => {
    if (held === undefined || monotonic() - held.at > CREDENTIAL_AGE_MS) {
      const next = { options: read(), at: monotonic() }
      held = next
      next.options.catch(() => {
        if (held === next) held = undefined
      })
    }
    return held.options
  }
}

function authorization(token: string): OutgoingHttpHeaders {
  return { authorization: `Bearer ${token}` }
}
