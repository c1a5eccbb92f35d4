import { LABEL } from '../model/labels.ts'
import type { NodeClaim } from '../model/nodeClaim.ts'
import { durationMs } from '../model/units.ts'
import type { AbortSignalLike } from '../ports/clock.ts'
import type { ClusterDeps } from './clusterDeps.ts'
import type { ClusterState } from './clusterState.ts'
import { doEach } from './doEach.ts'
import { withPodEvent } from './withPodEvent.ts'

/** Pods that leave within this of each other cost one write. */
const RESOLUTION = durationMs(10_000)

/**
 * Writes down on the claims when pods left, for processes that come later. Only where a pool waits for quiet: elsewhere
 * nobody reads it. A claim that changed meanwhile is written at the next look. False when a write was refused.
 */
export async function savePodEvents(deps: ClusterDeps, state: ClusterState, signal: AbortSignalLike): Promise<boolean> {
  const left = state.list('nodeClaim').flatMap((claim) => {
    const { lastPodEventAt } = withPodEvent(claim, state, deps.settings.machineNames).status
    const known = claim.status.lastPodEventAt ?? 0
    const isNews = lastPodEventAt !== undefined && lastPodEventAt - known >= RESOLUTION && waitsForQuiet(claim, state)
    return isNews ? [{ claim, lastPodEventAt }] : []
  })
  return doEach(
    deps,
    left,
    ({ claim }) => `the time of the last pod on nodeclaim ${claim.name}`,
    ({ claim, lastPodEventAt }) => deps.api.patchClaimStatus(claim, { ...claim.status, lastPodEventAt }, signal),
  )
}

function waitsForQuiet(claim: NodeClaim, state: ClusterState): boolean {
  const pool = state.find('nodePool', claim.meta.labels[LABEL.nodePool] ?? '')
  const { consolidateAfter } = pool?.disruption ?? {}
  return claim.meta.deletedAt === undefined && typeof consolidateAfter === 'number' && consolidateAfter > 0
}
