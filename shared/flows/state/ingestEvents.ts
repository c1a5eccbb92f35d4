import { settle } from '../../base/bounded.ts'
import { defined } from '../../base/defined.ts'
import { leastOf } from '../../base/lists.ts'
import { canRunPods, claimNeedsReconcile, nodeNeedsReconcile } from '../../engine/lifecycle/needsReconcile.ts'
import { START_PATIENCE } from '../../engine/lifecycle/registration.ts'
import type { Change } from '../../model/change.ts'
import { type ClusterId, claimOfInstanceName, type MachineNames, nodeClaimName, type Uid } from '../../model/ids.ts'
import type { Doorbell, WaitingPods } from '../../model/message.ts'
import { isJoining } from '../../model/node.ts'
import type { Pod } from '../../model/pod.ts'
import type { Problem } from '../../model/problem.ts'
import { type EpochMs, epochMs } from '../../model/units.ts'
import type { AbortSignalLike } from '../../ports/clock.ts'
import type { LogRecord } from '../../ports/clusterLog.ts'
import type { ClusterDeps } from '../deps/clusterDeps.ts'
import { doorbellOf } from '../messages/doorbell.ts'
import type { RequestedReconciles } from '../messages/requestedReconciles.ts'
import { type Hint, sendHints } from '../messages/sendHints.ts'
import type { SnapshotRequestReader } from './snapshotRequestReader.ts'

export type IngestDeps = Pick<ClusterDeps, 'log' | 'queue' | 'clock' | 'telemetry' | 'settings'> & {
  readonly asked?: RequestedReconciles
  readonly wanted?: SnapshotRequestReader
}

export type EventBatch = {
  readonly term: number
  readonly body: LogRecord['body']
  /** Numbers of changes that could not be parsed. They are appended as unreadable, so that they do not count as lost. */
  readonly unreadable: readonly { readonly seq: number; readonly problem: Problem }[]
}

export type IngestResult = { readonly accepted: number; readonly sendSnapshot?: string }

/**
 * Takes a batch that the shim posted: appends it to the log, and then rings. A crash in between loses only a hint, and the resync timer rings again.
 * Hints for the claims concerned are sent at once, so that a node that joined does not wait for the batch window.
 */
export async function ingestEvents(
  deps: IngestDeps,
  cluster: ClusterId,
  batch: EventBatch,
  signal: AbortSignalLike,
): Promise<IngestResult> {
  const receivedAt = deps.clock.now()
  const { changes } = batch.body
  const doorbell = doorbellFor(cluster, changes, receivedAt)
  deps.telemetry.measure('event_to_received_ms', receivedAt - doorbell.eventAt, { cluster, pendingPods: doorbell.pendingPods })
  // This runs concurrently with the append. If both fail, the error of the append is thrown.
  const wanted = settle(() => (deps.wanted ?? deps.log.snapshotRequest)(signal))
  await deps.log.append({ term: batch.term, receivedAt, body: withUnreadable(batch, receivedAt) }, signal)
  const looks = claimsToReconcile(changes, deps.settings.machineNames, deps.asked)
  await Promise.all([deps.queue.ring(doorbell, 0, signal), sendHints({ ...deps, cluster }, looks, signal)])
  const reason = await wanted
  if (!reason.ok) throw reason.error
  const sendSnapshot = batch.body.kind === 'snapshot' ? undefined : reason.value
  return sendSnapshot === undefined ? { accepted: changes.length } : { accepted: changes.length, sendSnapshot }
}

/** Takes a post without changes. Nothing is stored: the shim only asks whether the app needs a snapshot. */
export async function answerEmptyPost({ wanted, log }: Pick<IngestDeps, 'wanted' | 'log'>, signal: AbortSignalLike): Promise<IngestResult> {
  return { accepted: 0, ...defined({ sendSnapshot: await (wanted ?? log.snapshotRequest)(signal) }) }
}

function withUnreadable({ body, unreadable }: EventBatch, at: EpochMs): LogRecord['body'] {
  if (body.kind === 'snapshot' || unreadable.length === 0) return body
  const marks = unreadable.map(({ seq, problem }): Change => ({ seq, at, op: 'invalid', kind: 'pod', key: `unreadable/${seq}`, problem }))
  return { kind: 'changes', changes: [...body.changes, ...marks] }
}

function doorbellFor(cluster: ClusterId, changes: readonly Change[], receivedAt: EpochMs): Doorbell {
  const eventAt = changes.length > 0 ? epochMs(leastOf(changes.map((change) => change.at))) : receivedAt
  const waiting = changes.flatMap((change) => (isWaitingPod(change) ? [change.object] : []))
  const pendingPods = waiting.filter(isRefused).length
  return doorbellOf(cluster, 'changes', eventAt, defined({ pendingPods, waiting: ownersOf(waiting) }))
}

function isWaitingPod(change: Change): change is PodPut {
  if (change.op !== 'put' || change.kind !== 'pod') return false
  const { nodeName, schedulingGates, deletedAt, phase } = change.object
  return nodeName === undefined && schedulingGates.length === 0 && deletedAt === undefined && phase === 'Pending'
}

type PodPut = Extract<Change, { readonly op: 'put'; readonly kind: 'pod' }>

function isRefused(pod: Pod): boolean {
  return pod.unschedulableSince !== undefined
}

/** The most owners in a doorbell, so that it fits into a queue message of 64 KiB. */
const MAX_OWNERS = 800

function ownersOf(waiting: readonly Pod[]): WaitingPods | undefined {
  const uids = (pods: readonly Pod[]): readonly Uid[] => [...new Set(pods.map((pod) => pod.owner?.uid ?? pod.uid))]
  const [refused, unseen] = [uids(waiting.filter(isRefused)), uids(waiting.filter((pod) => !isRefused(pod)))]
  const count = refused.length + unseen.length
  return count === 0 || count > MAX_OWNERS ? undefined : { refused, unseen }
}

/** Hints for the claims whose changes may need a step. The snapshot of a healthy cluster has none, however large it is. */
function claimsToReconcile(changes: readonly Change[], names: MachineNames, asked: RequestedReconciles | undefined): readonly Hint[] {
  return changes.flatMap((change) => (change.kind === 'node' ? nodeHint(change, names, asked) : claimHint(change)) ?? [])
}

/** The delay of a look at a joining node that cannot run pods yet: a second after the registration waits no longer. */
const START_MS = START_PATIENCE + 1_000

/** The hint for a changed node. A joining node is part of the hint once it can run pods, because the step then needs no other read. */
function nodeHint(change: Change, names: MachineNames, asked: RequestedReconciles | undefined): Hint | undefined {
  const claim = claimOfInstanceName(change.key, names)
  if (claim === undefined || change.op === 'invalid') return undefined
  if (change.op === 'delete') return { claim }
  if (change.kind !== 'node' || !nodeNeedsReconcile(change.object)) return undefined
  const node = change.object
  if (!isJoining(node)) return { claim }
  if (asked?.isAsked(node)) return undefined
  return canRunPods(node) ? { claim, known: { isComing: true, node } } : { claim, known: { isComing: true }, delayMs: START_MS }
}

function claimHint(change: Change): Hint | undefined {
  if (change.kind !== 'nodeClaim') return undefined
  // The node of the claim may still exist.
  if (change.op === 'delete') return { claim: nodeClaimName(change.key) }
  return change.op === 'put' && claimNeedsReconcile(change.object) ? { claim: change.object.name } : undefined
}
