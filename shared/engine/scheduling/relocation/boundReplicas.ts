/** Groups running pods by what they would ask for if they had to move. The groups of a machine are kept until the machine changes. */
import { keptOnObjects } from '../../../base/caches.ts'
import { byKey, byText } from '../../../base/lists.ts'
import type { Labels } from '../../../model/labels.ts'
import type { Pod } from '../../../model/pod.ts'
import type { StateNode } from '../../cluster/stateNode.ts'
import { isReschedulable } from '../../pod/podPredicates.ts'
import type { Candidate } from '../model/pods/admission.ts'
import { areReplicas, replicaFinder } from '../model/pods/podReplicas.ts'
import { type EquivalenceClass, type EquivalenceInput, equivalenceFinder } from '../model/pods/queue.ts'

/** Stands for all pods with the same spec, on any machine. `pod` is one of them. */
export type Likeness = { readonly pod: Pod }

/** Pods of one likeness on one machine that need another place when it goes. Never empty. */
export type Share = {
  readonly likeness: Likeness
  readonly pods: readonly Pod[]
  /** The number of these pods that count as running. A pod of a StatefulSet that is being deleted comes back, and no longer counts. */
  readonly counted: number
}

export interface BoundReplicas {
  /** The shares of the machine, in an order that follows from its pods alone. */
  of(machine: StateNode): readonly Share[]
}

/** The most likenesses that are remembered, so that pods that come and go for months do not fill the memory. */
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
  /** The likeness of the last pod with this labels object. Copies of one template share the object. */
  let lastOf = new WeakMap<Labels, Likeness>()
  let known = keptOnObjects<StateNode, readonly Share[]>()

  function likenessOf(pod: Pod): Likeness {
    const last = lastOf.get(pod.labels)
    if (last !== undefined && areReplicas(last.pod, pod)) return last
    const likeness = finder.of(pod)
    lastOf.set(pod.labels, likeness)
    return likeness
  }

  function look({ pods }: StateNode): readonly Share[] {
    const shares = new Map<Likeness, Pod[]>()
    for (const pod of pods) {
      if (!isReschedulable(pod)) continue
      const likeness = likenessOf(pod)
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
        lastOf = new WeakMap()
        known = keptOnObjects()
      }
      const shares = look(machine)
      known.set(machine, shares)
      return shares
    },
  }
}

/**
 * Pods that a plan of moves takes together. Pods of many workloads ask for the same, so that a machine holds a few kinds of pods, and each kind costs
 * one search.
 */
export type AlikePods = {
  readonly alike: readonly EquivalenceClass[]
  /** The place in `alike` of the class of the candidate. Undefined if the candidate is not among them. */
  readonly placeOf: (candidate: Candidate) => number | undefined
}

/**
 * Waiting pods have a class for each candidate, and come first. Running pods are of one class if no rule can tell them apart, nor the priority by
 * which the scheduler orders them. `told`: what tells pods apart.
 */
export function alikePods(
  waiting: readonly Candidate[],
  running: readonly Candidate[],
  told: Pick<EquivalenceInput, 'standing' | 'shared' | 'work'>,
): AlikePods {
  const numberOf = equivalenceFinder([...waiting, ...running], told)
  const together = Map.groupBy(running, (candidate) => `${numberOf(candidate)} ${candidate.pod.priority}`)
  const groups = [...waiting.map((candidate) => [candidate]), ...together.values()]
  const places = new Map(groups.flatMap((own, place) => own.map((candidate) => [candidate, place] as const)))
  return { alike: groups.flatMap(classOf), placeOf: (candidate) => places.get(candidate) }
}

function classOf(own: readonly Candidate[]): readonly EquivalenceClass[] {
  const count = own.reduce((sum, each) => sum + each.count, 0)
  return own.slice(0, 1).map((first) => ({ first, count, pods: first.pods }))
}
