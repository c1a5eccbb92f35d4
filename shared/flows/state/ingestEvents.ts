import { settle } from '../../base/concurrency.ts'
import { largestOf, leastOf } from '../../base/lists.ts'
import { defined } from '../../base/values.ts'
import { canRunPods, claimNeedsReconcile, nodeNeedsReconcile, START_PATIENCE } from '../../engine/lifecycle/registration.ts'
import type { Change } from '../../model/change.ts'
import { type ClusterId, claimOfInstanceName, type MachineNames, nodeClaimName, type Uid } from '../../model/ids.ts'
import { isJoining } from '../../model/node.ts'
import type { Pod } from '../../model/pod.ts'
import { Fault, type Problem } from '../../model/problem.ts'
import { type EpochMs, epochMs } from '../../model/units.ts'
import type { DecideRequest, WaitingPods } from '../../model/work.ts'
import type { AbortSignalLike } from '../../ports/clock.ts'
import type { LogRecord } from '../../ports/clusterLog.ts'
import { type ClusterDeps, logRefused } from '../deps/clusterDeps.ts'
import { type ClaimNews, type RecentNodes, requestReconciles } from '../queue/claimRequests.ts'
import type { ClusterReader } from './catchUp.ts'
import type { SnapshotRequestReader } from './snapshotRequest.ts'

export type IngestDeps = Pick<ClusterDeps, 'log' | 'queue' | 'clock' | 'telemetry' | 'settings'> & {
  readonly asked?: RecentNodes
  readonly wanted?: SnapshotRequestReader
  /** Learns the post without reading the log. Absent: nobody in this process does. */
  readonly reader?: Pick<ClusterReader, 'receive'>
}

export type EventBatch = {
  readonly term: number
  readonly body: LogRecord['body']
  /** Numbers of changes that could not be parsed. They are appended as unreadable, so that they do not count as lost. */
  readonly unreadable: readonly { readonly seq: number; readonly problem: Problem }[]
}

export type IngestResult = { readonly accepted: number; readonly sendSnapshot?: string }

/**
 * Takes a batch that the shim posted: appends it to the log, and then adds the keys that it concerns. A crash in between loses only the keys, and the
 * resync adds them again. A claim does not wait for the batch window.
 */
export async function ingestEvents(
  deps: IngestDeps,
  cluster: ClusterId,
  batch: EventBatch,
  signal: AbortSignalLike,
): Promise<IngestResult> {
  const receivedAt = deps.clock.now()
  const { changes } = batch.body
  const request = requestFor(changes, receivedAt)
  deps.telemetry.measure('event_to_received_ms', receivedAt - request.eventAt, { cluster, pendingPods: request.pendingPods })
  // This runs concurrently with the append. If both fail, the error of the append is thrown.
  const wanted = settle(() => (deps.wanted ?? deps.log.snapshotRequest)(signal))
  const record: LogRecord = { term: batch.term, receivedAt, body: withUnreadable(batch, receivedAt) }
  const appended = await deps.log.append(record, signal)
  deps.reader?.receive(record, appended)
  deps.queue.decide(request)
  requestReconciles(deps, newsOf(changes, deps.settings.machineNames, deps.asked))
  const reason = await wanted
  if (!reason.ok) throw reason.error
  const sendSnapshot = batch.body.kind === 'snapshot' ? undefined : reason.value
  return sendSnapshot === undefined ? { accepted: changes.length } : { accepted: changes.length, sendSnapshot }
}

/**
 * Takes a post without changes. Nothing is stored: the shim only asks whether the app needs a snapshot. A shim whose term is over is refused, as with
 * changes.
 */
export async function answerEmptyPost(
  { wanted, log, clock }: Pick<IngestDeps, 'wanted' | 'log' | 'clock'>,
  term: number,
  signal: AbortSignalLike,
): Promise<IngestResult> {
  await log.checkTerm({ term, receivedAt: clock.now() }, signal)
  return { accepted: 0, ...defined({ sendSnapshot: await (wanted ?? log.snapshotRequest)(signal) }) }
}

