import { defined } from '../../base/defined.ts'
import type { ClaimAction, ClaimObservation, ClaimStep } from '../../model/claimStep.ts'
import { ANNOTATION, FINALIZER, LABEL } from '../../model/labels.ts'
import type { Node } from '../../model/node.ts'
import { deadlineOf, type NodeClaim } from '../../model/nodeClaim.ts'
import type { Pod } from '../../model/pod.ts'
import { formatTimestamp } from '../../model/timestamp.ts'
import { durationMs, type EpochMs, later } from '../../model/units.ts'
import { awaitDetachment, detachmentKnown } from './attachments.ts'
import { becomes, isTrue, since, statusActions } from './claimStatus.ts'
import { closeNode } from './closeNode.ts'
import { drainPods, nextDue, waitingPods } from './drain.ts'
import { beginDrain } from './drainMessage.ts'
import { subjectOf } from './ending.ts'
import { isReady } from './nodeState.ts'
import { tellInvalidProtection, tellUnreadableDeadline } from './unreadable.ts'

const SECOND = durationMs(1_000)
/** Pods that were asked to leave take seconds to minutes. */
export const LEAVING_POLL = durationMs(3_000)
const INSTANCE_POLL = durationMs(2_000)
/** Catches pods bound before the scheduler saw the taint. */
const MIN_DRAIN = durationMs(5_000)

/** Ends a claim: node closed and drained, volumes detached, machine gone, then the objects. */
export function stepTermination(observation: ClaimObservation): ClaimStep {
  return (
    setDeadline(observation) ?? drain(observation) ?? awaitDetachment(observation) ?? endMachine(observation) ?? removeObjects(observation)
  )
}

/** Written once, so that a deadline somebody else chose stands. One that nobody can read is no deadline, and is replaced. */
function setDeadline({ claim, now }: ClaimObservation): ClaimStep | undefined {
  const { terminationGracePeriod } = claim.spec
  const { deletedAt, annotations, labels } = claim.meta
  if (terminationGracePeriod === undefined || deletedAt === undefined) return undefined
  if (deadlineOf(claim) !== undefined) return undefined
  const deadline = formatTimestamp(later(deletedAt, terminationGracePeriod))
  const message = `all pods are deleted and the machine ends by ${deadline}`
  return {
    actions: [
      ...tellUnreadableDeadline(claim, `it is replaced by ${deadline}`),
      { kind: 'patchClaim', labels, annotations: { ...annotations, [ANNOTATION.terminationTimestamp]: deadline } },
      {
        kind: 'publish',
        event: { subject: subjectOf(claim), uid: claim.meta.uid, type: 'Warning', reason: 'TerminationGracePeriodExpiring', message },
      },
    ],
    reasons: [],
    wakeAt: now,
  }
}

/**
 * Pods may run from the moment when the node is registered: the claim that was deleted in that moment may not say so. None run on a node whose
 * machine is gone.
 */
function drain(observation: ClaimObservation): ClaimStep | undefined {
  const { claim, nodes, instance, now } = observation
  if (nodes.length === 0 || !isToBeDrained(claim, nodes)) return undefined
  if (instance === undefined && !nodes.some(isReady)) return undefined
  const closing = nodes.flatMap(closeNode)
  const waiting = waitingPods(observation)
  const quietAt = quietFrom(observation)
  if (waiting.length === 0 && now >= quietAt) return drained(observation, closing)
  const deadline = deadlineOf(claim)
  const onPods = drainPods(observation, waiting, deadline)
  const isBegun = claim.status.conditions.some((each) => each.type === 'Drained')
  return defined({
    // Once pods are taken, what there is to say depends on how that is answered: `tellDrain` says it.
    actions: [
      ...closing,
      ...(isBegun ? [] : tellUnreadable(observation, waiting)),
      ...(isBegun && onPods.length > 0 ? [] : beginDrain(observation, waiting)),
      ...onPods,
    ],
    reasons: [],
    wakeAt: waiting.length === 0 ? quietAt : nextLookAt(waiting, onPods, quietAt, now),
    dueAt: nextDue(observation, waiting, deadline),
  })
}

