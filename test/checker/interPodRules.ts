/** kube-scheduler's filters that look at other pods: may this pod be bound to this node now? */
import { ownValue } from '../../shared/base/values.ts'
import { namespaceOf } from '../../shared/model/ids.ts'
import { selects } from '../../shared/model/labelSelector.ts'
import type { Pod, PodAffinityTerm } from '../../shared/model/pod.ts'
import type { Namespace } from '../../shared/model/workloads.ts'
import { nameOf } from './kubernetesRules.ts'
import type { Nodes } from './nodes.ts'
import { daemonsBefore, type SimulatedNode } from './nodeView.ts'
import { withOwnLabels } from './ownLabels.ts'
import { countedBy, hardSpread } from './spreadCounts.ts'
import type { Rule } from './violation.ts'

export type Refusal = { readonly rule: Rule; readonly message: string }

export function refusalNow(pod: Pod, node: SimulatedNode, nodes: Nodes): Refusal | undefined {
  return spreadRefusal(pod, node, nodes) ?? affinityRefusal(pod, node, nodes) ?? antiAffinityRefusal(pod, node, nodes)
}

/** Reports whether the pod has required rules about other pods. */
export function looksAtOthers(pod: Pod): boolean {
  const required = pod.podAffinity.required.length + pod.podAntiAffinity.required.length
  return required > 0 || hardSpread(pod).length > 0
}

/** Selects the pods whose binding may help a refused pod. The binding of any other pod can only keep it out. */
export function helpersOf(pod: Pod, namespaces: readonly Namespace[]): (bound: Pod) => boolean {
  const helps = [
    ...hardSpread(pod).map((constraint) => countedBy(constraint, pod)),
    ...pod.podAffinity.required.map((term) => meantBy(term, pod, namespaces)),
  ]
  return (bound) => helps.some((isOne) => isOne(bound))
}

function spreadRefusal(pod: Pod, node: SimulatedNode, { spread }: Nodes): Refusal | undefined {
  for (const constraint of hardSpread(pod)) {
    const key = nameOf(constraint.topologyKey)
    const domain = ownValue(node.view.labels, key)
    if (domain === undefined) return { rule: 'spread', message: `its node lacks the label ${key}` }
    const counts = spread.of(constraint, pod, node)
    const isFew = constraint.minDomains !== undefined && counts.size < constraint.minDomains
    const least = isFew ? 0 : leastOf(counts)
    const there = (counts.get(domain) ?? 0) + (countedBy(constraint, pod)(pod) ? 1 : 0)
    if (there - least > constraint.maxSkew) {
      return { rule: 'spread', message: `it makes ${there} in ${key} ${domain}, ${least} are elsewhere, most ${constraint.maxSkew} more` }
    }
  }
  return undefined
}

function leastOf(counts: ReadonlyMap<string, number>): number {
  let least = Number.POSITIVE_INFINITY
  for (const count of counts.values()) least = Math.min(least, count)
  return counts.size === 0 ? 0 : least
}

/** Another pod counts only if every term selects it. If no such pod exists, a pod that its own terms select may start anywhere. */
function affinityRefusal(pod: Pod, node: SimulatedNode, { all, namespaces }: Nodes): Refusal | undefined {
  const terms = pod.podAffinity.required
  if (terms.length === 0) return undefined
  const meant = terms.map((term) => meantBy(term, pod, namespaces))
  const isMeant = (other: Pod): boolean => meant.every((isIt) => isIt(other))
  const missing = terms.find(({ topologyKey }) => ownValue(node.view.labels, nameOf(topologyKey)) === undefined)
  if (missing !== undefined) return { rule: 'affinity', message: `its node lacks the label ${missing.topologyKey}` }
  const isNear = ({ topologyKey }: PodAffinityTerm): boolean =>
    all.some((other) => isTogether(other, node, topologyKey) && other.pods.some(isMeant))
  if (terms.every(isNear)) return undefined
  const isSomewhere = all.some(
    (other) => terms.some(({ topologyKey }) => ownValue(other.view.labels, nameOf(topologyKey)) !== undefined) && other.pods.some(isMeant),
  )
  return !isSomewhere && isMeant(pod) ? undefined : { rule: 'affinity', message: 'no pod it wants to be near is there' }
}

/**
 * The DaemonSet pods that come to the node when it joins. A DaemonSet pod stays out if its own anti-affinity, or that of a bound pod, forbids its
 * domain. Conflicts between DaemonSet pods do not concern a plan.
 */
export function daemonsJoining(node: SimulatedNode, nodes: Nodes): readonly Pod[] {
  return daemonsBefore(node.view).filter((daemon) => apartRefusal(daemon, node, nodes, () => NONE) === undefined)
}

const NONE: readonly Pod[] = []

function antiAffinityRefusal(pod: Pod, node: SimulatedNode, nodes: Nodes): Refusal | undefined {
  return apartRefusal(pod, node, nodes, ({ daemons }) => daemons)
}

function apartRefusal(
  pod: Pod,
  node: SimulatedNode,
  { all, namespaces }: Nodes,
  daemonsOf: (node: SimulatedNode) => readonly Pod[],
): Refusal | undefined {
  const avoided = pod.podAntiAffinity.required.map((term) => ({ term, isMeant: meantBy(term, pod, namespaces) }))
  for (const other of all) {
    const daemons = daemonsOf(other)
    for (const { term, isMeant } of avoided) {
      if (!isTogether(other, node, term.topologyKey)) continue
      const near = other.pods.find(isMeant) ?? daemons.find(isMeant)
      if (near !== undefined) return { rule: 'antiAffinity', message: `keeps away from pod ${near.key}` }
    }
    for (const each of daemons.length === 0 ? other.keepers : [...other.keepers, ...daemons]) {
      const theirs = each.podAntiAffinity.required
      if (theirs.some((term) => isTogether(other, node, term.topologyKey) && meantBy(term, each, namespaces)(pod)))
        return { rule: 'antiAffinity', message: `pod ${each.key} keeps away from it` }
    }
  }
  return undefined
}

function isTogether(one: SimulatedNode, other: SimulatedNode, topologyKey: string): boolean {
  const key = nameOf(topologyKey)
  const value = ownValue(one.view.labels, key)
  return value !== undefined && value === ownValue(other.view.labels, key)
}

/** Selects the pods that the term of `owner` selects. */
export function meantBy(term: PodAffinityTerm, owner: Pod, namespaces: readonly Namespace[]): (other: Pod) => boolean {
  const { namespaceSelector } = term
  const asked = withOwnLabels(term.selector, owner, term.matchLabelKeys, term.mismatchLabelKeys)
  const isAtHome = (home: string): boolean => {
    if (term.namespaces.includes(home)) return true
    if (namespaceSelector === undefined) return term.namespaces.length === 0 && home === namespaceOf(owner)
    return selects(namespaceSelector, namespaces.find(({ name }) => name === home)?.labels ?? {})
  }
  return (other) => selects(asked, other.labels) && isAtHome(namespaceOf(other))
}
