/** A spread, affinity or anti-affinity rule that many pods share, with the counts of its pods by domain. */

import { canonicalJson } from '../../../../base/json.ts'
import { ownValue } from '../../../../base/values.ts'
import { namespaceOf } from '../../../../model/ids.ts'
import { selects } from '../../../../model/labelSelector.ts'
import { LABEL, type Labels } from '../../../../model/labels.ts'
import type { LabelSelector, Pod, PodAffinityTerm, TopologySpreadConstraint } from '../../../../model/pod.ts'
import { normaliseKey, type RequirementSpec, type Requirements } from '../../../../model/requirements.ts'
import { SOFT, type Toleration, toleratesEverySoftTaint } from '../../../../model/taint.ts'
import type { Namespace } from '../../../../model/workloads.ts'
import type { Work } from '../quantities/work.ts'
import { createBySelector } from './bySelector.ts'

export type TopologyGroup = {
  readonly id: number
  readonly kind: 'spread' | 'affinity' | 'antiAffinity'
  /** The label whose values are the domains. */
  readonly key: string
  /** True if each machine is a domain. False if each value of the label is one. */
  readonly isHost: boolean
  readonly selector: LabelSelector | undefined
  readonly namespaces: ReadonlySet<string>
  /** Affinity only: other terms that must also select a pod for the pod to count. */
  readonly otherTerms: readonly TermScope[]
  readonly maxSkew: number
  readonly minDomains: number
  /** Spread only: machines that do not pass are neither counted nor domains. */
  readonly filter: NodeFilter | undefined
  /** The known domains, by label value or host name. */
  readonly known: Set<string>
  /** Known domains without a node: pools could make machines there. */
  readonly ofPools: Set<string>
  /** Spread only: domains that do not count for the least number. Changed in place by a check that follows kube-scheduler. */
  ignored: ReadonlySet<string>
  /** The number of pods that the selector selects, by domain. */
  readonly selected: Map<string, number>
  /**
   * Spread only: true if machines that may or may not pass the filter count in `possible`. Changed in place: finished plans are checked warily as
   * well.
   */
  countsPossible: boolean
  /** Spread: pods on machines that may or may not pass the filter, by domain. Affinity: pods whose domain is open, by host. */
  readonly possible: Map<string, number>
  /** Anti-affinity only: the number of pods that require it, by domain. */
  readonly owners: Map<string, number>
}

/** The machines that a spread constraint counts. */
export type NodeFilter = {
  readonly id: number
  /** Any of these must be met. Undefined if node affinity is ignored. */
  readonly required: readonly Requirements[] | undefined
  /** Every taint must be tolerated. Undefined if taints are ignored. */
  readonly tolerations: readonly Toleration[] | undefined
  /** True if it selects by host name. It may then tell machines apart that differ in nothing but their names. */
  readonly asksName: boolean
}

/** The namespace and labels of a pod: they decide which groups count it. */
export type Labelled = { readonly namespace: string; readonly labels: Labels }

export function asLabelled({ key, labels }: Pick<Pod, 'key' | 'labels'>): Labelled {
  return { namespace: namespaceOf({ key }), labels }
}

export function selectsPod(group: TopologyGroup, labelled: Labelled): boolean {
  if (!isInScope(group, labelled)) return false
  for (const other of group.otherTerms) if (!isInScope(other, labelled)) return false
  return true
}

/** The most pods that the domain may count in the end. The least count uses only pods that are certain to count. */
export function mostIn({ selected, possible }: TopologyGroup, domain: string): number {
  return countOf(selected, domain) + (possible.size === 0 ? 0 : countOf(possible, domain))
}

/** Reports whether a spread counts only machines with some labels. It may be open which claims these are until the claims are machines. */
export function looksAtLabels({ kind, filter }: TopologyGroup): boolean {
  return kind === 'spread' && filter?.required?.some((each) => each.size > 0) === true
}

/** Reports whether the term selects pods of these labels and this namespace. */
export function isInScope({ namespaces, selector }: TermScope, { namespace, labels }: Labelled): boolean {
  return namespaces.has(namespace) && selects(selector, labels)
}

