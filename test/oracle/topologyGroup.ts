/** The pod counts by domain of one constraint, shared by all pods with the constraint, and the domains that it allows next. */

import { namespaceOf } from '../../shared/model/ids.ts'
import { selects } from '../../shared/model/labelSelector.ts'
import { LABEL } from '../../shared/model/labels.ts'
import type { LabelSelector, Pod } from '../../shared/model/pod.ts'
import { has, type Requirement, type Requirements } from '../../shared/model/requirements.ts'
import { type Taint, type Toleration, untolerated } from '../../shared/model/taint.ts'
import { type Algebra, NO_LABELS_UNDEFINED } from './algebra.ts'
import type { Quirks } from './oracleAnswer.ts'

export type GroupKind = 'spread' | 'affinity' | 'antiAffinity'

/** Selects the pods that count. A pod counts if every matcher of the constraint selects it. */
export type Matcher = { readonly namespaces: ReadonlySet<string>; readonly selector: LabelSelector | undefined }

export type Constraint = {
  readonly kind: GroupKind
  readonly key: string
  readonly matchers: readonly Matcher[]
  readonly maxSkew: number
  readonly minDomains?: number
  readonly filter?: NodeFilter
}

/** Selects the nodes that count for a spread: those that the pod could run on, if the policies honour that. */
export type NodeFilter = {
  readonly affinity: 'Honor' | 'Ignore'
  readonly taints: 'Honor' | 'Ignore'
  /** Alternatives: one of them must hold. */
  readonly requirements: readonly Requirements[]
  readonly tolerations: readonly Toleration[]
}

export type Group = {
  readonly constraint: Constraint
  readonly counts: Map<string, number>
  readonly owners: Set<string>
}

/** The counts of a group when a pod is placed. */
export type Tally = {
  readonly counts: ReadonlyMap<string, number>
  /** Pods that may count in the end. */
  readonly perhaps: ReadonlyMap<string, number>
  /** Pods in the place in question. They count in whatever domain the place ends up. */
  readonly here: number
  /** The number of pods with affinity of their own in places without a decided domain. */
  readonly undecided: number
}

export function groupSelects({ constraint }: Group, pod: Pod): boolean {
  return constraint.matchers.every(({ namespaces, selector }) => namespaces.has(namespaceOf(pod)) && selects(selector, pod.labels))
}

export function takesPart(
  { filter }: Constraint,
  taints: readonly Taint[],
  requirements: Requirements,
  algebra: Algebra,
  quirks: Quirks,
  undefinedAllowed = NO_LABELS_UNDEFINED,
): boolean {
  if (filter === undefined) return true
  const meets = filter.requirements.some((each) => algebra.compatible(requirements, each, undefinedAllowed))
  const hard = quirks === 'upstream' ? taints : taints.filter((taint) => taint.effect !== 'PreferNoSchedule')
  const bears = untolerated(hard, filter.tolerations).length === 0
  return (meets || filter.affinity === 'Ignore') && (bears || filter.taints === 'Ignore')
}

/** A pod to be placed, and the domains that are open to it. */
export type Question = {
  readonly pod: Pod
  readonly podDomains: Requirement
  readonly nodeDomains: Requirement
  /** Alternatives for where the pod may run at all. */
  readonly anywhere: readonly Requirements[]
  readonly quirks: Quirks
}

/** The domains in which one more pod may be placed. Empty if there is none. */
export function nextDomains(group: Group, tally: Tally, question: Question): readonly string[] {
  switch (group.constraint.kind) {
    case 'spread':
      return nextOfSpread(group, tally, question)
    case 'affinity':
      return nextOfAffinity(group, tally, question)
    case 'antiAffinity':
      return nextOfAntiAffinity(group, tally, question)
  }
}

export function countIn({ counts }: Group, domain: string, more: number): void {
  counts.set(domain, (counts.get(domain) ?? 0) + more)
}

