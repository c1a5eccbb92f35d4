import { byKey } from '../../base/lists.ts'
import { defined } from '../../base/values.ts'
import type { ClaimAction, ClaimObservation, ClaimStep, ConditionChange } from '../../model/claimStep.ts'
import type { ClusterSnapshot } from '../../model/clusterSnapshot.ts'
import { ANNOTATION, FINALIZER, LABEL } from '../../model/labels.ts'
import type { Node } from '../../model/node.ts'
import { deadlineOf, type NodeClaim, VOLUMES_OVERDUE } from '../../model/nodeClaim.ts'
import type { Pod } from '../../model/pod.ts'
import { formatTimestamp } from '../../model/time.ts'
import { durationMs, type EpochMs, later } from '../../model/units.ts'
import type { VolumeAttachment } from '../../model/workloads.ts'
import { claimKeys, isDrainable } from '../pod/podPredicates.ts'
import {
  becomes,
  conditionOf,
  isTrue,
  nodeEvent,
  reportInvalidProtection,
  reportUnreadableDeadline,
  since,
  statusActions,
  staysOpen,
  subjectOf,
  warning,
} from './claimStatus.ts'
import { beginDrain, closeNode, drainPods, nextDue, waitingPods } from './drain.ts'
import { isReady } from './nodeState.ts'

const SECOND = durationMs(1_000)
/** How often pods that were asked to leave are looked at. They take seconds to minutes. */
export const LEAVING_POLL = durationMs(3_000)
const INSTANCE_POLL = durationMs(2_000)
/** How often a node is looked at that somebody else holds. Its end wakes the claim as well. */
const HELD_POLL = durationMs(15_000)
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

/** The claim stays as long as somebody else holds its node: what counts the nodes of a pool counts the claim. */
function removeObjects({ claim, nodes, now }: ClaimObservation): ClaimStep {
  const ofNodes = nodes.flatMap((node): readonly ClaimAction[] => [
    ...(node.meta.deletedAt === undefined ? [{ kind: 'deleteNode', node } as const] : []),
    ...(node.meta.finalizers.includes(FINALIZER) ? [{ kind: 'removeNodeFinalizer', node } as const] : []),
  ])
  const isRegistered = isTrue(claim, 'Registered')
  const held = isRegistered ? nodes.flatMap(({ name, meta }) => heldBy(name, meta.finalizers)) : []
  if (held.length > 0) {
    const event = { ...warning(claim, 'AwaitingNodeDeletion', held.join('; ')), key: 'AwaitingNodeDeletion' }
    return { actions: [...ofNodes, { kind: 'publish', event }], reasons: [], wakeAt: later(now, HELD_POLL) }
  }
  // The token of a registered node is gone already. A token that a slow launch makes later belongs to the claim, and goes with it.
  const token: readonly ClaimAction[] = isRegistered ? [] : [{ kind: 'deleteBootstrapToken' }]
  return { actions: [...ofNodes, ...token, { kind: 'removeFinalizer' }], reasons: [] }
}

function heldBy(node: string, finalizers: readonly string[]): readonly string[] {
  const others = finalizers.filter((each) => each !== FINALIZER)
  return others.length === 0 ? [] : [`node ${node} has the ${others.length === 1 ? 'finalizer' : 'finalizers'} ${others.join(', ')}`]
}

const ATTACHMENT_POLL = durationMs(1_000)
/**
 * Kubernetes detaches the volumes of a broken node by force after this time. A healthy node without pods is quicker, unless a VolumeAttachment has
 * leaked.
 */
const DETACHMENT_OVERDUE = durationMs(6 * 60_000)
const MOST_NAMED = 3

type VolumeObjects = Pick<ClusterSnapshot['objects'], 'pod' | 'persistentVolumeClaim' | 'volumeAttachment'>

/**
 * The attachments that the end of a machine waits for, by name: a volume that is still attached to a machine cannot be attached to another one.
 * Volumes without a PersistentVolume are left out, and so are volumes of pods that no drain takes away: their volumes stay attached as long as the
 * machine is there.
 */