/**
 * The node's last look at its pods is the first at what comes after them, so that both are one write. Whoever is cut off before that write finds
 * a machine that ends, and a drain that is over.
 */
function drained(observation: ClaimObservation, closing: readonly ClaimAction[]): ClaimStep {
  const status = statusActions(observation, [becomes('Drained')])
  // Nobody looked at its volumes yet.
  if (observation.volumeAttachments === undefined) return { actions: [...closing, ...status], reasons: [], wakeAt: observation.now }
  const claim = status.reduce((before, action) => ({ ...before, status: action.status }), observation.claim)
  const after = { ...observation, claim }
  const next = awaitDetachment(after) ?? endMachine(after)
  if (next === undefined) return { actions: [...closing, ...status], reasons: [], wakeAt: observation.now }
  const isWritten = next.actions.some(({ kind }) => kind === 'patchStatus')
  return { ...next, actions: [...closing, ...(isWritten ? [] : status), ...next.actions] }
}

/** Pods that were all asked to leave need nothing more, and none is awaited before the node may count as drained. */
function nextLookAt(waiting: readonly Pod[], asked: readonly ClaimAction[], quietAt: EpochMs, now: EpochMs): EpochMs {
  const leaving = new Set(asked.flatMap((action) => (action.kind === 'evictPod' || action.kind === 'deletePod' ? [action.pod] : [])))
  if (!waiting.every((pod) => pod.deletedAt !== undefined || leaving.has(pod))) return later(now, SECOND)
  return quietAt > now ? quietAt : later(now, LEAVING_POLL)
}

/** Once, as the drain begins. */
function tellUnreadable({ claim }: ClaimObservation, waiting: readonly Pod[]): readonly ClaimAction[] {
  return [...tellUnreadableDeadline(claim, 'until it is corrected the drain has no deadline'), ...tellInvalidProtection(waiting)]
}

/** Pods may have come to the node, and are not all gone yet. */
export function isToBeDrained(claim: NodeClaim, nodes: readonly Node[]): boolean {
  const isRegistered = isTrue(claim, 'Registered') || nodes.some(({ meta }) => meta.labels[LABEL.registered] === 'true')
  return isRegistered && !isTrue(claim, 'Drained')
}

/** From when on a node without pods counts as drained. */
export function quietFrom({ claim, now }: Pick<ClaimObservation, 'claim' | 'now'>): EpochMs {
  const isStarted = claim.status.conditions.some((each) => each.type === 'Drained')
  return later(isStarted ? since(claim, 'Drained') : now, MIN_DRAIN)
}

/** Asked at least once even when the machine is not there: its network interface may be. */
function endMachine(observation: ClaimObservation): ClaimStep | undefined {
  const { claim, instance, now } = observation
  if (instance === undefined && isTrue(claim, 'InstanceTerminating')) return undefined
  const isAsked = isTrue(claim, 'InstanceTerminating') && typeof instance === 'object' && instance.state.kind === 'deleting'
  const ask: readonly ClaimAction[] = isAsked ? [] : [{ kind: 'terminateInstance' }]
  return {
    actions: [...ask, ...statusActions(observation, [...detachmentKnown(observation), becomes('InstanceTerminating')])],
    reasons: [],
    wakeAt: instance === undefined ? now : later(now, INSTANCE_POLL),
  }
}

function removeObjects({ claim, nodes }: ClaimObservation): ClaimStep {
  // It went as the node joined. One that a slow launch makes later is the claim's, and goes with it.
  const token: readonly ClaimAction[] = isTrue(claim, 'Registered') ? [] : [{ kind: 'deleteBootstrapToken' }]
  return {
    actions: [
      ...nodes.flatMap((node): readonly ClaimAction[] => [
        ...(node.meta.deletedAt === undefined ? [{ kind: 'deleteNode', node } as const] : []),
        ...(node.meta.finalizers.includes(FINALIZER) ? [{ kind: 'removeNodeFinalizer', node } as const] : []),
      ]),
      ...token,
      { kind: 'removeFinalizer' },
    ],
    reasons: [],
  }
}
