/** Sorts pods into classes and works out, once a class, which rules about neighbours concern it. */
import { canonicalJson } from '../../../base/canonicalJson.ts'
import { isSame } from '../../../base/isSame.ts'
import { createKeyTree } from '../../../base/keyTree.ts'
import { namespaceOf, type ObjectKey } from '../../../model/ids.ts'
import type { LabelSelector, Pod, PodAffinityTerm } from '../../../model/pod.ts'
import type { Amounts, Axes } from '../amounts.ts'
import { asLabelled, type Group, type Groups, type Labelled, meantBy } from '../topology/group.ts'
import type { Candidate } from './candidate.ts'
import type { Constraints } from './constraint.ts'
import type { PodClass, Variant } from './podClass.ts'
import { asksTheSame, type PodForm, podForms } from './podForms.ts'
import { type RelaxationInput, type Wishes, wishesOf } from './relaxation.ts'

export type AlikeInput = {
  readonly candidates: readonly Candidate[]
  /** Labels that the anti-affinity of pods that run, or will run on every machine, asks about. */
  readonly standingKeys: Iterable<string>
  /** Volume claims that many pods share. */
  readonly shared: ReadonlySet<string>
}

export type ClassInput = {
  readonly shared: ReadonlySet<string>
  readonly axes: Axes
  readonly groups: Groups
  readonly relaxation: RelaxationInput
  /** Of several affinity terms each is looked at alone, as Karpenter does. */
  readonly looksAtTermsAlone: boolean
  readonly constraints: Constraints
  /** DaemonSets that a pod must not share a machine with. */
  readonly apartFrom: (pod: Pod) => readonly ObjectKey[]
}

/** Candidates that no rule can tell apart; never empty. */
export type Alike = [Candidate, ...Candidate[]]

/** The first of them, as rules about neighbours see it. */
export function labelledOf([{ pod }]: Alike): Labelled {
  return asLabelled(pod)
}

/** Classes in the order of their first pods. */
export function podClasses(drafts: readonly Alike[], input: ClassInput): readonly PodClass[] {
  const formOf = podForms((first): Form => ({ first, variants: variantsOf(first, input), counted: undefined }))
  const withForms = drafts.map((candidates) => ({ candidates, form: formOf(candidates[0]) }))
  // Only now are all groups known.
  const meant = meantBy(input.groups)
  const amountsOf = amountsMaker(input.axes)
  let variants = 0
  return withForms.map(({ candidates, form }, id) => {
    const firstId = variants
    variants += form.variants.length
    return classOf(id, candidates, { form, firstId, counted: countedIn(form, meant), amounts: amountsOf(candidates[0]) }, input)
  })
}

/** What pods share that differ in size alone. */
type Form = PodForm & { readonly variants: readonly Omit<Variant, 'id'>[]; counted: readonly Group[] | undefined }

function countedIn(form: Form, meant: ReturnType<typeof meantBy>): readonly Group[] {
  form.counted ??= meant(asLabelled(form.first.pod))
  return form.counted
}

/** Equal amounts are one: what is worked out for pods of one size counts for all of them. */
function amountsMaker(axes: Axes): (candidate: Candidate) => Amounts {
  const known = new Map<string, Amounts>()
  return ({ pod, volumes }) => {
    const amounts = axes.amountsOf(pod.requests, volumes.attached)
    const text = amounts.join(' ')
    const same = known.get(text) ?? amounts
    known.set(text, same)
    return same
  }
}

type Shared = { readonly form: Form; readonly firstId: number; readonly counted: readonly Group[]; readonly amounts: Amounts }

function classOf(
  id: number,
  candidates: Alike,
  { form, firstId, counted, amounts }: Shared,
  { axes, shared }: Pick<ClassInput, 'axes' | 'shared'>,
): PodClass {
  const [{ pod, volumes }] = candidates
  return {
    ...asLabelled(pod),
    id,
    pods: candidates.map((each) => each.pod),
    requests: pod.requests,
    amounts,
    shared: [...volumes.attached].flatMap(([driver, claims]) => {
      const axis = axes.names.length + axes.drivers.indexOf(driver)
      return claims.filter((claim) => shared.has(claim)).map((claim) => ({ claim, axis }))
    }),
    hostPorts: pod.hostPorts,
    variants: form.variants.map((each, index) => ({ ...each, id: firstId + index })),
    counted,
    repelledBy: counted.filter((group) => group.kind === 'antiAffinity'),
  }
}

