import type { ClusterId, MachineNames } from '../../model/ids.ts'
import type { Clock } from '../../ports/clock.ts'
import type { ClusterApi } from '../../ports/clusterApi.ts'
import type { Telemetry } from '../../ports/telemetry.ts'
import { createBootstrapTokenCalls } from './bootstrapTokenCalls.ts'
import { createClaimCalls } from './claimCalls.ts'
import { createEventCalls } from './eventCalls.ts'
import { createKubeObjects } from './kubeObjects.ts'
import type { KubeTransport, RetryPolicy } from './kubeTransport.ts'
import { createNodeCalls } from './nodeCalls.ts'
import { createPodCalls } from './podCalls.ts'
import { createPoolCalls } from './poolCalls.ts'

export type ClusterApiOptions = {
  /** `https://host[:port]` of the API server. */
  readonly server: string
  /** Base64 of the PEM of the cluster's authority. Undefined: what the process trusts anyway. */
  readonly caBundle: string | undefined
  /** A bearer token of now; called for each request, so it should cache. */
  readonly token: () => Promise<string>
  readonly cluster: ClusterId
  readonly machineNames: MachineNames
  readonly clock: Clock
  readonly telemetry: Telemetry
  readonly retry?: RetryPolicy
}

/** One cluster's API server, through the Kubernetes client. */
export function createClusterApi(options: ClusterApiOptions): ClusterApi {
  const objects = createKubeObjects(lazyTransport(options), options.telemetry)
  return {
    ...createClaimCalls(objects),
    ...createPoolCalls(objects),
    ...createNodeCalls(objects),
    ...createPodCalls(objects),
    ...createBootstrapTokenCalls(objects, options.cluster, options.machineNames),
    ...createEventCalls(objects, options.clock, options.telemetry),
  }
}

/** Loading the client's HTTP stack costs about 90 ms, which a cold start that only takes events in does not have to pay. */
function lazyTransport(options: ClusterApiOptions): KubeTransport {
  let transport: Promise<KubeTransport> | undefined
  return async (call, signal) => {
    transport ??= import('./kubeTransport.ts').then(({ createKubeTransport }) => createKubeTransport(options))
    return (await transport)(call, signal)
  }
}
