import { mapBounded, settle } from '../../base/concurrency.ts'
import { avoidedSpot, failureReport } from '../../engine/offering/sizeReports.ts'
import { LABEL, TAINT_KEY } from '../../model/labels.ts'
import type { Node } from '../../model/node.ts'
import { type NodeClaim, nodeNameOf } from '../../model/nodeClaim.ts'
import { isOurs } from '../../model/nodeClass.ts'
import { Fault } from '../../model/problem.ts'
import type { Taint } from '../../model/taint.ts'
import { traceIn } from '../../model/trace.ts'
import { onlyFor } from '../../model/unavailableOffering.ts'
import { durationMs, type EpochMs, later } from '../../model/units.ts'
import type { AbortSignalLike } from '../../ports/clock.ts'
import { CALLS_AT_ONCE, type ClusterDeps } from '../deps/clusterDeps.ts'
import { claimRequest } from '../queue/claimRequests.ts'
import { measureEnded } from '../reports/claimMetrics.ts'
import { claimFields, reportUnavailable, seconds } from '../reports/reportClaim.ts'
import type { PodAction } from './applyClaimAction.ts'
import { type Interruption, interruptionEvents, isEviction, markInterrupted, metricReasonOf } from './interruptionEvents.ts'
import { askEviction } from './removePods.ts'
import { reportRemoved } from './reportRemoved.ts'
import { setDeadline } from './stillUnderWay.ts'

const DISRUPTED: Taint = { key: TAINT_KEY.disrupted, effect: 'NoSchedule' }
/** Tries to write the node. Each try loses against another writer. More losses mean that something is wrong, and Event Grid delivers again. */
const MOST_ROUNDS = 8
/** Real notice periods are often this short, even if a longer period is announced. */
const SHORTEST_NOTICE = durationMs(25_000)

/**
 * Handles the interruption of a machine by Azure: taints the node, deletes the claim so that a replacement is decided at once, and then evicts the
 * pods, in this order. The deadline on the claim limits how long disruption budgets of pods may delay the drain. Handling it twice changes nothing. A
 * machine that stays gets an Event only.
 */
export async function interrupt(deps: ClusterDeps, interruption: Interruption, signal: AbortSignalLike): Promise<'handled' | 'unknown'> {
  const claim = await deps.api.getClaim(interruption.claim, signal)
  if (claim === undefined) return 'unknown'
  const doubt = doubtOf(claim, interruption)
  if (doubt !== undefined) {
    const { eventId, saidBy } = interruption
    deps.telemetry.warn(`${doubt}; event ${eventId} is ignored`, { cluster: deps.cluster, claim: claim.name, eventId, saidBy })
    return 'unknown'
  }
  const now = deps.clock.now()
  const node = await deps.api.getNode(nodeNameOf(claim, deps.settings.machineNames), signal)
  if (interruption.when === 'passing') {
    await tell(deps, claim, node, interruption, signal)
    return 'handled'
  }
  if (node) await close(deps, node, signal)
  const marked = await markInterrupted(deps, claim, interruption, signal)
  await setDeadline(deps, marked, deadlineOf(interruption, now), signal)
  await deps.api.deleteClaim(claim.name, claim.meta.uid, signal)
  deps.queue.decide({ because: 'interruption', eventAt: now })
  await Promise.all([
    tell(deps, claim, node, interruption, signal),
    markSpotUnavailable(deps, claim, interruption, now, signal),
    reportEviction(deps, claim, interruption, now, signal),
    // The claim runs after the evictions, so that it asks no pod to leave a second time.
    settle(() => evictAll(deps, marked, node, signal)).then((outcome) => {
      deps.queue.reconcile(claimRequest(claim))
      if (!outcome.ok) throw outcome.error
    }),
  ])
  const { decision: _, ...fields } = claimFields(deps, claim)
  const reactionSeconds = seconds(now, deps.clock.now())
  deps.telemetry.event('interruption.handled', { ...fields, reason: interruption.reason, reactionSeconds }, traceIn(claim))
  deps.telemetry.warn(`nodeclaim ${claim.name} is interrupted: ${interruption.reason}`, {
    cluster: deps.cluster,
    claim: claim.name,
    eventId: interruption.eventId,
    when: interruption.when,
  })
  return 'handled'
}

