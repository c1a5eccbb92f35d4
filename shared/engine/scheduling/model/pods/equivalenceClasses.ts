/** Puts pods together that no rule can tell apart, and all of them into a queue. */
import { canonicalJson } from '../../../../base/canonicalJson.ts'
import { isSameFlat } from '../../../../base/isSame.ts'
import { namespaceOf } from '../../../../model/ids.ts'
import { addKeys, addKeysOf } from '../topology/askedKeys.ts'
import type { Candidate } from './candidate.ts'
import type { Reading } from './podFinder.ts'
import { asksTheSame, askText, requestsText } from './podLikeness.ts'
import { type Grouped, type Queue, queueOf, REAL } from './queue.ts'

export type EquivalenceInput = {
  readonly real: readonly Candidate[]
  /** Those of pods that are not there yet, in the order in which room is kept for them. */
  readonly ofBuffers: readonly Candidate[]
  /** Buffers come after pods of their size, as Karpenter has it; otherwise after all. */
  readonly buffersBySize: boolean
  /** Labels that the anti-affinity of pods that run, or will run on every machine, asks about. */
  readonly standingKeys: Iterable<string>
  /** Volume claims that many pods share. */
  readonly shared: ReadonlySet<string>
  readonly work: Reading
}

/**
 * Pods alike in everything that placement reads; of their labels, those that some selector asks about. Most candidates are compared with
 * one other: size and labels tell nearly all different ones apart.
 */
export function equivalenceClasses({ real, ofBuffers, buffersBySize, standingKeys, shared, work }: EquivalenceInput): Queue {
  const asked = selectorKeys([...real, ...ofBuffers], standingKeys)
  const byText = new Map<string, Known[]>()
  let groups = 0
  const groupOf = (candidate: Candidate): number => {
    const text = textOf(candidate, asked, shared)
    work.characters += text.length
    const bucket = byText.get(text) ?? []
    byText.set(text, bucket)
    const known = bucket.find(({ first }) => isAlike(first, candidate))
    if (known !== undefined) return known.group
    bucket.push({ first: candidate, group: groups })
    return groups++
  }
  const grouped = (candidate: Candidate, rank: number): Grouped => ({ candidate, group: groupOf(candidate), rank })
  return queueOf([...real.map((each) => grouped(each, REAL)), ...ofBuffers.map(grouped)], buffersBySize)
}

type Known = { readonly first: Candidate; readonly group: number }

/** Tells all pods apart that differ in namespace or labels where these matter, and nearly all others that are not alike. */
function textOf({ pod, volumes, isPlain }: Candidate, asked: ReadonlySet<string>, shared: ReadonlySet<string>): string {
  let text = requestsText(pod)
  if (asked.size > 0) {
    const own = Object.keys(pod.labels).filter((key) => asked.has(key))
    text += ` ${namespaceOf(pod)} ${own.length === 0 ? '' : JSON.stringify(own.sort().map((key) => [key, pod.labels[key]]))}`
  }
  if (!isPlain) text += askText(pod)
  if (pod.volumes.length === 0) return text
  const attached = [...volumes.attached].map(([driver, claims]) => [driver, claims.length, claims.filter((claim) => shared.has(claim))])
  return text + canonicalJson([attached, volumes.alternatives.map((each) => [...each.values()])])
}

function isAlike(first: Candidate, second: Candidate): boolean {
  if (!isSameFlat(first.pod.requests, second.pod.requests)) return false
  return (first.isPlain && second.isPlain) || asksTheSame(first.pod, second.pod)
}

/** Labels that rules about neighbours ask about; when there are such rules, namespaces tell pods apart as well. */
function selectorKeys(candidates: readonly Candidate[], standingKeys: Iterable<string>): ReadonlySet<string> {
  const keys = new Set(standingKeys)
  for (const { pod, isPlain } of candidates) {
    if (isPlain) continue
    for (const each of pod.topologySpread) addKeys(keys, each.selector, each.matchLabelKeys)
    for (const affinity of [pod.podAffinity, pod.podAntiAffinity]) {
      for (const term of affinity.required) addKeysOf(keys, term)
      for (const { term } of affinity.preferred) addKeysOf(keys, term)
    }
  }
  return keys
}
