/** Predicates of pods, as Karpenter defines them. Rules about nodes do not belong here. */
import { largestOf } from '../../base/lists.ts'
import { namespaceOf, objectKey } from '../../model/ids.ts'
import { ANNOTATION, TAINT_KEY } from '../../model/labels.ts'
import type { Pod } from '../../model/pod.ts'
import { type Taint, untolerated } from '../../model/taint.ts'
import { parseDuration } from '../../model/time.ts'
import { durationMs, type EpochMs, epochMs, later } from '../../model/units.ts'

export const DISRUPTED_TAINT: Taint = { key: TAINT_KEY.disrupted, effect: 'NoSchedule' }

const STUCK_AFTER_MS = 60_000

export function isTerminal(pod: Pod): boolean {
  return pod.phase === 'Succeeded' || pod.phase === 'Failed'
}

export function isActive(pod: Pod): boolean {
  return !isTerminal(pod) && pod.deletedAt === undefined
}

export function isDaemonPod(pod: Pod): boolean {
  return pod.owner?.kind === 'DaemonSet' && pod.owner.apiVersion === 'apps/v1'
}

/** Reports whether the pod mirrors a static pod in the API. Only its kubelet can end it. */
export function isMirrorPod(pod: Pod): boolean {
  return pod.owner?.kind === 'Node' && pod.owner.apiVersion === 'v1'
}

/**
 * Reports whether the pod will need another place when its node goes. A pod of a StatefulSet does even while it ends: it comes back under its name.
 */
export function isReschedulable(pod: Pod): boolean {
  const comesBack = isActive(pod) || (!isTerminal(pod) && isStateful(pod))
  return comesBack && !isDaemonPod(pod) && !isMirrorPod(pod)
}

/**
 * Reports whether its annotation protects the pod now: `true`, or a duration from the pod's start. A pod that has not started is protected as well.
 */
export function isDoNotDisrupt(pod: Pod, now: EpochMs): boolean {
  const until = doNotDisruptUntil(pod)
  return until === 'unknown' || (until !== undefined && now < until)
}

/** When its annotation ceases to protect the pod. `unknown`: not by time alone. Undefined if the annotation does not protect the pod at all. */
export function doNotDisruptUntil(pod: Pod): EpochMs | 'unknown' | undefined {
  const value = pod.annotations[ANNOTATION.doNotDisrupt]
  if (value === undefined || !isActive(pod)) return undefined
  if (value === 'true') return 'unknown'
  const duration = parseDuration(value)
  if (!duration.ok || duration.value <= 0) return undefined
  return pod.startedAt === undefined ? 'unknown' : later(pod.startedAt, duration.value)
}

function toleratesDisruption(pod: Pod): boolean {
  return untolerated([DISRUPTED_TAINT], pod.tolerations).length === 0
}

/** Reports whether a drain takes the pod away, or the pod has ended by itself. */
export function isDrainable(pod: Pod, now: EpochMs): boolean {
  const stuck = pod.deletedAt !== undefined && now > pod.deletedAt + STUCK_AFTER_MS
  return !stuck && !isMirrorPod(pod) && !toleratesDisruption(pod)
}

/** Reports whether a drain has to wait for the pod. */
export function isWaitingForEviction(pod: Pod, now: EpochMs): boolean {
  return !isTerminal(pod) && isDrainable(pod, now)
}

/** Reports whether the eviction API may be asked to end the pod now. */
export function isEvictable(pod: Pod, now: EpochMs): boolean {
  return isActive(pod) && !isMirrorPod(pod) && !toleratesDisruption(pod) && !isDoNotDisrupt(pod, now)
}

export function isCritical(pod: Pod): boolean {
  return pod.priorityClassName === 'system-cluster-critical' || pod.priorityClassName === 'system-node-critical'
}

function isStateful(pod: Pod): boolean {
  return pod.owner?.kind === 'StatefulSet' && pod.owner.apiVersion === 'apps/v1'
}

/** kube-scheduler waits ten minutes for the volumes of a pod (`bindTimeoutSeconds`), and gives up then. */
const NOMINATION_HOLDS = durationMs(10 * 60_000)

/** Reports whether a pod with a nominated node is to be bound there. `pods`: the pods of the node. */
export function holdsNomination(pod: Pod, pods: readonly Pod[], now: EpochMs): boolean {
  return isActive(pod) && now < nominationEnds(pod, pods)
}

/** Counts from the time at which the nomination was written, and from the time at which the last preempted pod is due to end. */
function nominationEnds({ nominatedAt, unschedulableSince, createdAt }: Pod, pods: readonly Pod[]): EpochMs {
  const ends = pods.flatMap((pod) => pod.deletedAt ?? [])
  return later(epochMs(largestOf([nominatedAt ?? unschedulableSince ?? createdAt, ...ends])), NOMINATION_HOLDS)
}

/** Reports whether a pod that counts on a node is not bound there yet: kube-scheduler has nominated it for the node. */
export function isAwaited({ nominatedNodeName, nodeName, scheduledAt }: Pod): boolean {
  return nominatedNodeName !== undefined && nominatedNodeName === nodeName && scheduledAt === undefined
}

const NONE: readonly string[] = []

/** Keys of the volume claims that the pod mounts, each once. */
export function claimKeys(pod: Pod): readonly string[] {
  if (pod.volumes.length === 0) return NONE
  const names = new Set(pod.volumes.flatMap((volume) => ('claimName' in volume ? [volume.claimName] : [])))
  return [...names].map((name) => objectKey(namespaceOf(pod), name))
}
