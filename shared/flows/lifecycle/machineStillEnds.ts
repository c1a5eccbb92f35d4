import type { ClaimStep } from '../../model/claimStep.ts'
import type { NodeClaim } from '../../model/nodeClaim.ts'
import { durationMs, later } from '../../model/units.ts'
import type { AbortSignalLike } from '../../ports/clock.ts'
import type { ClusterDeps } from '../deps/clusterDeps.ts'

const POLL = durationMs(2_000)

/**
 * A claim, as this process last saw it, whose machine Azure still ends: until the machine is gone no step has anything to do, whatever happens to claim
 * and node. So Azure alone is asked. Undefined: the claim is looked at as any other.
 */
export async function machineStillEnds(
  { cloud, clock }: ClusterDeps,
  claim: NodeClaim,
  signal: AbortSignalLike,
): Promise<{ readonly claim: NodeClaim; readonly step: ClaimStep } | undefined> {
  const instance = await cloud.get(claim.name, signal)
  if (instance?.state.kind !== 'deleting') return undefined
  return { claim, step: { actions: [], reasons: [], wakeAt: later(clock.now(), POLL) } }
}
