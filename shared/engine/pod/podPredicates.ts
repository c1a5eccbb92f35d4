/** Predicates of pods, as Karpenter defines them. Rules about nodes do not belong here. */
import { parseDuration } from '../../model/duration.ts'
import { ANNOTATION, TAINT_KEY } from '../../model/labels.ts'
import type { Pod } from '../../model/pod.ts'
import { type Taint, untolerated } from '../../model/taint.ts'
import { type EpochMs, later } from '../../model/units.ts'

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