function nextOfSpread(group: Group, { counts, perhaps, here }: Tally, question: Question): readonly string[] {
  const { nodeDomains, pod } = question
  const { maxSkew } = group.constraint
  const more = here + (groupSelects(group, pod) ? 1 : 0)
  const countOf = (domain: string): number => (counts.get(domain) ?? 0) + (perhaps.get(domain) ?? 0)
  const host = singleHost(group, nodeDomains)
  if (host !== undefined) return countOf(host) + more <= maxSkew ? [host] : []
  const least = leastCount(group, counts, question)
  const open = [...counts.keys()].filter((domain) => has(nodeDomains, domain) && countOf(domain) + more - least <= maxSkew)
  const [lowest] = open.sort((one, other) => countOf(one) - countOf(other) || (one < other ? -1 : 1))
  return lowest === undefined ? [] : [lowest]
}

/** The least count of the domains that matter. If the constraint ignores node affinity, kube-scheduler looks at every domain. */
function leastCount({ constraint }: Group, counts: Tally['counts'], { podDomains, anywhere, quirks }: Question): number {
  if (constraint.key === LABEL.hostname) return 0
  const looksEverywhere = quirks === 'fixed' && constraint.filter?.affinity === 'Ignore'
  const mayRunIn = (domain: string): boolean =>
    anywhere.some((each) => {
      const own = each.get(constraint.key)
      return own === undefined || has(own, domain)
    })
  const isSeen = quirks === 'upstream' ? (domain: string): boolean => has(podDomains, domain) : mayRunIn
  const allowed = [...counts].filter(([domain]) => looksEverywhere || isSeen(domain)).map(([, count]) => count)
  if (constraint.minDomains !== undefined && allowed.length < constraint.minDomains) return 0
  return Math.min(Number.MAX_SAFE_INTEGER, ...allowed)
}

function nextOfAffinity(group: Group, { counts, undecided }: Tally, question: Question): readonly string[] {
  const { pod, podDomains, nodeDomains, quirks } = question
  const isPopulated = (domain: string): boolean => (counts.get(domain) ?? 0) > 0
  const populated = [...counts.keys()].filter(isPopulated)
  // kube-scheduler lets the first pod of its kind start anywhere, but only while no such pod is in the whole cluster.
  const isElsewhere = quirks === 'upstream' && !populated.some((domain) => has(podDomains, domain))
  const mayBegin = groupSelects(group, pod) && ((populated.length === 0 && undecided === 0) || isElsewhere)
  const host = singleHost(group, nodeDomains)
  if (host !== undefined) return has(podDomains, host) && (isPopulated(host) || mayBegin) ? [host] : []
  const open = populated.filter((domain) => has(nodeDomains, domain) && has(podDomains, domain))
  if (open.length > 0 || !mayBegin) return open
  const allowed = [...counts.keys()].filter((domain) => has(podDomains, domain)).sort()
  const first = allowed.find((domain) => has(nodeDomains, domain))
  const second = quirks === 'upstream' || first === undefined ? allowed[0] : undefined
  return [...new Set([first, second])].filter((domain) => domain !== undefined)
}

/** The domains that are known to be empty. */
function nextOfAntiAffinity(group: Group, { counts }: Tally, { podDomains, nodeDomains }: Question): readonly string[] {
  const host = singleHost(group, nodeDomains)
  if (host !== undefined) return (counts.get(host) ?? 0) === 0 ? [host] : []
  return [...counts]
    .filter(([domain, count]) => count === 0 && has(nodeDomains, domain) && has(podDomains, domain))
    .map(([domain]) => domain)
}

function singleHost({ constraint }: Group, nodeDomains: Requirement): string | undefined {
  const isSingle = constraint.key === LABEL.hostname && !nodeDomains.complement && nodeDomains.values.length === 1
  return isSingle ? nodeDomains.values[0] : undefined
}
