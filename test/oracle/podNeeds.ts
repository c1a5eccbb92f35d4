/** The node requirements of a pod at one stage of its relaxation. */
import type { Labels } from '../../shared/model/labels.ts'
import type { NodeSelectorTerm, Pod } from '../../shared/model/pod.ts'
import { type Requirements, requirementsFrom, requirementsFromLabels } from '../../shared/model/requirements.ts'
import type { Algebra } from './algebra.ts'
import type { PodVolumes } from './volumes.ts'

export type PodNeeds = {
  /** The pod as relaxed now. */
  readonly pod: Pod
  /** The alternatives of the original pod: kube-scheduler does not know which terms were dropped. */
  readonly anywhere: readonly Requirements[]
  /** The strict requirements with the heaviest preference. */
  readonly full: Requirements
  readonly strict: Requirements
  readonly volumes: PodVolumes
}

export function podNeeds(pod: Pod, volumes: PodVolumes, algebra: Algebra, respectsPreferences: boolean, original = pod): PodNeeds {
  const strict = strictRequirements(pod, algebra)
  return {
    pod,
    anywhere: alternativesOf(original, algebra),
    strict,
    full: respectsPreferences ? withPreference(pod, strict, algebra) : strict,
    volumes,
  }
}

/** The node selector and the first required term. The other terms come up as the pod is relaxed. */
export function strictRequirements(pod: Pod, algebra: Algebra): Requirements {
  const [first] = pod.requiredNodeTerms ?? []
  return algebra.merge(requirementsFromLabels(pod.nodeSelector), termRequirements(first, algebra))
}

function termRequirements(term: NodeSelectorTerm | undefined, algebra: Algebra): Requirements {
  return (term?.matchExpressions ?? []).reduce<Requirements>((all, spec) => algebra.merge(all, requirementsFrom([spec])), new Map())
}

/** The node selector together with each required term. The pod may run where any of them holds. */
export function alternativesOf({ nodeSelector, requiredNodeTerms }: Pod, algebra: Algebra): readonly Requirements[] {
  const selected = requirementsFromLabels(nodeSelector)
  if (requiredNodeTerms === undefined) return [selected]
  return requiredNodeTerms.map((term) => algebra.merge(selected, termRequirements(term, algebra)))
}

export function heaviestFirst<Weighted extends { readonly weight: number }>(list: readonly Weighted[]): readonly Weighted[] {
  return [...list].sort((first, second) => second.weight - first.weight)
}

/** The labels as requirements with one value each. */
export function labelRequirements(labels: Labels): Requirements {
  return requirementsFromLabels(labels)
}

function withPreference(pod: Pod, strict: Requirements, algebra: Algebra): Requirements {
  const [heaviest] = heaviestFirst(pod.preferredNodeTerms)
  return heaviest === undefined ? strict : algebra.merge(strict, termRequirements(heaviest.term, algebra))
}
