import type { ClusterId, MachineNames } from '../../model/ids.ts'
import type { Clock } from '../../ports/clock.ts'
import type { ClusterApi } from '../../ports/clusterApi.ts'
import type { Telemetry } from '../../ports/telemetry.ts'
import { createBootstrapTokenCalls } from './bootstrapTokenCalls.ts'
import { createClaimCalls } from './claimCalls.ts'
import { createEventCalls } from './eventCalls.ts'
import { createKubeObjects } from './kubeObjects.ts'
import { createKubeTransport, type RetryPolicy } from './kubeTransport.ts'
import { createNodeCalls } from './nodeCalls.ts'
import { createPodCalls } from './podCalls.ts'
import { createPoolCalls } from './poolCalls.ts'

export type ClusterApiOptions = {
  /** `https://host[:port]` of the API server. */
  readonly server: string
  /** The certificate authority of the cluster, as PEM in base64. Undefined: the authorities that the process trusts by default. */
  readonly caBundle: string | undefined
  /** Returns a valid bearer token. It is called for each request, so it should cache. */
  readonly token: () => Promise<string>
  readonly cluster: ClusterId
  readonly machineNames: MachineNames
  readonly clock: Clock
  readonly telemetry: Telemetry
  readonly retry?: RetryPolicy
}

/** The API server of one cluster. */
export function createClusterApi(options: ClusterApiOptions): ClusterApi {
  const objects = createKubeObjects(createKubeTransport(options), options.telemetry)
  return {
    ...createClaimCalls(objects),
    ...createPoolCalls(objects),
    ...createNodeCalls(objects),
    ...createPodCalls(objects),
    ...createBootstrapTokenCalls(objects, options.cluster, options.machineNames),
    ...createEventCalls(objects, options.clock, options.telemetry),
  }
}
