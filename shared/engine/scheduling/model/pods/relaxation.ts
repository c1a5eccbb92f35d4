/** What a pod gives up, one thing after another, while it finds no place: Karpenter's order of relaxation. */
import type { DecisionSettings } from '../../../../model/clusterSnapshot.ts'
import type { NodeSelectorTerm, Pod, PodAffinityTerm, PreferredNodeTerm, TopologySpreadConstraint } from '../../../../model/pod.ts'
import { intersectAll, type Requirements, requirementsFrom } from '../../../../model/requirements.ts'
import { SOFT, type Toleration, toleratesEverySoftTaint } from '../../../../model/taint.ts'
import { merged } from './alternatives.ts'
import { requiredTermsOf } from './requiredTerms.ts'

/** A pod's wishes after some steps of giving up. */
export type Wishes = {
  /** Alternatives that the pod demands: its own rules about labels. The scheduler knows nothing of giving one up. */
  readonly required: readonly Requirements[]
  /** Those that are looked at now, each with the heaviest preference left. */
  readonly wanted: readonly Requirements[]
  readonly tolerations: readonly Toleration[]
  readonly spread: readonly TopologySpreadConstraint[]
  readonly affinity: readonly PodAffinityTerm[]
  readonly antiAffinity: readonly PodAffinityTerm[]
  /** How many things were given up before. */
  readonly gaveUp: number
}

export type RelaxationInput = {
  readonly preferencePolicy: DecisionSettings['preferencePolicy']
  /** Some pool has a taint that only asks to be avoided. */
  readonly hasSoftTaints: boolean
  /** Alternatives of the required affinity are tried one after another, instead of all at once. */
  readonly oneTermAtATime: boolean
  /** False: no machine that is there, and none that a pool could make, has such labels. Wishes with it are left out, since they come to nothing. */
  readonly couldMeet: (term: NodeSelectorTerm) => boolean
}

type State = {
  readonly required: readonly Requirements[]
  /** Those of them that have not been given up. */
  readonly alternatives: readonly Requirements[]
  readonly affinity: readonly PodAffinityTerm[]
  readonly antiAffinity: readonly PodAffinityTerm[]
  readonly nodeTerms: readonly PreferredNodeTerm[]
  readonly spread: readonly TopologySpreadConstraint[]
  readonly isSoft: boolean
}

/** First what the pod would like best, last what it cannot do without. */
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

/** The last one takes the place of the one that goes. */
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
