/** Which preferences of running pods count when the pods move. */
import { brokenBy } from '../choice/bind.ts'
import { domainFilters, record } from '../model/neighbours/domainFilters.ts'
import { takesPodsOf } from '../model/nodes/existingNode.ts'
import type { PodClass } from '../model/pods/podClass.ts'
import type { QueueEntry } from '../model/pods/queue.ts'
import type { LeavingPods } from './placedPods.ts'

/**
 * Returns the queue in which pods ask for no preference that they do without where they run. Pods of one class that run on several nodes ask for what any of
 * them has. Undefined if that is the same queue. Called while the pods count where they run.
 */
export function askingForNoMore(queue: readonly QueueEntry[], moving: readonly LeavingPods[]): readonly QueueEntry[] | undefined {
  if (queue.every(({ podClass }) => podClass.relaxedPods.length === 1)) return undefined
  const from = new Map<PodClass, number>()
  for (const each of moving) from.set(each.podClass, Math.min(from.get(each.podClass) ?? each.podClass.relaxedPods.length, metBy(each)))
  const less = queue.map((entry) => ({ ...entry, from: from.get(entry.podClass) ?? 0 }))
  return less.some((entry) => entry.from > 0) ? less : undefined
}

/** The place of the first relaxed pod that the pods meet where they run. 0 if they meet none. */
function metBy({ podClass, host, isRoom }: LeavingPods): number {
  const { relaxedPods } = podClass
  const [first] = relaxedPods
  if (first === undefined || relaxedPods.length === 1 || host === undefined || isRoom === true) return 0
  record(host, podClass, first, -1)
  const met = relaxedPods.findIndex(
    (relaxedPod) => takesPodsOf(host, relaxedPod.constraint) && brokenBy({ host }, domainFilters(podClass, relaxedPod)) === undefined,
  )
  record(host, podClass, first)
  return Math.max(0, met)
}
