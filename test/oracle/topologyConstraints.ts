/** The constraints of a pod in the form of topology groups. */
import { canonicalJson } from '../../shared/base/json.ts'
import type { DecisionSettings } from '../../shared/model/clusterSnapshot.ts'
import { namespaceOf } from '../../shared/model/ids.ts'
import { selects } from '../../shared/model/labelSelector.ts'
import type { LabelSelector, Pod, PodAffinityTerm, TopologySpreadConstraint } from '../../shared/model/pod.ts'
import { normaliseKey } from '../../shared/model/requirements.ts'
import type { Namespace } from '../../shared/model/workloads.ts'
import { withOwnLabels } from '../checker/ownLabels.ts'
import type { Algebra } from './algebra.ts'
import type { Quirks } from './oracleAnswer.ts'
import { alternativesOf } from './podNeeds.ts'
import type { Constraint, Matcher, NodeFilter } from './topologyGroup.ts'

export type ConstraintContext = {
  readonly namespaces: readonly Namespace[]
  readonly policy: DecisionSettings['preferencePolicy']
  readonly algebra: Algebra
  readonly quirks: Quirks
}

/** All present constraints. Preferences count as required until they are relaxed. `seen` is the pod whose node rules a spread constraint honours. */
export function constraintsOf(pod: Pod, seen: Pod, context: ConstraintContext): readonly Constraint[] {
  const respects = context.policy === 'Respect'
  const spread = pod.topologySpread.filter((each) => respects || each.whenUnsatisfiable === 'DoNotSchedule')
  const soft = (list: readonly { readonly term: PodAffinityTerm }[]) => (respects ? list.map(({ term }) => term) : [])
  return [
    ...spread.map((each) => spreadConstraint(seen, each, context)),
    ...requiredAffinity(pod, context),
    ...soft(pod.podAffinity.preferred).map((term) => affinityConstraint('affinity', pod, term, context)),
    ...antiAffinityOf(pod, context),
    ...soft(pod.podAntiAffinity.preferred).map((term) => affinityConstraint('antiAffinity', pod, term, context)),
  ]
}

/** The required anti-affinity of a pod. Its inverse restricts other pods, too. */
export function antiAffinityOf(pod: Pod, context: ConstraintContext): readonly Constraint[] {
  return pod.podAntiAffinity.required.map((term) => affinityConstraint('antiAffinity', pod, term, context))
}

/** The identity of a constraint. Constraints with one identity share a group. Karpenter leaves out fields that differ between some of them. */
export function identityOf(constraint: Constraint, quirks: Quirks): string {
  const { kind, key, matchers, maxSkew, minDomains, filter } = constraint
  const pods = matchers.map(({ namespaces, selector }) => [[...namespaces].sort(), canonicalSelector(selector)])
  if (quirks === 'fixed')
    return canonicalJson([kind, key, pods, maxSkew, minDomains ?? null, filter === undefined ? null : whatMatters(filter)])
  // Of the requirements, Karpenter compares the keys only. It compares tolerations even where taints are ignored.
  const keys = filter?.requirements.map((each) => [...each.values()].map((one) => [one.key, one.minValues]).sort())
  return canonicalJson([kind, key, pods, maxSkew, keys ?? null, filter?.affinity, filter?.taints, filter?.tolerations ?? null])
}

function whatMatters({ affinity, taints, requirements, tolerations }: NodeFilter): unknown {
  const nodes = requirements.map((each) => [...each.values()].map((one) => canonicalJson(one)).sort())
  return [affinity === 'Honor' ? nodes : null, taints === 'Honor' ? tolerations : null]
}

function spreadConstraint(pod: Pod, spread: TopologySpreadConstraint, { algebra }: ConstraintContext): Constraint {
  const { topologyKey, maxSkew, minDomains, nodeAffinityPolicy, nodeTaintsPolicy, matchLabelKeys } = spread
  return {
    kind: 'spread',
    key: normaliseKey(topologyKey),
    matchers: [{ namespaces: new Set([namespaceOf(pod)]), selector: withOwnLabels(spread.selector, pod, matchLabelKeys, []) }],
    maxSkew,
    ...(minDomains === undefined ? {} : { minDomains }),
    filter: {
      affinity: nodeAffinityPolicy,
      taints: nodeTaintsPolicy,
      requirements: alternativesOf(pod, algebra),
      tolerations: pod.tolerations,
    },
  }
}

/** kube-scheduler counts a pod for affinity only if every required term selects it. Karpenter counts for each term alone. */
function requiredAffinity(pod: Pod, context: ConstraintContext): readonly Constraint[] {
  const single = pod.podAffinity.required.map((term) => affinityConstraint('affinity', pod, term, context))
  if (context.quirks === 'upstream') return single
  const all = single.flatMap(({ matchers }) => matchers)
  const distinct = [
    ...new Map(all.map((each) => [canonicalJson([[...each.namespaces].sort(), canonicalSelector(each.selector)]), each])).entries(),
  ]
  const matchers = distinct.sort(([one], [other]) => (one < other ? -1 : 1)).map(([, each]) => each)
  return single.map((each) => ({ ...each, matchers }))
}

function affinityConstraint(kind: 'affinity' | 'antiAffinity', pod: Pod, term: PodAffinityTerm, context: ConstraintContext): Constraint {
  return { kind, key: normaliseKey(term.topologyKey), matchers: [matcherOf(pod, term, context)], maxSkew: 2 ** 31 - 1 }
}

function matcherOf(pod: Pod, term: PodAffinityTerm, { namespaces, quirks }: ConstraintContext): Matcher {
  const { namespaceSelector } = term
  const selected = namespaces.filter((each) => namespaceSelector !== undefined && selects(namespaceSelector, each.labels))
  const isOwn = term.namespaces.length === 0 && namespaceSelector === undefined
  const meant = new Set(isOwn ? [namespaceOf(pod)] : [...term.namespaces, ...selected.map(({ name }) => name)])
  // The API server writes these keys into the selector, and Karpenter relies on that.
  const selector = quirks === 'upstream' ? term.selector : withOwnLabels(term.selector, pod, term.matchLabelKeys, term.mismatchLabelKeys)
  return { namespaces: meant, selector }
}

function canonicalSelector(selector: LabelSelector | undefined): unknown {
  if (selector === undefined) return null
  return [selector.matchLabels, [...new Set(selector.matchExpressions.map(canonicalJson))].sort()]
}
