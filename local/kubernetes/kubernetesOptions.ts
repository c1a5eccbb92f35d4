import type { JSONWebKeySet } from 'jose'
import type { AccountIssuer } from './access/accountIssuer.ts'
import type { Api } from './verbs/api.ts'

export interface TokenUser {
  readonly token: string
  readonly user: string
  readonly groups: readonly string[]
}

/** How bearer JWTs are trusted: the key set, or where to fetch it. */
export interface OidcOptions {
  readonly issuer: string
  readonly audience: string
  readonly keys?: JSONWebKeySet
  readonly jwksUri?: string
}

export interface KubernetesOptions {
  /** Port to listen on; 0, the default, takes a free one. */
  readonly port?: number
  /** Tokens besides the administrator's. */
  readonly tokens?: readonly TokenUser[]
  readonly oidc?: OidcOptions
  /** `open`: whoever is known may do all, but bootstrap tokens only their part. `rbac`: stored roles decide. */
  readonly authorization?: 'open' | 'rbac'
  /** What `/version` answers, default v1.34.2. */
  readonly version?: string
  /** Namespaces made at the start besides default, kube-system, kube-public and kube-node-lease. */
  readonly namespaces?: readonly string[]
  /** Writes of each resource kept for watches, default 20,000. */
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
  /** Kubeconfig YAML with everything embedded; for the administrator unless a known user is named. */
  kubeconfig(user?: string): string
  addToken(user: TokenUser): void
  /** Forgets the history of writes: older watches and pages get 410 Gone. */
  compact(): void
  /** Ends every watch, as a restart of an API server does to its clients. */
  disconnectWatches(): void
  /** Stops accepting and drops all connections; what is stored stays. */
  pause(): Promise<void>
  /** Listens again on the same port after `pause`. */
  resume(): Promise<void>
  /** `pause` and `resume`. */
  restart(): Promise<void>
  /** Who issues tokens of service accounts, under the name `url`. For tests: to change its key, and to sign what no request would get. */
  readonly accountIssuer: Pick<AccountIssuer, 'sign' | 'keys' | 'rotateKey'>
  /** Direct sight of the store, for tests. */
  readonly store: Api['store']
  close(): Promise<void>
}
