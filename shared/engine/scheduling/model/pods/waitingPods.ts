import type { Uid } from '../../../../model/ids.ts'
import type { Pod } from '../../../../model/pod.ts'
import { createSortedList, type SortedList } from '../../snapshot/sortedList.ts'
import type { Reading } from './podFinder.ts'
import { type PodReplicas, replicaFinder } from './podReplicas.ts'
import { isFree } from './podsToPlace.ts'
import { byAge } from './queueOrder.ts'

/** Pods without a place that a new node could help. */
export interface WaitingPods {
  add(pod: Pod): void
  remove(pod: Pod): void
  /** Those that are to be planned. Valid until the next change. */
  values(): readonly PodReplicas[]
  /** What has been read so far to find pods that say the same. */
  readonly read: Readonly<Reading>
}

/** Pods of one owner that wait: how many the scheduler refused, and those it has not come to. */
type Siblings = { refused: number; readonly unseen: Set<Pod> }

/** Replicas that are free: `count` of them, of whom those in the list are to be planned. */
type FreeReplicas = { readonly pod: Pod; readonly list: SortedList<Pod>; readonly siblings: Siblings; count: number }

/**
 * The scheduler gave up on them, or on a pod of the same owner. It refuses pods one after another, some ten to a hundred a second: of a
 * workload with a thousand replicas the last one hears of it long after the first, and all of them deserve one plan. A pod that would fit on
 * a node that is there is planned onto that node, so nothing is bought for one the scheduler would have placed.
 */
export function createWaitingPods(): WaitingPods {
  const all = new Set<FreeReplicas>()
  const byOwner = new Map<Uid, Siblings>()
  const read: Reading = { characters: 0 }
  const replicas = replicaFinder((pod): FreeReplicas => {
    const made = { pod, list: createSortedList(byAge), siblings: siblingsOf(pod), count: 0 }
    all.add(made)
    return made
  }, read)

  function siblingsOf({ owner }: Pod): Siblings {
    const known = owner === undefined ? undefined : byOwner.get(owner.uid)
    const siblings = known ?? { refused: 0, unseen: new Set() }
    if (owner !== undefined) byOwner.set(owner.uid, siblings)
    return siblings
  }

  function tidy(own: FreeReplicas): void {
    const { owner } = own.pod
    if (own.count > 0) return
    all.delete(own)
    replicas.forget(own)
    if (owner !== undefined && own.siblings.refused === 0 && own.siblings.unseen.size === 0) byOwner.delete(owner.uid)
  }

  return {
    read,
    values: () => [...all].filter(({ list }) => list.size() > 0).map(({ pod, list }) => ({ pod, count: list.size(), pods: list.values })),
    add(pod) {
      if (!isFree(pod)) return
      const own = replicas.of(pod)
      const { siblings, list } = own
      own.count++
      if (pod.unschedulableSince !== undefined) {
        list.add(pod)
        if (siblings.refused++ === 0) for (const other of siblings.unseen) replicas.of(other).list.add(other)
      } else if (pod.owner !== undefined) {
        siblings.unseen.add(pod)
        if (siblings.refused > 0) list.add(pod)
      }
    },
    remove(pod) {
      if (!isFree(pod)) return
      const own = replicas.of(pod)
      const { siblings, list } = own
      own.count--
      if (pod.unschedulableSince !== undefined) {
        list.remove(pod)
        if (--siblings.refused === 0) for (const other of siblings.unseen) replicas.of(other).list.remove(other)
      } else if (siblings.unseen.delete(pod) && siblings.refused > 0) list.remove(pod)
      tidy(own)
    },
  }
}
