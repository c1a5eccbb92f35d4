import { LABEL } from '../../model/labels.ts'
import type { NodeClaim } from '../../model/nodeClaim.ts'
import { isOurs } from '../../model/nodeClass.ts'
import { durationMs, type EpochMs } from '../../model/units.ts'
import type { ClusterDeps } from '../deps/clusterDeps.ts'
import type { ClusterState } from '../state/clusterState.ts'
import { withPodEvent } from '../state/withPodEvent.ts'

/** Pods that leave within this of each other cost one write. */
const RESOLUTION = durationMs(10_000)

export type PodEvent = { readonly claim: NodeClaim; readonly lastPodEventAt: EpochMs }

/**
 * Claims that do not say yet when pods last left, for processes that come later. Only where a pool of ours waits for quiet: elsewhere nobody
 * reads it.
 */
export function newPodEvents({ settings }: Pick<ClusterDeps, 'settings'>, state: ClusterState): readonly PodEvent[] {
  return state.list('nodeClaim').flatMap((claim) => {
    const { lastPodEventAt } = withPodEvent(claim, state, settings.machineNames).status
    const known = claim.status.lastPodEventAt ?? 0
    const isNews = lastPodEventAt !== undefined && lastPodEventAt - known >= RESOLUTION && waitsForQuiet(claim, state)
    return isNews ? [{ claim, lastPodEventAt }] : []
  })
}

function waitsForQuiet(claim: NodeClaim, state: ClusterState): boolean {
  if (!isOurs(claim.spec.nodeClassRef)) return false
  const pool = state.find('nodePool', claim.meta.labels[LABEL.nodePool] ?? '')
  const { consolidateAfter } = pool?.disruption ?? {}
  return claim.meta.deletedAt === undefined && typeof consolidateAfter === 'number' && consolidateAfter > 0
}
