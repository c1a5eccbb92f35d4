/** What a pod is to a decision: one word each, as Karpenter defines them. No rule about nodes belongs here. */
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

/** The API's picture of a static pod: only its kubelet can end it. */
export function isMirrorPod(pod: Pod): boolean {
  return pod.owner?.kind === 'Node' && pod.owner.apiVersion === 'v1'
}

/** It will need a place elsewhere when its node goes. A stateful pod does even while it ends, since it comes back under its name. */
export function isReschedulable(pod: Pod): boolean {
  const comesBack = isActive(pod) || (!isTerminal(pod) && isStateful(pod))
  return comesBack && !isDaemonPod(pod) && !isMirrorPod(pod)
}

/** The annotation keeps it from being disrupted now: `true`, or a duration from the pod's start. A pod that has not started is kept as well. */
export function isDoNotDisrupt(pod: Pod, now: EpochMs): boolean {
  const value = pod.annotations[ANNOTATION.doNotDisrupt]
  if (value === undefined || !isActive(pod)) return false
  if (value === 'true') return true
  const duration = parseDuration(value)
  if (!duration.ok || duration.value <= 0) return false
  return pod.startedAt === undefined || now < later(pod.startedAt, duration.value)
}

function toleratesDisruption(pod: Pod): boolean {
  return untolerated([DISRUPTED_TAINT], pod.tolerations).length === 0
}

/** A drain takes it away, or it has ended by itself. */
export function isDrainable(pod: Pod, now: EpochMs): boolean {
  const stuck = pod.deletedAt !== undefined && now > pod.deletedAt + STUCK_AFTER_MS
  return !stuck && !isMirrorPod(pod) && !toleratesDisruption(pod)
}

/** A drain has to wait for it. */
export function isWaitingForEviction(pod: Pod, now: EpochMs): boolean {
  return !isTerminal(pod) && isDrainable(pod, now)
}

/** The eviction API may be asked to end it now. */
export function isEvictable(pod: Pod, now: EpochMs): boolean {
  return isActive(pod) && !isMirrorPod(pod) && !toleratesDisruption(pod) && !isDoNotDisrupt(pod, now)
}

export function isCritical(pod: Pod): boolean {
  return pod.priorityClassName === 'system-cluster-critical' || pod.priorityClassName === 'system-node-critical'
}

function isStateful(pod: Pod): boolean {
  return pod.owner?.kind === 'StatefulSet' && pod.owner.apiVersion === 'apps/v1'
}
