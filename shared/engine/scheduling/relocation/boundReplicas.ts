/** Pods that run, as the classes they would be if they had to move. What is known of a machine is kept until the machine changes. */
import { byKey, byText } from '../../../base/order.ts'
import type { Pod } from '../../../model/pod.ts'
import type { StateNode } from '../../cluster/stateNode.ts'
import { isReschedulable } from '../../pod/podPredicates.ts'
import { replicaFinder } from '../model/pods/podReplicas.ts'

/** Speaks for pods that say the same, on whichever machine they are. */
export type Likeness = { readonly pod: Pod }

/** Pods of one likeness on one machine that need another place when it goes. Never empty. */
export type Share = {
  readonly likeness: Likeness
  readonly pods: readonly Pod[]
  /** Those of them that count as running: a pod of a StatefulSet that ends comes back, and counts no more. */
  readonly counted: number
}

export interface BoundReplicas {
  /** In an order that follows from the pods alone. */
  of(machine: StateNode): readonly Share[]
}

/** Likenesses that are remembered: pods that come and go for months must not fill the memory. */
const MOST_REMEMBERED = 50_000

export function createBoundReplicas(): BoundReplicas {
  let made = 0
  const newFinder = () =>
    replicaFinder(
      (pod): Likeness => {
        made++
        return { pod }
      },
      { characters: 0 },
    )
  let finder = newFinder()
  let known = new WeakMap<StateNode, readonly Share[]>()

  function look({ pods }: StateNode): readonly Share[] {
    const shares = new Map<Likeness, Pod[]>()
    for (const pod of pods) {
      if (!isReschedulable(pod)) continue
      const likeness = finder.of(pod)
      const own = shares.get(likeness)
      if (own === undefined) shares.set(likeness, [pod])
      else own.push(pod)
    }
    return [...shares]
      .map(([likeness, own]) => ({
        likeness,
        pods: own.sort(byKey(({ uid }) => uid)),
        counted: own.filter(({ deletedAt }) => deletedAt === undefined).length,
      }))
      .sort((first, second) => byText(first.pods[0]?.uid ?? '', second.pods[0]?.uid ?? ''))
  }

  return {
    of(machine) {
      const same = known.get(machine)
      if (same !== undefined) return same
      if (made > MOST_REMEMBERED) {
        made = 0
        finder = newFinder()
        known = new WeakMap()
      }
      const shares = look(machine)
      known.set(machine, shares)
      return shares
    },
  }
}
