import type { LocalAzure } from '../azure/startAzure.ts'
import type { ConnectionSource } from '../cluster/client/connection.ts'
import type { ControllerName } from '../cluster/startControllers.ts'
import type { CredentialFlow } from '../kubelet/obtainCredential.ts'

/** The Kubernetes cluster of a stack: the embedded one, or one that runs already. */
export interface StackCluster {
  readonly url: string
  /** PEM of the API server's authority. */
  readonly caCertificate: string
  /** The kubeconfig of an administrator. */
  readonly kubeconfigFile: string
  readonly source: ConnectionSource
  /** Environment of the shim's process: the API server, the shim's account and its Lease. */
  readonly shimEnv: { readonly [name: string]: string }
  /** How kubelets get their identity. */
  readonly credentials: CredentialFlow
  /** Controllers that the cluster does not run itself. */
  readonly controllers: readonly ControllerName[]
  close(): Promise<void>
}

export type ClusterSurroundings = {
  /** The cluster must accept the tokens of this tenant. */
  readonly azure: LocalAzure
  /** The folder of the stack's files. */
  readonly directory: string
  readonly onNotice: (text: string) => void
}
