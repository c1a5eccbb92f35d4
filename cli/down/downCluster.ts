import type { KubeTransport } from '../../shared/adapters/kube/kubeTransport.ts'
import type { ClusterId, MachineNames } from '../../shared/model/ids.ts'
import type { CloudProvider } from '../../shared/ports/cloudProvider.ts'
import type { ClusterApi } from '../../shared/ports/clusterApi.ts'
import type { ProgramOutcome } from './runProgram.ts'

/** One cluster that Joiner is removed from. Every call that leaves the process uses a member. */
export type DownCluster = {
  readonly id: ClusterId
  readonly resourceId: string
  readonly subscriptionId: string
  readonly nodeResourceGroup: string
  readonly location: string
  readonly machineNames: MachineNames
  /** Ids of the subnets and identities that its machines use. */
  readonly usedIds: readonly string[]
  readonly api: ClusterApi
  readonly cloud: CloudProvider
  /** Calls the API server for objects that the app has no permission for. */
  readonly call: KubeTransport
  /** Runs Helm against this cluster. */
  readonly helm: (args: readonly string[]) => Promise<ProgramOutcome>
}
