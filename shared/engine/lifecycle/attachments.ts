/** Volumes that the end of a machine waits for: a volume that is still attached to a machine cannot be attached to another one. */
import { byKey } from '../../base/order.ts'
import type { ClaimObservation, ClaimStep, ConditionChange } from '../../model/claimStep.ts'
import type { ClusterSnapshot } from '../../model/clusterSnapshot.ts'
import type { Node } from '../../model/node.ts'
import { deadlineOf, VOLUMES_OVERDUE } from '../../model/nodeClaim.ts'
import { durationMs, type EpochMs, later } from '../../model/units.ts'
import type { VolumeAttachment } from '../../model/workloads.ts'
import { isDrainable } from '../pod/podPredicates.ts'
import { claimKeys } from '../pod/volumeClaims.ts'
import { becomes, conditionOf, isTrue, since, statusActions, staysOpen } from './claimStatus.ts'
import { nodeEvent, warning } from './ending.ts'

const LOOK_AGAIN = durationMs(1_000)
/** Kubernetes detaches the volumes of a broken node by force after this time. A healthy node without pods is quicker, unless a VolumeAttachment has leaked. */
const OVERDUE = durationMs(6 * 60_000)
const MOST_NAMED = 3

type VolumeObjects = Pick<ClusterSnapshot['objects'], 'pod' | 'persistentVolumeClaim' | 'volumeAttachment'>

/**
 * Attachments of the nodes, by name. Volumes without a PersistentVolume are left out, and so are volumes of pods that no drain takes away: their
 * volumes stay attached as long as the machine is there.
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
export function awaitDetachment(observation: ClaimObservation): ClaimStep | undefined {
  const { claim, nodes, instance, now, volumeAttachments = [] } = observation
  if (volumeAttachments.length === 0 || instance === undefined || isPast(observation)) return undefined
  const isOverdue = isTrue(claim, 'Drained') && now >= later(since(claim, 'Drained'), OVERDUE)
  const message = isOverdue ? `${attachedMessage(volumeAttachments)}${OVERDUE_ADVICE}` : attachedMessage(volumeAttachments)
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
    wakeAt: later(now, LOOK_AGAIN),
    ...(deadline === undefined ? {} : { dueAt: deadline }),
  }
}

/** The change of VolumesDetached that is written when the machine ends. Empty if the condition is written already. */
export function detachmentKnown(observation: ClaimObservation): readonly ConditionChange[] {
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

const OVERDUE_ADVICE =
  '; the node has no pods left and no longer counts in the budgets of its NodePool; delete the VolumeAttachment if the volume is not in use'

function isPast({ claim, now }: ClaimObservation): boolean {
  const deadline = deadlineOf(claim)
  return deadline !== undefined && now >= deadline
}