async function tell(
  deps: ClusterDeps,
  claim: NodeClaim,
  node: Node | undefined,
  interruption: Interruption,
  signal: AbortSignalLike,
): Promise<void> {
  const isEnd = interruption.when !== 'passing'
  for (const event of interruptionEvents(claim, node, interruption)) {
    const isCounted = isEnd && event.subject.kind === 'nodeClaim'
    await deps.api.publish(event, signal, () => isCounted && measureEnded(deps, claim, metricReasonOf(interruption)))
  }
}

/** Why the event cannot be about this claim, which was read live. Undefined if nothing contradicts the event. */
function doubtOf({ name, meta, spec, status }: NodeClaim, { saidBy, resourceId }: Interruption): string | undefined {
  if (!isOurs(spec.nodeClassRef)) return `nodeclaim ${name} is of another provider (${spec.nodeClassRef.kind})`
  if (saidBy === 'node') {
    const capacityType = meta.labels[LABEL.capacityType]
    return capacityType === 'spot'
      ? undefined
      : `nodeclaim ${name} is no spot machine (${LABEL.capacityType}: ${capacityType ?? 'not set'})`
  }
  const machine = status.providerId?.toLowerCase()
  return machine === undefined || machine === `azure://${resourceId}`
    ? undefined
    : `the machine of nodeclaim ${name} is another one than that of the event`
}

function deadlineOf({ when, notBefore }: Interruption, now: EpochMs): EpochMs {
  if (when === 'happened') return now
  const shortest = later(now, SHORTEST_NOTICE)
  return notBefore !== undefined && notBefore < shortest ? notBefore : shortest
}

async function close(deps: ClusterDeps, first: Node, signal: AbortSignalLike): Promise<void> {
  let node: Node | undefined = first
  for (let round = 1; node !== undefined && !node.taints.some((taint) => taint.key === DISRUPTED.key); round++) {
    const closed = await deps.api.patchNode(node, { taints: [...node.taints, DISRUPTED] }, signal)
    if (closed.ok) return
    if (round === MOST_ROUNDS) throw new Fault(`close node ${node.name}`, closed.error)
    node = await deps.api.getNode(node.name, signal)
  }
}

async function evictAll(deps: ClusterDeps, claim: NodeClaim, node: Node | undefined, signal: AbortSignalLike): Promise<void> {
  if (node === undefined) return
  const pods = await deps.api.listPodsOn(node.name, signal)
  const moving = pods.filter((pod) => pod.owner?.kind !== 'DaemonSet' && pod.owner?.kind !== 'Node' && pod.deletedAt === undefined)
  const evicted: PodAction[] = []
  try {
    await mapBounded(moving, CALLS_AT_ONCE, async (pod) => {
      const answer = await askEviction(deps, pod, signal)
      if (answer.ok && answer.value === 'evicted') evicted.push({ kind: 'evictPod', pod })
    })
  } finally {
    await reportRemoved(deps, claim, evicted, signal)
  }
}

/** Azure has no spot capacity for the size of a machine that it takes. The end of a machine that a person stops says nothing of it. */
async function markSpotUnavailable(
  deps: ClusterDeps,
  claim: NodeClaim,
  interruption: Interruption,
  now: EpochMs,
  signal: AbortSignalLike,
): Promise<void> {
  if (!isEviction(interruption)) return
  const instance = await deps.cloud.get(claim.name, signal)
  if (instance?.capacityType !== 'spot') return
  const { size, zone } = instance
  const avoided = avoidedSpot({ size, zone, message: interruption.reason }, await deps.offerings.unavailable(now, signal), now)
  // A node can only speak for its own cluster.
  const told = interruption.saidBy === 'azure' ? avoided : onlyFor(deps.cluster, avoided)
  reportUnavailable(deps, await deps.offerings.mark(told, now, signal))
}

/** A size whose spot machines go soon after their start is demoted. Azure's own event proves it. A node can only speak for its own cluster. */
async function reportEviction(
  deps: ClusterDeps,
  claim: NodeClaim,
  interruption: Interruption,
  now: EpochMs,
  signal: AbortSignalLike,
): Promise<void> {
  if (claim.meta.labels[LABEL.capacityType] !== 'spot' || !isEviction(interruption)) return
  const report = failureReport(claim, { kind: 'evicted', cluster: deps.cluster, at: now, isProven: interruption.saidBy === 'azure' })
  if (report !== undefined) await deps.offerings.report([report], now, signal)
}
