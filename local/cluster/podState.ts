import type { Pod, PodCondition, Stored } from './client/objects.ts'

export function isTerminal(pod: Pod): boolean {
  return pod.status?.phase === 'Succeeded' || pod.status?.phase === 'Failed'
}

export function isTerminating(object: Stored): boolean {
  return object.metadata.deletionTimestamp !== undefined
}

/** Reports whether the pod is neither finished nor being deleted. */
export function isActive(pod: Pod): boolean {
  return !isTerminal(pod) && !isTerminating(pod)
}

export function conditionOf(pod: Pod, type: string): PodCondition | undefined {
  return pod.status?.conditions?.find((condition) => condition.type === type)
}

export function isReady(pod: Pod): boolean {
  return conditionOf(pod, 'Ready')?.status === 'True'
}

/** Reports whether the pod has been ready for at least `minReadySeconds`. */
export function isAvailable(pod: Pod, minReadySeconds: number, now: number): boolean {
  return isReady(pod) && now - readySince(pod) >= minReadySeconds * 1000
}

/**
 * The condition as a strategic merge patch must write it. Such a patch merges a condition with the old one of its type, so a reason or message that the
 * new one does not have must be removed. Otherwise it would stay with another status.
 */
export function wholeCondition<Written extends Pick<PodCondition, 'type' | 'status'>>(condition: Written): object {
  return { reason: null, message: null, ...condition }
}

/** Returns since when the pod has been ready, in epoch milliseconds. Infinite if it is not ready. */
export function readySince(pod: Pod): number {
  const ready = conditionOf(pod, 'Ready')
  if (ready?.status !== 'True') return Number.POSITIVE_INFINITY
  return ready.lastTransitionTime === undefined ? 0 : Date.parse(ready.lastTransitionTime)
}

/** Returns the time as Kubernetes writes it, without a fraction of a second. Default: now. */
export function timestamp(ms: number = Date.now()): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`
}
