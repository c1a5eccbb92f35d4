import type { LocalAzure } from '../azure/startAzure.ts'
import type { ConnectionSource } from '../cluster/client/connection.ts'
import type { ControllerName } from '../cluster/startControllers.ts'
import type { CredentialFlow } from '../kubelet/obtainCredential.ts'

/** The Kubernetes a stack runs against: embedded, or one that was there before. */
export interface StackCluster {
  readonly url: string
  /** PEM of the API server's authority. */
  readonly caCertificate: string
  /** Of an administrator. */
  readonly kubeconfigFile: string
  readonly source: ConnectionSource
  /** What leads the shim to the API server, as whom, and to its Lease: settings of its process. */
  readonly shimEnv: { readonly [name: string]: string }
  /** How kubelets come to their identity. */
  readonly credentials: CredentialFlow
  /** Controllers the cluster does not have itself. */
  readonly controllers: readonly ControllerName[]
  close(): Promise<void>
}

export type ClusterSurroundings = {
  /** Its tenant's tokens are what the cluster must take. */
  readonly azure: LocalAzure
  /** Where the stack keeps its files. */
  readonly directory: string
  readonly onNotice: (text: string) => void
}