/** The pods that a term selects: its selector, in its namespaces. */
export type TermScope = Pick<TopologyGroup, 'selector' | 'namespaces'>

/** Finds or makes the groups of constraints. Equal constraints share one group, whichever pods state them. */
export interface TopologyGroups {
  readonly all: readonly TopologyGroup[]
  ofSpread(constraint: TopologySpreadConstraint, pod: Pod, rules: Pick<NodeFilterInput, 'required' | 'tolerations'>): TopologyGroup
  /** The scheduler counts a pod for an affinity term only when the pod's other required terms select it as well. */
  ofTerm(
    kind: 'affinity' | 'antiAffinity',
    term: PodAffinityTerm,
    pod: Pick<Pod, 'key' | 'labels'>,
    others?: readonly PodAffinityTerm[],
  ): TopologyGroup
  /** A group that selects no pod. Its `selected` holds the number of pods of each new machine, by host. */
  ofNewMachines(): TopologyGroup
}

type NodeFilterInput = { readonly required: readonly Requirements[]; readonly tolerations: readonly Toleration[] }

export function createTopologyGroups(namespaces: readonly Namespace[], countsPossible = false): TopologyGroups {
  const all: TopologyGroup[] = []
  const byText = new Map<string, TopologyGroup>()
  const filterOf = filterMaker()

  function make(parts: Constraint): TopologyGroup {
    const text = textOf(parts)
    const same = byText.get(text)
    if (same !== undefined) return same
    const made: TopologyGroup = {
      ...parts,
      id: all.length,
      isHost: parts.key === LABEL.hostname,
      countsPossible,
      known: new Set(),
      ofPools: new Set(),
      ignored: NO_DOMAINS,
      selected: new Map(),
      possible: new Map(),
      owners: new Map(),
    }
    all.push(made)
    byText.set(text, made)
    return made
  }

  return {
    all,
    ofSpread: (constraint, pod, rules) =>
      make({
        kind: 'spread',
        key: normaliseKey(constraint.topologyKey),
        selector: withLabelKeys(constraint.selector, pod, constraint.matchLabelKeys, 'In'),
        namespaces: new Set([namespaceOf(pod)]),
        otherTerms: [],
        maxSkew: constraint.maxSkew,
        minDomains: constraint.minDomains ?? 1,
        filter: filterOf(constraint, rules),
      }),
    ofTerm: (kind, term, pod, others = []) =>
      make({
        kind,
        key: normaliseKey(term.topologyKey),
        ...scopeOf(term, pod, namespaces),
        otherTerms: others.map((other) => scopeOf(other, pod, namespaces)),
        ...NO_SPREAD,
      }),
    ofNewMachines: () =>
      make({
        kind: 'antiAffinity',
        key: LABEL.hostname,
        selector: undefined,
        namespaces: new Set(),
        otherTerms: [],
        ...NO_SPREAD,
      }),
  }
}

const NO_SPREAD = { maxSkew: 0, minDomains: 1, filter: undefined } as const

/** The rule of a group, without its counts. */
type Constraint = Omit<
  TopologyGroup,
  'id' | 'isHost' | 'countsPossible' | 'known' | 'ofPools' | 'ignored' | 'selected' | 'possible' | 'owners'
>

function textOf(parts: Constraint): string {
  const { kind, key, otherTerms, maxSkew, minDomains, filter } = parts
  return canonicalJson([kind, key, scopeForm(parts), otherTerms.map(scopeForm), maxSkew, minDomains, filter?.id ?? -1])
}

/** Returns one shared object for equal filters. */
function filterMaker(): (constraint: TopologySpreadConstraint, input: NodeFilterInput) => NodeFilter {
  const filters = new Map<string, NodeFilter>()
  return ({ nodeAffinityPolicy, nodeTaintsPolicy }, input) => {
    const required = nodeAffinityPolicy === 'Honor' ? input.required : undefined
    // A machine with a PreferNoSchedule taint is a domain all the same.
    const tolerations = nodeTaintsPolicy === 'Honor' ? withSoft(input.tolerations) : undefined
    const text = canonicalJson([required?.map((each) => [...each.values()]) ?? null, tolerations ?? null])
    const asksName = required?.some((each) => each.has(LABEL.hostname)) ?? false
    const filter = filters.get(text) ?? { id: filters.size, required, tolerations, asksName }
    filters.set(text, filter)
    return filter
  }
}

