/** The addresses of all other parts, for the function app and the shim. */
export type Endpoints = {
  readonly armUrl: string
  readonly kubernetesUrl: string
  /** PEM of the API server's authority, as the function app gets it. */
  readonly kubernetesCa: string
  readonly storageConnection: string
  /** Environment that leads the shim to the API server. */
  readonly shimEnv: { readonly [name: string]: string }
  /** The address of the function app, for the shim. */
  readonly functionsUrl: string
  /** PEM of all authorities that these processes trust. */
  readonly authorities: string
}
