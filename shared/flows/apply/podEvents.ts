import { LABEL } from '../../model/labels.ts'
import type { NodeClaim } from '../../model/nodeClaim.ts'
import { isOurs } from '../../model/nodeClass.ts'
import { durationMs, type EpochMs } from '../../model/units.ts'
import type { ClusterDeps } from '../deps/clusterDeps.ts'
import type { ClusterState } from '../state/clusterState.ts'
import { withPodEvent } from '../state/withPodEvent.ts'

/** Pods that leave within this time of each other cost one write. */
const RESOLUTION = durationMs(10_000)

export type PodEvent = { readonly claim: NodeClaim; readonly lastPodEventAt: EpochMs }

/**
 * The claims whose `lastPodEventAt` is out of date, with the new time. It is written for processes that start later. Only claims of a NodePool of
 * ours with a `consolidateAfter` above zero are returned, because it is not read for others.
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
