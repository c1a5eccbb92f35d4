import type { ClaimObservation } from '../../model/claimStep.ts'
import type { NodeName } from '../../model/ids.ts'
import type { NodeClaim } from '../../model/nodeClaim.ts'
import type { AbortSignalLike } from '../../ports/clock.ts'
import type { ClusterDeps } from '../deps/clusterDeps.ts'
import { observeRest } from './observeClaim.ts'

/**
 * What is left of a claim, as this process last saw it, whose machine was asked to end and is gone: finalizers, and each is lifted by a write that
 * names the version of its object. Undefined where the claim is to be read: the machine is still there, and is ended by its name alone.
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
