/** Puts pods together that no rule can tell apart, and puts all pods into a queue. */

import { canonicalJson } from '../../../../base/json.ts'
import { inOrder, type Order } from '../../../../base/lists.ts'
import { isSameFlat, ownValue } from '../../../../base/values.ts'
import { namespaceOf } from '../../../../model/ids.ts'
import type { Pod } from '../../../../model/pod.ts'
import { type AskedLabels, addAsked, addSelector, addTerm, type GrowingLabels, toldValue } from '../topology/bySelector.ts'
import { type Candidate, isLeaving } from './admission.ts'
import { LEAST_PRIORITY } from './buffers.ts'
import { asksTheSame, askText, byAge, bySize, type PodList, type Reading, requestsText, sortedKeys } from './podReplicas.ts'

export type EquivalenceInput = {
  readonly real: readonly Candidate[]
  /** The pods of buffers, in the order in which room is kept for them. */
  readonly ofBuffers: readonly Candidate[]
  /** True: pods of buffers come after real pods of their size, as in Karpenter. False: they come after all real pods. */
  readonly buffersBySize: boolean
  /** The labels that anti-affinity terms of running pods and of daemons select by. */
  readonly standing: readonly AskedLabels[]
  /** Volume claims that several pods share. */
  readonly shared: ReadonlySet<string>
  readonly work: Reading
}

/**
 * Puts together pods that are alike in everything that placement reads, and queues them. Of their labels, only values that some selector names count.
 * Most candidates are compared with one other candidate: requests and labels tell nearly all different pods apart.
 */
export function equivalenceClasses({ real, ofBuffers, buffersBySize, ...told }: EquivalenceInput): Queue {
  const groupOf = equivalenceFinder([...real, ...ofBuffers], told)
  const grouped = (candidate: Candidate, rank: number): Grouped => ({ candidate, group: groupOf(candidate), rank })
  return queueOf([...real.map((each) => grouped(each, REAL)), ...ofBuffers.map(grouped)], buffersBySize)
}

/** Returns a function that numbers the candidates. Pods that no rule can tell apart have one number. */
export function equivalenceFinder(
  candidates: readonly Candidate[],
  { standing, shared, work }: Pick<EquivalenceInput, 'standing' | 'shared' | 'work'>,
): (candidate: Candidate) => number {
  const asked = askedLabels(candidates, standing)
  const byText = new Map<string, Known[]>()
  let groups = 0
  return (candidate) => {
    const text = textOf(candidate, asked, shared)
    work.characters += text.length
    const bucket = byText.get(text) ?? []
    byText.set(text, bucket)
    const known = bucket.find(({ first }) => isAlike(first, candidate))
    if (known !== undefined) return known.group
    bucket.push({ first: candidate, group: groups })
    return groups++
  }
}

type Known = { readonly first: Candidate; readonly group: number }

/** A text that differs where namespace or labels differ and matter. It also differs for nearly all other pods that are not alike. */
function textOf({ pod, volumes, isPlain }: Candidate, asked: AskedLabels, shared: ReadonlySet<string>): string {
  let text = requestsText(pod)
  // The room of buffers is for pods of any priority.
  if (pod.priority !== 0 && pod.priority !== LEAST_PRIORITY) text += ` priority ${pod.priority}`
  if (asked.size > 0) {
    text += ` ${namespaceOf(pod)}`
    for (const key of sortedKeys(pod.labels)) {
      const values = asked.get(key)
      if (values !== undefined) text += ` ${lengthAndText(key)}${lengthAndText(toldValue(values, ownValue(pod.labels, key)))}`
    }
  }
  if (!isPlain) text += `${askText(pod)}${isLeaving(pod) ? ' leaving' : ''}`
  if (pod.volumes.length === 0) return text
  const attached = [...volumes.attached].map(([driver, claims]) => [driver, claims.length, claims.filter((claim) => shared.has(claim))])
  return text + canonicalJson([attached, volumes.alternatives.map((each) => [...each.values()])])
}

/** The length comes first, so that no text can be taken for another text and something after it. */
function lengthAndText(value: string | null): string {
  return value === null ? '!' : `${value.length}=${value}`
}

function isAlike(first: Candidate, second: Candidate): boolean {
  if (!isSameFlat(first.pod.requests, second.pod.requests)) return false
  return (first.isPlain && second.isPlain) || asksTheSame(first.pod, second.pod)
}

