/** Relaxation in Karpenter's order: what a pod gives up, one preference after another, while it finds no place. */
import type { DecisionSettings } from '../../../../model/clusterSnapshot.ts'
import type { NodeSelectorTerm, Pod, PodAffinityTerm, PreferredNodeTerm, TopologySpreadConstraint } from '../../../../model/pod.ts'
import { intersectAll, type Requirements, requirementsFrom } from '../../../../model/requirements.ts'
import { SOFT, type Toleration, toleratesEverySoftTaint } from '../../../../model/taint.ts'
import { merged } from './alternatives.ts'
import { requiredTermsOf } from './requiredTerms.ts'

/** What a pod asks for after some steps of relaxation. */
export type Wishes = {
  /** The alternatives that the pod requires of node labels. The scheduler never gives one up. */
  readonly required: readonly Requirements[]
  /** The alternatives that are tried now, each with the heaviest preference that is left. */
  readonly wanted: readonly Requirements[]
  readonly tolerations: readonly Toleration[]
  readonly spread: readonly TopologySpreadConstraint[]
  readonly affinity: readonly PodAffinityTerm[]
  readonly antiAffinity: readonly PodAffinityTerm[]
  /** The number of steps before. */
  readonly gaveUp: number
}

export type RelaxationInput = {
  readonly preferencePolicy: DecisionSettings['preferencePolicy']
  /** True if some node or pool has a taint with the effect PreferNoSchedule. */
  readonly hasSoftTaints: boolean
  /** True: alternatives of the required node affinity are tried one after another. False: they are tried all at once. */
  readonly oneTermAtATime: boolean
  /**
   * False if no existing machine, and none that a pool could make, has such labels. Steps that ask for them are left out, since they never succeed.
   */
  readonly couldMeet: (term: NodeSelectorTerm) => boolean
}

type State = {
  readonly required: readonly Requirements[]
  /** The required alternatives that are not given up yet. */
  readonly alternatives: readonly Requirements[]
  readonly affinity: readonly PodAffinityTerm[]
  readonly antiAffinity: readonly PodAffinityTerm[]
  readonly nodeTerms: readonly PreferredNodeTerm[]
  readonly spread: readonly TopologySpreadConstraint[]
  readonly isSoft: boolean
}

/** All steps of relaxation. The first asks for all preferences, the last for requirements only. */
export function wishesOf(pod: Pod, input: RelaxationInput): readonly Wishes[] {
  const chain: Wishes[] = []
  let gaveUp = 0
  for (let state: State | undefined = startOf(pod, input); state !== undefined; state = relaxed(state, pod, input)) {
    const [heaviest] = state.nodeTerms
    if (heaviest === undefined || input.couldMeet(heaviest.term)) chain.push(wishesIn(state, pod, input, gaveUp))
    gaveUp++
  }
  return chain
}

function startOf(pod: Pod, { preferencePolicy, oneTermAtATime }: RelaxationInput): State {
  const respects = preferencePolicy === 'Respect'
  const required = oneTermAtATime ? requiredTermsOf(pod) : merged(requiredTermsOf(pod))
  return {
    required,
    alternatives: required,
    affinity: respects ? byWeight(pod.podAffinity.preferred) : [],
    antiAffinity: respects ? byWeight(pod.podAntiAffinity.preferred) : [],
    nodeTerms: respects ? [...pod.preferredNodeTerms].sort((first, second) => second.weight - first.weight) : [],
    spread: respects ? pod.topologySpread : pod.topologySpread.filter((each) => each.whenUnsatisfiable === 'DoNotSchedule'),
    isSoft: false,
  }
}

function byWeight(preferred: Pod['podAffinity']['preferred']): readonly PodAffinityTerm[] {
  return [...preferred].sort((first, second) => second.weight - first.weight).map(({ term }) => term)
}

function relaxed(state: State, pod: Pod, { oneTermAtATime, hasSoftTaints }: RelaxationInput): State | undefined {
  if (oneTermAtATime && state.alternatives.length > 1) return { ...state, alternatives: state.alternatives.slice(1) }
  if (state.affinity.length > 0) return { ...state, affinity: state.affinity.slice(1) }
  if (state.antiAffinity.length > 0) return { ...state, antiAffinity: state.antiAffinity.slice(1) }
  if (state.nodeTerms.length > 0) return { ...state, nodeTerms: state.nodeTerms.slice(1) }
  const soft = state.spread.findIndex((each) => each.whenUnsatisfiable === 'ScheduleAnyway')
  if (soft >= 0) return { ...state, spread: withoutSwapped(state.spread, soft) }
  const gains = hasSoftTaints && !state.isSoft && !pod.tolerations.some(toleratesEverySoftTaint)
  return gains ? { ...state, isSoft: true } : undefined
}

/** Removes a member. The last member takes its place. */
function withoutSwapped<Value>(list: readonly Value[], at: number): readonly Value[] {
  const last = list.length - 1
  return list.flatMap((each, index) => (index === last ? [] : index === at ? list.slice(last) : [each]))
}

function wishesIn(state: State, pod: Pod, input: RelaxationInput, gaveUp: number): Wishes {
  const { required, alternatives, affinity, antiAffinity, nodeTerms, spread, isSoft } = state
  const [heaviest] = nodeTerms
  const terms = input.oneTermAtATime ? alternatives.slice(0, 1) : alternatives
  const wanted = heaviest === undefined ? terms : terms.map((own) => intersectAll(own, requirementsFrom(heaviest.term.matchExpressions)))
  return {
    required,
    wanted,
    tolerations: isSoft ? [...pod.tolerations, SOFT] : pod.tolerations,
    spread,
    affinity: [...pod.podAffinity.required, ...affinity],
    antiAffinity: [...pod.podAntiAffinity.required, ...antiAffinity],
    gaveUp,
  }
}
