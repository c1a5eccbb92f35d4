import { readFileSync } from 'node:fs'
import type { RequestOptions } from 'node:https'
import { KubeConfig } from '@kubernetes/client-node'
import { defined } from '../../../shared/base/defined.ts'
import { Fault, problem } from '../../../shared/model/problem.ts'

/** An API server and our credential for it. */
export type KubeConnection = {
  /** `https://host:port`. */
  readonly url: string
  /** PEM. Undefined: the authorities of the platform. */
  readonly ca?: string
  readonly credential: Credential
  /** Where to connect instead of the host and port of `url`. The certificate is still checked against `url`. */
  readonly dial?: { readonly host: string; readonly port: number }
}

export type Credential =
  | { readonly kind: 'token'; readonly token: string }
  | { readonly kind: 'certificate'; readonly certificate: string; readonly key: string }
  /** Applies everything that the file holds, exec plugins included. */
  | { readonly kind: 'kubeconfig'; readonly apply: (options: RequestOptions) => Promise<void> }

/** How callers name an API server: a kubeconfig file, or URL, CA and token. */
export type ConnectionSource = { readonly kubeconfig: string } | { readonly url: string; readonly ca: string; readonly token: string }

/** Returns the connection of the current context of a kubeconfig file. */
export function connectionFrom(source: ConnectionSource): KubeConnection {
  if ('url' in source) return { url: source.url, ca: source.ca, credential: { kind: 'token', token: source.token } }
  const config = new KubeConfig()
  config.loadFromFile(source.kubeconfig)
  const cluster = config.getCurrentCluster()
  if (cluster === null) {
    throw new Fault(
      'read kubeconfig',
      problem('SETTING.INVALID', `kubeconfig ${source.kubeconfig} has no current cluster: set current-context`),
    )
  }
  const ca =
    cluster.caData !== undefined
      ? Buffer.from(cluster.caData, 'base64').toString('utf8')
      : cluster.caFile !== undefined
        ? readFileSync(cluster.caFile, 'utf8')
        : undefined
  return {
    ...defined({ ca }),
    url: cluster.server,
    credential: { kind: 'kubeconfig', apply: (options) => config.applyToHTTPSOptions(options) },
  }
}