/** Candidates in a row that are alike: the place of their group, and how many. */
export type Run = { readonly at: number; count: number }

/**
 * Pods alike in everything that placement reads; of their labels, those that some selector asks about. Most pods are compared with one
 * other: size and labels tell nearly all different ones apart.
 */
export function groupAlike({ candidates, standingKeys, shared }: AlikeInput): {
  readonly alike: readonly Alike[]
  readonly runs: readonly Run[]
} {
  const alike: Alike[] = []
  const runs: Run[] = []
  const tree = createKeyTree<number[]>(() => [])
  const asked = [...selectorKeys(candidates, standingKeys)]
  const sameAs = (candidate: Candidate) => (at: number) => {
    const first = alike[at]?.[0]
    return first !== undefined && isAlike(first, candidate)
  }
  for (const candidate of candidates) {
    const bucket = tree.at(keysOf(candidate, asked, shared))
    const known = bucket.find(sameAs(candidate))
    const at = known ?? alike.length
    if (known === undefined) {
      bucket.push(at)
      alike.push([candidate])
    } else alike[at]?.push(candidate)
    const last = runs.at(-1)
    if (last?.at === at) last.count++
    else runs.push({ at, count: 1 })
  }
  return { alike, runs }
}

/** What tells nearly all pods apart that are not alike. */
function keysOf({ pod, volumes }: Candidate, asked: readonly string[], shared: ReadonlySet<string>): readonly unknown[] {
  const { requests, labels } = pod
  const keys: unknown[] = [requests['cpu'], requests['memory']]
  if (asked.length > 0) keys.push(namespaceOf(pod))
  for (const key of asked) keys.push(labels[key])
  if (pod.volumes.length === 0) return keys
  const attached = [...volumes.attached].map(([driver, claims]) => [driver, claims.length, claims.filter((claim) => shared.has(claim))])
  keys.push(canonicalJson([attached, volumes.alternatives.map((each) => [...each.values()])]))
  return keys
}

function isAlike(first: Candidate, second: Candidate): boolean {
  if (!isSame(first.pod.requests, second.pod.requests)) return false
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

/** Adds the labels that the term asks about. */
export function addKeysOf(keys: Set<string>, { selector, matchLabelKeys, mismatchLabelKeys }: PodAffinityTerm): void {
  addKeys(keys, selector, matchLabelKeys)
  addKeys(keys, selector, mismatchLabelKeys)
}

function addKeys(keys: Set<string>, selector: LabelSelector | undefined, more: readonly string[]): void {
  for (const key of more) keys.add(key)
  if (selector === undefined) return
  for (const key in selector.matchLabels) keys.add(key)
  for (const each of selector.matchExpressions) keys.add(each.key)
  // An empty selector asks about no label, and still tells namespaces apart.
  keys.add('')
}

function variantsOf({ pod, volumes }: Candidate, input: ClassInput): readonly Omit<Variant, 'id'>[] {
  const { groups, constraints, relaxation } = input
  const apartFrom = input.apartFrom(pod)
  return wishesOf(pod, relaxation).map((wishes: Wishes): Omit<Variant, 'id'> => {
    const { required, wanted, tolerations } = wishes
    const together = input.looksAtTermsAlone ? [] : pod.podAffinity.required
    const antiAffinity = wishes.antiAffinity.map((term) => groups.ofTerm('antiAffinity', term, pod))
    return {
      constraint: constraints.of({ tolerations, wanted, volumes, hostPorts: pod.hostPorts, apartFrom }),
      required,
      spread: wishes.spread.map((each) => groups.ofSpread(each, pod, { required, tolerations })),
      affinity: wishes.affinity.map((term, at) => groups.ofTerm('affinity', term, pod, at < together.length ? without(together, at) : [])),
      antiAffinity,
      owned: antiAffinity.slice(0, pod.podAntiAffinity.required.length),
    }
  })
}

function without<Value>(list: readonly Value[], at: number): readonly Value[] {
  return list.filter((_, index) => index !== at)
}
