import { settle } from '../../base/concurrency.ts'
import type { DisruptionBlock } from '../../engine/disruption/commands/sweep.ts'
import type { DeleteClaim } from '../../model/decision.ts'
import type { CommandCandidate, DisruptionCommand } from '../../model/disruptionCommand.ts'
import type { NodeClaim } from '../../model/nodeClaim.ts'
import { type DurationMs, durationMs, later } from '../../model/units.ts'
import type { AbortSignalLike } from '../../ports/clock.ts'
import type { ClusterDeps } from '../deps/clusterDeps.ts'
import { setDeadline } from '../lifecycle/stillUnderWay.ts'
import { claimRequest } from '../queue/claimRequests.ts'
import { reportBlocked, reportDisrupted } from '../reports/reportClaim.ts'
import type { ClusterState } from '../state/clusterState.ts'
import {
  type CheckedPods,
  checkPods,
  type TaintedCandidate,
  type TaintOutcome,
  taintCandidate,
  unread,
  untaintCandidate,
} from './markCandidate.ts'

/** Why the claim was not deleted. `again`: its objects were written meanwhile. Undefined: the claim is being deleted. */
export type NotTaken = DisruptionBlock | 'again' | undefined

export type Disrupting = { readonly action: DeleteClaim; readonly command: Pick<DisruptionCommand, 'id' | 'method'> }

/** Taints the node of a claim that is to be deleted. All nodes of a decision are tainted before the first pod is evicted: see `endMachines`. */
export function closeNode(
  deps: ClusterDeps,
  state: ClusterState,
  { action: { claim, uid, because, repair, pods = [] }, command }: Disrupting,
  signal: AbortSignalLike,
): Promise<TaintOutcome> {
  return taintCandidate(deps, state, { claim, uid, pods }, { command: command.id, reason: because, repair, endsNow: true }, signal)
}

/**
 * Deletes one claim whose node is tainted. The cluster state of the decision may be moments old, so the pods of the node are read live first: a pod
 * that came meanwhile keeps the node. A command without replacements then ends, the node is untainted, and it rests. So it is if its pods cannot be
 * read. A command that waited for its replacements keeps the taint and tries again.
 */
export async function disruptClaim(
  deps: ClusterDeps,
  state: ClusterState,
  { action, command }: Disrupting,
  closing: TaintOutcome,
  signal: AbortSignalLike,
): Promise<NotTaken> {
  const { claim: name, uid, because, repair, pods = [] } = action
  const candidate = { claim: name, uid }
  if (closing === 'gone') return undefined
  if (closing === 'again' || 'code' in closing) return toldOf(deps, candidate, closing, signal)
  const { claim, node } = closing
  const isOver = command.method === 'delete'
  const live = await checkLive(() => checkPods(deps, state, closing, { pods, reason: because, repair }, signal), closing, isOver)
  if (live.held !== undefined) {
    if (isOver) await untaintCandidate(deps, candidate, signal)
    return toldOf(deps, candidate, live.held, signal)
  }
  const readAt = deps.clock.now()
  if (repair?.terminationGracePeriod !== undefined)
    await setDeadline(deps, claim, later(readAt, boundOf(claim, repair.terminationGracePeriod)), signal)
  const deleted = await deps.api.deleteClaim(name, uid, signal)
  if (deleted !== undefined && node !== undefined) deps.freshEnds?.note({ claim: deleted, node, pods: live.pods, readAt })
  deps.queue.reconcile(claimRequest(claim))
  await reportDisrupted(deps, action, claim, node, signal)
  return undefined
}

/** The policy bounds the drain of a repair. The claim may bound it more tightly. */
function boundOf({ spec }: NodeClaim, bound: DurationMs): DurationMs {
  return durationMs(Math.min(bound, spec.terminationGracePeriod ?? bound))
}

/** Pods that cannot be read hold the node, if its command is over then. Otherwise the failure is thrown, and the command tries again. */
async function checkLive(check: () => Promise<CheckedPods>, closing: TaintedCandidate, isOver: boolean): Promise<CheckedPods> {
  const looked = await settle(check)
  if (looked.ok) return looked.value
  if (!isOver) throw looked.error
  return { held: unread(looked.error, closing), pods: [] }
}

async function toldOf(
  deps: ClusterDeps,
  candidate: Pick<CommandCandidate, 'claim' | 'uid'>,
  why: NotTaken,
  signal: AbortSignalLike,
): Promise<NotTaken> {
  if (typeof why === 'object') await reportBlocked(deps, [candidate], why, signal)
  return why
}
