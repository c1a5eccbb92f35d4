import type { ClaimStep } from '../../model/claimStep.ts'
import type { NodeClaim } from '../../model/nodeClaim.ts'
import { durationMs, later } from '../../model/units.ts'
import type { AbortSignalLike } from '../../ports/clock.ts'
import type { ClusterDeps } from '../deps/clusterDeps.ts'

const POLL = durationMs(2_000)

/**
 * The step of a claim whose machine Azure is still deleting. Until the machine is gone there is nothing to do, whatever happens to claim and node. So
 * only Azure is asked, and `claim` is the claim as this process last saw it. Undefined if the machine is not being deleted: the claim must be read.
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