function withUnreadable({ body, unreadable }: EventBatch, at: EpochMs): LogRecord['body'] {
  if (body.kind === 'snapshot' || unreadable.length === 0) return body
  const marks = unreadable.map(({ seq, problem }): Change => ({ seq, at, op: 'invalid', kind: 'pod', key: `unreadable/${seq}`, problem }))
  return { kind: 'changes', changes: [...body.changes, ...marks] }
}

function requestFor(changes: readonly Change[], receivedAt: EpochMs): DecideRequest {
  const eventAt = changes.length > 0 ? epochMs(leastOf(changes.map((change) => change.at))) : receivedAt
  const ofWaiting = changes.filter(isWaitingPod)
  const waiting = ofWaiting.map(({ object }) => object)
  const pendingPods = waiting.filter(isRefused).length
  const times = ofWaiting.map(({ at }) => at)
  const podEvents = times.length === 0 ? undefined : { first: epochMs(leastOf(times)), last: epochMs(largestOf(times)) }
  return defined({ because: 'changes' as const, eventAt, podEvents, pendingPods, waiting: ownersOf(waiting) })
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

function ownersOf(waiting: readonly Pod[]): WaitingPods | undefined {
  const uids = (pods: readonly Pod[]): readonly Uid[] => [...new Set(pods.map((pod) => pod.owner?.uid ?? pod.uid))]
  const [refused, unseen] = [uids(waiting.filter(isRefused)), uids(waiting.filter((pod) => !isRefused(pod)))]
  return refused.length + unseen.length === 0 ? undefined : { refused, unseen }
}

/** The claims whose changes may need a step. The snapshot of a healthy cluster has none, however large it is. */
function newsOf(changes: readonly Change[], names: MachineNames, asked: RecentNodes | undefined): readonly ClaimNews[] {
  return changes.flatMap((change) => (change.kind === 'node' ? newsOfNode(change, names, asked) : newsOfClaim(change)) ?? [])
}

/** The delay for a joining node that cannot run pods yet: a second after the registration waits no longer. */
const START_MS = START_PATIENCE + 1_000

/** The news of a changed node. A joining node is part of it once it can run pods, because the step then needs no other read. */
function newsOfNode(change: Change, names: MachineNames, asked: RecentNodes | undefined): ClaimNews | undefined {
  const claim = claimOfInstanceName(change.key, names)
  if (claim === undefined || change.op === 'invalid') return undefined
  if (change.op === 'delete') return { claim }
  if (change.kind !== 'node' || !nodeNeedsReconcile(change.object)) return undefined
  const node = change.object
  if (!isJoining(node)) return { claim }
  if (asked?.isAsked(node)) return undefined
  return canRunPods(node) ? { claim, known: { isComing: true, node } } : { claim, known: { isComing: true }, delayMs: START_MS }
}

function newsOfClaim(change: Change): ClaimNews | undefined {
  if (change.kind !== 'nodeClaim') return undefined
  // The node of the claim may still exist.
  if (change.op === 'delete') return { claim: nodeClaimName(change.key) }
  return change.op === 'put' && claimNeedsReconcile(change.object) ? { claim: change.object.name } : undefined
}

/**
 * Compacts the log if that is due. Called after every reconcile, failed or not, because a log that is never compacted gets too long for a new process
 * to read. It needs no lease, since a checkpoint never replaces a later one. Decisions may run meanwhile.
 */
export async function compactLog(deps: ClusterDeps, reader: ClusterReader, signal: AbortSignalLike): Promise<void> {
  const compacted = await settle(() => reader.compactIfDue(signal))
  if (compacted.ok) return
  if (compacted.error instanceof Fault) logRefused(deps, 'the compaction of the log', compacted.error.problem)
  else deps.telemetry.error(`the log was not compacted: ${String(compacted.error)}`, { cluster: deps.cluster })
}
