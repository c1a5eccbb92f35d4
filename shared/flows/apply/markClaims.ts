import { ok, type Result } from '../../base/result.ts'
import { defined } from '../../base/values.ts'
import type { Action } from '../../model/decision.ts'
import type { NodeClaimName } from '../../model/ids.ts'
import { LABEL } from '../../model/labels.ts'
import type { NodeClaim } from '../../model/nodeClaim.ts'
import { isOurs } from '../../model/nodeClass.ts'
import type { Problem } from '../../model/problem.ts'
import { durationMs, type EpochMs } from '../../model/units.ts'
import type { AbortSignalLike } from '../../ports/clock.ts'
import { type ClusterDeps, doEach, logRefused } from '../deps/clusterDeps.ts'
import type { ClusterState } from '../state/clusterState.ts'
import { withPodEvent } from '../state/podEnds.ts'

export type Mark = Extract<Action, { readonly kind: 'markClaim' }>

/** What is to be written about one claim. */
type Note = { readonly claim: NodeClaim; readonly mark?: Mark; readonly lastPodEventAt?: EpochMs }

/**
 * Writes the conditions of claims about their disruption, and the times of their last pod events, with one write of the status for each claim. A
 * claim that changed since the decision is judged again by the next decision. Returns false if a write was refused.
 */
export async function markClaims(
  deps: ClusterDeps,
  state: ClusterState,
  marks: readonly Mark[],
  signal: AbortSignalLike,
): Promise<boolean> {
  const notes = new Map<NodeClaimName, Note>(newPodEvents(deps, state).map((note) => [note.claim.name, note]))
  for (const mark of marks) {
    const claim = state.find('nodeClaim', mark.claim)
    if (claim !== undefined) notes.set(mark.claim, { claim, ...notes.get(mark.claim), mark })
  }
  return doEach(
    deps,
    [...notes.values()],
    ({ claim, mark }) => (mark === undefined ? `the time of the last pod on nodeclaim ${claim.name}` : nameOf(mark)),
    (note) => write(deps, note, signal),
  )
}

function nameOf({ claim }: Mark): string {
  return `the conditions of nodeclaim ${claim}`
}

/** Metadata first: the status of a claim must not say more than its annotations. */
async function write(deps: ClusterDeps, { claim, mark, lastPodEventAt }: Note, signal: AbortSignalLike): Promise<void> {
  const stamped = await version(deps, claim, mark, signal)
  if (!stamped.ok) return tell(deps, claim, stamped.error)
  if (mark?.conditions === undefined && lastPodEventAt === undefined) return
  const { conditions = claim.status.conditions } = mark ?? {}
  const status = { ...claim.status, conditions, ...defined({ lastPodEventAt }) }
  const written = await deps.api.patchClaimStatus(stamped.value, status, signal)
  if (!written.ok) tell(deps, claim, written.error)
}

async function version(
  { api }: ClusterDeps,
  claim: NodeClaim,
  mark: Mark | undefined,
  signal: AbortSignalLike,
): Promise<Result<NodeClaim, Problem>> {
  const { annotations } = mark ?? {}
  return annotations === undefined ? ok(claim) : api.patchClaim(claim, { labels: claim.meta.labels, annotations }, signal)
}

function tell(deps: ClusterDeps, { name }: NodeClaim, problem: Problem): void {
  if (problem.code === 'KUBE.INVALID') logRefused(deps, `the conditions of nodeclaim ${name}`, problem)
}

/** Pods that leave within this time of each other cost one write. */
const RESOLUTION = durationMs(10_000)

export type PodEvent = { readonly claim: NodeClaim; readonly lastPodEventAt: EpochMs }

/**
 * The claims whose `lastPodEventAt` is out of date, with the new time. It is written for processes that start later. Only claims of a NodePool of
 * ours with a `consolidateAfter` above zero are returned, because it is not read for others.
 */
function newPodEvents({ settings }: Pick<ClusterDeps, 'settings'>, state: ClusterState): readonly PodEvent[] {
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
