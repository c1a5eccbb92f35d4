/**
 * Pods that a plan of moves takes together. Pods of many workloads ask for the same, so that a machine holds a few kinds of pods, and each kind costs one
 * search.
 */
import type { Candidate } from '../model/pods/candidate.ts'
import { type EquivalenceInput, equivalenceFinder } from '../model/pods/equivalenceClasses.ts'
import type { EquivalenceClass } from '../model/pods/queue.ts'

export type AlikePods = {
  readonly alike: readonly EquivalenceClass[]
  /** The place in `alike` of the class of the candidate. Undefined if the candidate is not among them. */
  readonly placeOf: (candidate: Candidate) => number | undefined
}

/**
 * Waiting pods have a class for each candidate, and come first. Running pods are of one class if no rule can tell them apart, nor the priority by which the
 * scheduler orders them. `told`: what tells pods apart.
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
