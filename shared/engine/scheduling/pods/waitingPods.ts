import type { Uid } from '../../../model/ids.ts'
import type { Pod } from '../../../model/pod.ts'
import { createSortedList } from '../state/sortedList.ts'
import { byQueueOrder, isFree } from './podsToPlace.ts'

/** Pods without a place that a new node could help. */
export interface WaitingPods {
  add(pod: Pod): void
  remove(pod: Pod): void
  /** Those that are to be planned, in the order they are looked at. Valid until the next change. */
  values(): readonly Pod[]
}

/** Pods of one owner that wait: how many the scheduler refused, and those it has not come to. */
type Siblings = { refused: number; readonly unseen: Set<Pod> }

/**
 * The scheduler gave up on them, or on a pod of the same owner. It refuses pods one after another, some ten to a hundred a second: of a
 * workload with a thousand replicas the last one hears of it long after the first, and all of them deserve one plan. A pod that would fit on
 * a node that is there is planned onto that node, so nothing is bought for one the scheduler would have placed.
 */
export function createWaitingPods(): WaitingPods {
  const waiting = createSortedList<Pod>(byQueueOrder)
  const byOwner = new Map<Uid, Siblings>()

  function siblingsOf({ owner }: Pod): Siblings {
    if (owner === undefined) return { refused: 0, unseen: new Set() }
    const known = byOwner.get(owner.uid) ?? { refused: 0, unseen: new Set() }
    byOwner.set(owner.uid, known)
    return known
  }

  function tidy({ owner }: Pod, { refused, unseen }: Siblings): void {
    if (owner !== undefined && refused === 0 && unseen.size === 0) byOwner.delete(owner.uid)
  }

  return {
    values: waiting.values,
    add(pod) {
      if (!isFree(pod)) return
      const siblings = siblingsOf(pod)
      if (pod.unschedulableSince !== undefined) {
        waiting.add(pod)
        if (siblings.refused++ === 0) for (const other of siblings.unseen) waiting.add(other)
      } else if (pod.owner !== undefined) {
        siblings.unseen.add(pod)
        if (siblings.refused > 0) waiting.add(pod)
      }
    },
    remove(pod) {
      if (!isFree(pod)) return
      const siblings = siblingsOf(pod)
      if (pod.unschedulableSince !== undefined) {
        waiting.remove(pod)
        if (--siblings.refused === 0) for (const other of siblings.unseen) waiting.remove(other)
      } else if (siblings.unseen.delete(pod) && siblings.refused > 0) waiting.remove(pod)
      tidy(pod, siblings)
    },
  }
}
