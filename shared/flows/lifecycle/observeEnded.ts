import type { ClaimObservation } from '../../model/claimStep.ts'
import type { NodeName } from '../../model/ids.ts'
import type { NodeClaim } from '../../model/nodeClaim.ts'
import type { AbortSignalLike } from '../../ports/clock.ts'
import type { ClusterDeps } from '../deps/clusterDeps.ts'
import { observeRest } from './observeClaim.ts'

/**
 * The observation of a claim whose machine was deleted and is gone, with the claim as this process last saw it. Only finalizers are left, and each is
 * removed by a write that names the version of its object. Undefined if the machine still exists. Then the claim must be read, because a machine is
 * deleted by its name alone.
 */
export async function observeEnded(
  deps: ClusterDeps,
  claim: NodeClaim,
  signal: AbortSignalLike,
  otherNodes?: readonly NodeName[],
): Promise<ClaimObservation | undefined> {
  const observation = await observeRest(deps, claim, signal, otherNodes)
  return observation.instance === undefined ? observation : undefined
}