/** The labels that affinity and spread rules select by. If there is any such rule, namespaces tell pods apart as well. */
function askedLabels(candidates: readonly Candidate[], standing: readonly AskedLabels[]): AskedLabels {
  const asked: GrowingLabels = new Map()
  for (const each of standing) addAsked(asked, each)
  // Pods that were read from the log share equal rules as one object.
  const seen = new Set<Pod['topologySpread'] | Pod['podAffinity']>()
  const isNew = (rules: Pod['topologySpread'] | Pod['podAffinity']): boolean => seen.size < seen.add(rules).size
  for (const { pod, isPlain } of candidates) {
    if (isPlain) continue
    if (isNew(pod.topologySpread)) for (const each of pod.topologySpread) addSelector(asked, each.selector, each.matchLabelKeys)
    for (const affinity of [pod.podAffinity, pod.podAntiAffinity]) {
      if (!isNew(affinity)) continue
      for (const term of affinity.required) addTerm(asked, term)
      for (const { term } of affinity.preferred) addTerm(asked, term)
    }
  }
  return asked
}

/** Pods that no rule can tell apart. `first` is the candidate of the first pod. */
export type EquivalenceClass = PodList & { readonly first: Candidate }

/** Pods in the order in which Karpenter would take them. */
export type Queue = {
  /** The equivalence classes, in the order of their first pods. */
  readonly alike: readonly EquivalenceClass[]
  readonly runs: readonly Run[]
}

/** Consecutive pods of one class: the position of the class in `alike`, and the number of pods. */
export type Run = { readonly at: number; count: number }

/** A candidate with the number of its class. `rank`: how many candidates of buffers come before it, or REAL. */
type Grouped = { readonly candidate: Candidate; readonly group: number; readonly rank: number }

/** The rank of candidates that are real pods. */
const REAL = -1

/** Queues the pods. Pods of buffers come after all real pods or, as in Karpenter, after the real pods of their size. */
function queueOf(grouped: readonly Grouped[], buffersBySize: boolean): Queue {
  const order = orderOf(grouped, buffersBySize)
  const stretches = stretchesOf([...grouped].sort(order), order)
  const places = new Map<number, number>()
  const runs: Run[] = []
  for (const { group, count } of stretches.flatMap(turnsOf)) {
    const at = places.get(group) ?? places.size
    places.set(group, at)
    const last = runs.at(-1)
    if (last?.at === at) last.count += count
    else runs.push({ at, count })
  }
  const byGroup = Map.groupBy(stretches.flat(), ({ group }) => group)
  return { alike: [...places.keys()].flatMap((group) => classesOf(byGroup.get(group) ?? [])), runs }
}

/** Ranks order nothing if all candidates are real pods, as in nearly all clusters. */
function orderOf(grouped: readonly Grouped[], buffersBySize: boolean): Order<Grouped> {
  if (grouped.every(({ rank }) => rank === REAL)) return bySizeOfPods
  return buffersBySize ? inOrder(bySizeOfPods, byRank) : inOrder(realFirst, bySizeOfPods, byRank)
}

const bySizeOfPods: Order<Grouped> = (one, other) => bySize(one.candidate.pod, other.candidate.pod)
const byRank: Order<Grouped> = (one, other) => one.rank - other.rank
const realFirst: Order<Grouped> = (one, other) => Math.min(one.rank, 0) - Math.min(other.rank, 0)

/** Splits the list into stretches that are equal in the order. The pods of a stretch take turns by age. */
function stretchesOf(sorted: readonly Grouped[], order: Order<Grouped>): readonly (readonly Grouped[])[] {
  const stretches: Grouped[][] = []
  let first: Grouped | undefined
  for (const each of sorted) {
    if (first !== undefined && order(first, each) === 0) stretches.at(-1)?.push(each)
    else {
      stretches.push([each])
      first = each
    }
  }
  return stretches
}

type Turn = { readonly group: number; readonly count: number }

function turnsOf(stretch: readonly Grouped[]): readonly Turn[] {
  if (stretch.length === 1) return stretch.map(({ candidate, group }) => ({ group, count: candidate.count }))
  const pods = stretch.flatMap(({ candidate, group }) => candidate.pods().map((pod) => ({ pod, group })))
  return pods.sort((one, other) => byAge(one.pod, other.pod)).map(({ group }) => ({ group, count: 1 }))
}

/** Joins the candidates of one class. Pods of real candidates come first, by age, and then the pods of buffers. */
function classesOf(own: readonly Grouped[]): readonly EquivalenceClass[] {
  if (own.length < 2) return own.map(({ candidate }) => ({ first: candidate, count: candidate.count, pods: candidate.pods }))
  const podsOf = (isReal: boolean) => own.flatMap(({ candidate, rank }) => ((rank === REAL) === isReal ? candidate.pods() : []))
  const all = [...podsOf(true).sort(byAge), ...podsOf(false)]
  const first = own.filter(({ candidate }) => candidate.pods()[0] === all[0])
  return first.map(({ candidate }) => ({ first: candidate, count: all.length, pods: () => all }))
}