export function attachmentsToAwait(objects: VolumeObjects, nodes: readonly Node[], now: EpochMs): readonly VolumeAttachment[] {
  const names = new Set(nodes.map(({ name }) => name))
  const attached = objects.volumeAttachment.filter(({ node, volumeName }) => names.has(node) && volumeName !== undefined)
  if (attached.length === 0) return []
  const staying = objects.pod.filter((pod) => pod.nodeName !== undefined && names.has(pod.nodeName) && !isDrainable(pod, now))
  const claims = new Set(staying.flatMap(claimKeys))
  const kept = new Set(objects.persistentVolumeClaim.flatMap(({ key, volumeName }) => (claims.has(key) ? [volumeName] : [])))
  return attached.filter(({ volumeName }) => !kept.has(volumeName)).sort(byKey(({ name }) => name))
}

/** Reports whether the end of the machine may wait for volumes: its node is drained, and VolumesDetached is still open. */
export function isToBeDetached({ claim, nodes }: Pick<ClaimObservation, 'claim' | 'nodes'>): boolean {
  if (nodes.length === 0 || !isTrue(claim, 'Drained') || isTrue(claim, 'InstanceTerminating')) return false
  return (conditionOf(claim, 'VolumesDetached')?.status ?? 'Unknown') === 'Unknown'
}

/**
 * Waits until volumes are detached, and no longer than the claim's deadline. A machine that is gone holds no volume. Without a deadline, a leaked
 * VolumeAttachment keeps the machine until somebody removes it, since ending the machine could lose data. Its node then no longer counts in budgets.
 */
function awaitDetachment(observation: ClaimObservation): ClaimStep | undefined {
  const { claim, nodes, instance, now, volumeAttachments = [] } = observation
  if (volumeAttachments.length === 0 || instance === undefined || isPast(observation)) return undefined
  const isOverdue = isTrue(claim, 'Drained') && now >= later(since(claim, 'Drained'), DETACHMENT_OVERDUE)
  const message = isOverdue ? `${attachedMessage(volumeAttachments)}${DETACHMENT_ADVICE}` : attachedMessage(volumeAttachments)
  const reason = isOverdue ? VOLUMES_OVERDUE : 'AwaitingVolumeDetachment'
  const event = { ...warning(claim, reason, message), key: reason }
  const deadline = deadlineOf(claim)
  return {
    actions: [
      ...statusActions(observation, [staysOpen('VolumesDetached', reason, message)]),
      { kind: 'publish', event },
      ...nodes.map((node) => ({ kind: 'publish', event: nodeEvent(node, event) }) as const),
    ],
    reasons: [],
    wakeAt: later(now, ATTACHMENT_POLL),
    ...(deadline === undefined ? {} : { dueAt: deadline }),
  }
}

/** The change of VolumesDetached that is written when the machine ends. Empty if the condition is written already. */
function detachmentKnown(observation: ClaimObservation): readonly ConditionChange[] {
  if (!isToBeDetached(observation)) return []
  const { volumeAttachments = [], instance } = observation
  if (volumeAttachments.length === 0 || instance === undefined) return [becomes('VolumesDetached')]
  const message = attachedMessage(volumeAttachments)
  return [{ type: 'VolumesDetached', status: 'False', reason: 'TerminationGracePeriodElapsed', message }]
}

/** Names the attached volumes, also for a node without a claim. */
export function attachedMessage(attached: readonly VolumeAttachment[]): string {
  const names = attached.slice(0, MOST_NAMED).map(({ volumeName, name }) => volumeName ?? name)
  const more = attached.length > MOST_NAMED ? ` and ${attached.length - MOST_NAMED} more` : ''
  return `${attached.length === 1 ? 'volume' : 'volumes'} ${names.join(', ')}${more} still attached`
}

const DETACHMENT_ADVICE =
  '; the node has no pods left and no longer counts in the budgets of its NodePool; delete the VolumeAttachment if the volume is not in use'

function isPast({ claim, now }: ClaimObservation): boolean {
  const deadline = deadlineOf(claim)
  return deadline !== undefined && now >= deadline
}
