import { defined } from '../../../shared/base/values.ts'
import type { CredentialSource } from '../../../shared/kubeclient/connection.ts'
import { readKubeconfig } from '../../../shared/kubeclient/kubeconfig.ts'
import { Fault, problem } from '../../../shared/model/problem.ts'

/** An API server and our credential for it. */
export type KubeConnection = {
  /** `https://host:port`. */
  readonly url: string
  /** PEM. Undefined: the authorities of the platform. */
  readonly ca?: string
  readonly credential: Credential
  /** URL of an HTTP proxy. */
  readonly proxy?: string
  /** Where to connect instead of the host and port of `url`. The certificate is still checked against `url`. */
  readonly dial?: { readonly host: string; readonly port: number }
}

export type Credential =
  | { readonly kind: 'token'; readonly token: string }
  | { readonly kind: 'certificate'; readonly certificate: string; readonly key: string }
  /** Applies everything that the file holds, exec plugins included. */
  | { readonly kind: 'kubeconfig'; readonly read: CredentialSource }

/** How callers name an API server: a kubeconfig file, or URL, CA and token. */
export type ConnectionSource = { readonly kubeconfig: string } | { readonly url: string; readonly ca: string; readonly token: string }

/** Returns the connection of the current context of a kubeconfig file. */
export function connectionFrom(source: ConnectionSource): KubeConnection {
  if ('url' in source) return { url: source.url, ca: source.ca, credential: { kind: 'token', token: source.token } }
  const read = readKubeconfig(source.kubeconfig)
  if (!read.ok) throw new Fault('read kubeconfig', problem('SETTING.INVALID', `kubeconfig ${read.error}`))
  const { endpoint, credentials } = read.value
  const { server, ca, proxy } = endpoint
  return {
    url: new URL(server).origin,
    ...defined({ ca: ca?.toString(), proxy }),
    credential: { kind: 'kubeconfig', read: credentials },
  }
}
