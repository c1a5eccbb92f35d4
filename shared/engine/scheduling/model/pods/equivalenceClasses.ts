/** Puts pods together that no rule can tell apart, and puts all pods into a queue. */

import { canonicalJson } from '../../../../base/json.ts'
import { isSameFlat, ownValue } from '../../../../base/values.ts'
import { namespaceOf } from '../../../../model/ids.ts'
import type { Pod } from '../../../../model/pod.ts'
import { type AskedLabels, addAsked, addSelector, addTerm, type GrowingLabels, toldValue } from '../topology/bySelector.ts'
import { LEAST_PRIORITY } from './buffers.ts'
import { type Candidate, isLeaving } from './candidate.ts'
import { asksTheSame, askText, type Reading, requestsText, sortedKeys } from './podReplicas.ts'
import { type Grouped, type Queue, queueOf, REAL } from './queue.ts'

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
