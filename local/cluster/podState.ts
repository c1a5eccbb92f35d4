import type { Pod, PodCondition, Stored } from './client/objects.ts'

export function isTerminal(pod: Pod): boolean {
  return pod.status?.phase === 'Succeeded' || pod.status?.phase === 'Failed'
}

export function isTerminating(object: Stored): boolean {
  return object.metadata.deletionTimestamp !== undefined
}

/** Still works or will. */
export function isActive(pod: Pod): boolean {
  return !isTerminal(pod) && !isTerminating(pod)
}

export function conditionOf(pod: Pod, type: string): PodCondition | undefined {
  return pod.status?.conditions?.find((condition) => condition.type === type)
}

export function isReady(pod: Pod): boolean {
  return conditionOf(pod, 'Ready')?.status === 'True'
}

/** Ready for at least `minReadySeconds`. */
export function isAvailable(pod: Pod, minReadySeconds: number, now: number): boolean {
  return isReady(pod) && now - readySince(pod) >= minReadySeconds * 1000
}

/** Since when the pod is ready, in epoch milliseconds; infinite while it is not. */
export function readySince(pod: Pod): number {
  const ready = conditionOf(pod, 'Ready')
  if (ready?.status !== 'True') return Number.POSITIVE_INFINITY
  return ready.lastTransitionTime === undefined ? 0 : Date.parse(ready.lastTransitionTime)
}

/** Now, as Kubernetes writes times: no fraction of a second. */
export function timestamp(ms: number = Date.now()): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`
}
