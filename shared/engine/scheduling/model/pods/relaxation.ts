/** Relaxation in Karpenter's order: what a pod gives up, one preference after another, while it finds no place. */
import { canonicalJson } from '../../../../base/json.ts'
import { byText } from '../../../../base/lists.ts'
import { isSame } from '../../../../base/values.ts'
import type { DecisionSettings } from '../../../../model/clusterSnapshot.ts'
import type { NodeSelectorTerm, Pod, PodAffinityTerm, PreferredNodeTerm, TopologySpreadConstraint } from '../../../../model/pod.ts'
import { overlapConflicts } from '../../../../model/requirementConflict.ts'
import {
  intersect,
  intersectAll,
  type Requirement,
  type Requirements,
  requirementsFrom,
  requirementsFromLabels,
} from '../../../../model/requirements.ts'
import { SOFT, type Toleration, toleratesEverySoftTaint } from '../../../../model/taint.ts'

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

/** The most alternatives that are kept, to bound the time of a decision. Volumes that ask only for zones and host names never reach this number. */
const MOST_KEPT = 64
/** The most alternatives that are compared with each other. */
const MOST_COMPARED = 256

/**
 * The alternatives that meet one of the first and one of the second. They are kept few, since each volume of a pod multiplies them. Empty if no two
 * of them can be met together.
 */
export function both(first: readonly Requirements[], second: readonly Requirements[]): readonly Requirements[] {
  const pairs = first.flatMap((one) =>
    second.flatMap((other) => (overlapConflicts(one, other).length > 0 ? [] : [intersectAll(one, other)])),
  )
  return withoutNarrower(pairs).slice(0, MOST_KEPT)
}

/** Drops the alternatives that another alternative covers. */
export function withoutNarrower(alternatives: readonly Requirements[]): readonly Requirements[] {
  if (alternatives.length < 2) return alternatives
  const distinct = [...new Map(alternatives.map((each) => [textOf([...each.values()]), each])).values()].slice(0, MOST_COMPARED)
  return distinct.filter((each) => !distinct.some((other) => other !== each && isWithin(each, other)))
}

/** Joins alternatives that differ only in the values of one label. */
export function merged(alternatives: readonly Requirements[]): readonly Requirements[] {
  if (alternatives.length < 2) return alternatives
  const keys = [...new Set(alternatives.flatMap((each) => [...each.keys()]))].sort(byText)
  return withoutNarrower(keys.reduce(mergedBy, alternatives))
}

function mergedBy(alternatives: readonly Requirements[], key: string): readonly Requirements[] {
  const alike = Map.groupBy(alternatives, (each) => {
    const own = each.get(key)
    const others = [...each.values()].filter((other) => other !== own)
    return `${textOf(others)} ${own === undefined || isNamed(own) ? own === undefined : canonicalJson(own)}`
  })
  return [...alike.values()].flatMap(([first, ...others]) => {
    const own = first?.get(key)
    if (first === undefined || own === undefined || others.length === 0) return first ?? []
    const values = new Set([...own.values, ...others.flatMap((each) => each.get(key)?.values ?? [])])
    return [new Map([...first, [key, { ...own, values: [...values].sort(byText) }]])]
  })
}

/** Reports whether it is a plain list of values. */
function isNamed({ complement, values, minValues }: Requirement): boolean {
  return !complement && values.length > 0 && minValues === undefined
}

function textOf(requirements: readonly Requirement[]): string {
  return canonicalJson([...requirements].sort((one, other) => byText(one.key, other.key)))
}

/** Reports whether every node that meets `one` also meets `other`. */
function isWithin(one: Requirements, other: Requirements): boolean {
  if (other.size > one.size) return false
  for (const [key, wider] of other) {
    const narrower = one.get(key)
    if (narrower === undefined || !isSame(intersect(narrower, wider), narrower)) return false
  }
  return true
}

/**
 * The node labels that a pod requires. Any one of these alternatives must be met: the node selector together with one term of the required node
 * affinity. A term without expressions matches no node. Without any terms, the node selector alone counts.
 */
export function requiredTermsOf(pod: Pick<Pod, 'nodeSelector' | 'requiredNodeTerms'>): readonly Requirements[] {
  const selector = requirementsFromLabels(pod.nodeSelector)
  const terms = pod.requiredNodeTerms
    ?.filter((term) => term.matchExpressions.length > 0)
    .map((term) => intersectAll(selector, requirementsFrom(term.matchExpressions)))
  return terms ?? [selector]
}
