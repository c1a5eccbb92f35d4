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
import { reached, subjectOf } from './ending.ts'
import { isReady } from './nodeState.ts'
import { tellInvalidProtection, tellUnreadableDeadline } from './unreadable.ts'

const SECOND = durationMs(1_000)
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
  if (waiting.length === 0 && now >= quietAt)
    return { actions: [...closing, ...statusActions(observation, [becomes('Drained')])], reasons: [], wakeAt: now }
  const deadline = deadlineOf(claim)
  const onPods = drainPods(observation, waiting, deadline)
  const isBegun = claim.status.conditions.some((each) => each.type === 'Drained')
  return defined({
    // Once pods are taken, what there is to say depends on how that is answered: `tellDrain` says it.
    actions: [
      ...closing,
      ...(isBegun ? [] : reached(claim, 'Draining', `node ${nodes.map(({ name }) => name).join(', ')} is being drained`, nodes)),
      ...(isBegun ? [] : tellUnreadable(observation, waiting)),
      ...(isBegun && onPods.length > 0 ? [] : beginDrain(observation, waiting)),
      ...onPods,
    ],
    reasons: [],
    wakeAt: waiting.length === 0 ? quietAt : later(now, SECOND),
    dueAt: nextDue(observation, waiting, deadline),
  })
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

function removeObjects({ nodes }: ClaimObservation): ClaimStep {
  return {
    actions: [
      ...nodes.flatMap((node): readonly ClaimAction[] => [
        ...(node.meta.deletedAt === undefined ? [{ kind: 'deleteNode', node } as const] : []),
        ...(node.meta.finalizers.includes(FINALIZER) ? [{ kind: 'removeNodeFinalizer', node } as const] : []),
      ]),
      { kind: 'deleteBootstrapToken' },
      { kind: 'removeFinalizer' },
    ],
    reasons: [],
  }
}
