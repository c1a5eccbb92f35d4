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
import { reportInvalidProtection, reportUnreadableDeadline } from './unreadable.ts'

const SECOND = durationMs(1_000)
/** How often pods that were asked to leave are looked at. They take seconds to minutes. */
export const LEAVING_POLL = durationMs(3_000)
const INSTANCE_POLL = durationMs(2_000)
/** The least time of a drain. It catches pods that were bound before the scheduler saw the taint. */
const MIN_DRAIN = durationMs(5_000)

/** Ends a claim: node closed and drained, volumes detached, machine gone, then the objects. */
export function stepTermination(observation: ClaimObservation): ClaimStep {
  return (
    setDeadline(observation) ?? drain(observation) ?? awaitDetachment(observation) ?? endMachine(observation) ?? removeObjects(observation)
  )
}

/** Writes the deadline once, so that a deadline chosen by somebody else stands. A deadline that cannot be read is replaced. */
function setDeadline({ claim, now }: ClaimObservation): ClaimStep | undefined {
  const { terminationGracePeriod } = claim.spec
  const { deletedAt, annotations, labels } = claim.meta
  if (terminationGracePeriod === undefined || deletedAt === undefined) return undefined
  if (deadlineOf(claim) !== undefined) return undefined
  const deadline = formatTimestamp(later(deletedAt, terminationGracePeriod))
  const message = `all pods are deleted and the machine ends by ${deadline}`
  return {
    actions: [
      ...reportUnreadableDeadline(claim, `it is replaced by ${deadline}`),
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
 * Pods may run as soon as the node is registered, even if the claim was deleted at that moment and does not show it. No pods run on a node whose
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
    // Once pods are evicted, the message depends on the answers. `drainReports` writes it.
    actions: [
      ...closing,
      ...(isBegun ? [] : reportUnreadable(observation, waiting)),
      ...(isBegun && onPods.length > 0 ? [] : beginDrain(observation, waiting)),
      ...onPods,
    ],
    reasons: [],
    wakeAt: waiting.length === 0 ? quietAt : nextLookAt(waiting, onPods, quietAt, now),
    dueAt: nextDue(observation, waiting, deadline),
  })
}

/**
 * Writes the end of the drain together with the first step after it. A process that is cut off before this write finds a machine that is ending and a
 * drain that is over.
 */
function drained(observation: ClaimObservation, closing: readonly ClaimAction[]): ClaimStep {
  const status = statusActions(observation, [becomes('Drained')])
  // The volumes have not been read yet.
  if (observation.volumeAttachments === undefined) return { actions: [...closing, ...status], reasons: [], wakeAt: observation.now }
  const claim = status.reduce((before, action) => ({ ...before, status: action.status }), observation.claim)
  const after = { ...observation, claim }
  const next = awaitDetachment(after) ?? endMachine(after)
  if (next === undefined) return { actions: [...closing, ...status], reasons: [], wakeAt: observation.now }
  const isWritten = next.actions.some(({ kind }) => kind === 'patchStatus')
  return { ...next, actions: [...closing, ...(isWritten ? [] : status), ...next.actions] }
}

/** When to look at the pods again. If all of them were asked to leave, no look is needed before the node may count as drained. */
function nextLookAt(waiting: readonly Pod[], asked: readonly ClaimAction[], quietAt: EpochMs, now: EpochMs): EpochMs {
  const leaving = new Set(asked.flatMap((action) => (action.kind === 'evictPod' || action.kind === 'deletePod' ? [action.pod] : [])))
  if (!waiting.every((pod) => pod.deletedAt !== undefined || leaving.has(pod))) return later(now, SECOND)
  return quietAt > now ? quietAt : later(now, LEAVING_POLL)
}

/** Events about annotations that cannot be read. They are published once, as the drain begins. */
function reportUnreadable({ claim }: ClaimObservation, waiting: readonly Pod[]): readonly ClaimAction[] {
  return [...reportUnreadableDeadline(claim, 'until it is corrected the drain has no deadline'), ...reportInvalidProtection(waiting)]
}

/** Reports whether pods may have come to the node and the drain is not over. */
export function isToBeDrained(claim: NodeClaim, nodes: readonly Node[]): boolean {
  const isRegistered = isTrue(claim, 'Registered') || nodes.some(({ meta }) => meta.labels[LABEL.registered] === 'true')
  return isRegistered && !isTrue(claim, 'Drained')
}

/** The time from which a node without pods counts as drained. */
export function quietFrom({ claim, now }: Pick<ClaimObservation, 'claim' | 'now'>): EpochMs {
  const isStarted = claim.status.conditions.some((each) => each.type === 'Drained')
  return later(isStarted ? since(claim, 'Drained') : now, MIN_DRAIN)
}

/** Asks Azure to end the machine, and asks once even if there is no machine: its network interface may exist. */
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
  // The token of a registered node is gone already. A token that a slow launch makes later belongs to the claim, and goes with it.
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
