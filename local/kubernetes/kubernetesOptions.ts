import type { JSONWebKeySet } from 'jose'
import type { AccountIssuer } from './access/accountIssuer.ts'
import type { Api } from './verbs/api.ts'

export interface TokenUser {
  readonly token: string
  readonly user: string
  readonly groups: readonly string[]
}

/** The trust in bearer JWTs of an issuer: its key set, or the URI to fetch it from. */
export interface OidcOptions {
  readonly issuer: string
  readonly audience: string
  readonly keys?: JSONWebKeySet
  readonly jwksUri?: string
}

export interface KubernetesOptions {
  /** Port to listen on. 0, the default, takes a free port. */
  readonly port?: number
  /** Tokens in addition to the administrator's. */
  readonly tokens?: readonly TokenUser[]
  readonly oidc?: OidcOptions
  /** `open`: authenticated users may do everything, but bootstrap tokens have their narrow rule. `rbac`: stored roles decide. */
  readonly authorization?: 'open' | 'rbac'
  /** The version in the answer of `/version`, default v1.34.2. */
  readonly version?: string
  /** Namespaces made at the start in addition to default, kube-system, kube-public and kube-node-lease. */
  readonly namespaces?: readonly string[]
  /** Writes of each resource that are kept for watches, default 20,000. */
  readonly history?: number
  /** Milliseconds between bookmarks, default 60,000. */
  readonly bookmarkMs?: number
  /** Wall clock, for tests. */
  readonly now?: () => number
}

/** A running API server. */
export interface LocalKubernetes {
  /** `https://127.0.0.1:<port>`. */
  readonly url: string
  /** PEM of the authority that signed the serving certificate. */
  readonly caCertificate: string
  /** Bearer token of an administrator (`system:masters`). */
  readonly adminToken: string
  /** Returns a kubeconfig with everything embedded, as YAML. It is for the administrator, or for the named user. */
  kubeconfig(user?: string): string
  addToken(user: TokenUser): void
  /** Drops the history of writes, so that older watches and pages get 410 Gone. */
  compact(): void
  /** Ends every watch, as a restart of an API server does to its clients. */
  disconnectWatches(): void
  /** Stops accepting connections and drops all connections. Stored objects stay. */
  pause(): Promise<void>
  /** Listens again on the same port after `pause`. */
  resume(): Promise<void>
  /** Runs `pause`, then `resume`. */
  restart(): Promise<void>
  /** The issuer of service account tokens, whose name is `url`. Tests rotate its key, and sign tokens that no request would get. */
  readonly accountIssuer: Pick<AccountIssuer, 'sign' | 'keys' | 'rotateKey'>
  /** Direct access to the store, for tests. */
  readonly store: Api['store']
  close(): Promise<void>
}
