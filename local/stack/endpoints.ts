/** By which addresses the function app and the shim find everything else. */
export type Endpoints = {
  readonly armUrl: string
  readonly kubernetesUrl: string
  /** PEM of the API server's authority, as the function app is told it. */
  readonly kubernetesCa: string
  readonly storageConnection: string
  /** What leads the shim to the API server. */
  readonly shimEnv: { readonly [name: string]: string }
  /** Of the function app, for the shim. */
  readonly functionsUrl: string
  /** PEM of every authority these processes trust. */
  readonly authorities: string
}