function withSoft(tolerations: readonly Toleration[]): readonly Toleration[] {
  return tolerations.some(toleratesEverySoftTaint) ? tolerations : [...tolerations, SOFT]
}

/** The pods that a term of the pod selects. */
export function scopeOf(term: PodAffinityTerm, pod: Pick<Pod, 'key' | 'labels'>, namespaces: readonly Namespace[]): TermScope {
  const selector = withLabelKeys(withLabelKeys(term.selector, pod, term.matchLabelKeys, 'In'), pod, term.mismatchLabelKeys, 'NotIn')
  return { selector, namespaces: namespacesOf(term, pod, namespaces) }
}

/** Adds the pod's own values of these labels to the selector. A label that the pod lacks is left out. */
function withLabelKeys(
  selector: LabelSelector | undefined,
  pod: Pick<Pod, 'labels'>,
  keys: readonly string[],
  operator: 'In' | 'NotIn',
): LabelSelector | undefined {
  if (selector === undefined || keys.length === 0) return selector
  const more = keys.flatMap((key): RequirementSpec[] => {
    const value = ownValue(pod.labels, key)
    return value === undefined ? [] : [{ key, operator, values: [value] }]
  })
  return { matchLabels: selector.matchLabels, matchExpressions: [...selector.matchExpressions, ...more] }
}

function namespacesOf(
  { namespaces: listed, namespaceSelector }: PodAffinityTerm,
  pod: Pick<Pod, 'key'>,
  all: readonly Namespace[],
): ReadonlySet<string> {
  if (namespaceSelector === undefined) return new Set(listed.length > 0 ? listed : [namespaceOf(pod)])
  const isEverything = Object.keys(namespaceSelector.matchLabels).length + namespaceSelector.matchExpressions.length === 0
  const chosen = all.filter((each) => selects(namespaceSelector, each.labels)).map((each) => each.name)
  // The namespace of the pod exists even if it is not known yet.
  return new Set([...listed, ...chosen, ...(isEverything ? [namespaceOf(pod)] : [])])
}

/** A canonical form: the order and repetition of expressions mean nothing. */
function scopeForm({ selector, namespaces }: TermScope): unknown {
  if (selector === undefined) return null
  const expressions = selector.matchExpressions.map((each) => canonicalJson({ ...each, values: [...each.values].sort() }))
  return [selector.matchLabels, [...new Set(expressions)].sort(), [...namespaces].sort()]
}

/** Counts the selectors that are tested. */
export type Asking = Pick<Work, 'scopes'>

/** Returns the groups that select a pod. Pods of the same labels and namespace get the same remembered answer. */
export function groupsSelecting({ all }: Pick<TopologyGroups, 'all'>, work: Asking): (labelled: Labelled) => readonly TopologyGroup[] {
  const bySelector = createBySelector<TopologyGroup>()
  for (const group of all) bySelector.add(group.selector, group)
  const known = new Map<string, readonly TopologyGroup[]>()
  return (labelled) => {
    if (all.length === 0) return NO_GROUPS
    const text = canonicalJson([labelled.namespace, labelled.labels])
    const same = known.get(text)
    if (same !== undefined) return same
    const candidates = bySelector.candidates(labelled.labels)
    work.scopes += candidates.length
    const found = candidates.filter((group) => selectsPod(group, labelled)).sort((first, second) => first.id - second.id)
    known.set(text, found)
    return found
  }
}

export const NO_DOMAINS: ReadonlySet<string> = new Set()
const NO_GROUPS: readonly TopologyGroup[] = []

export function countOf(counts: ReadonlyMap<string, number>, domain: string): number {
  return counts.get(domain) ?? 0
}

/** Changes a count. A domain without pods has no entry. */
export function raise(counts: Map<string, number>, domain: string, by = 1): void {
  const count = countOf(counts, domain) + by
  if (count === 0) counts.delete(domain)
  else counts.set(domain, count)
}
