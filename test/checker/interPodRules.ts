/** kube-scheduler's filters that look at other pods: may this pod be bound to this node now? */
import { namespaceOf } from '../../shared/model/ids.ts'
import { selects } from '../../shared/model/labelSelector.ts'
import type { LabelSelector, Pod, PodAffinityTerm, TopologySpreadConstraint } from '../../shared/model/pod.ts'
import type { Namespace } from '../../shared/model/workloads.ts'
import { nameOf, runsOn, toleratesAll } from './kubernetesRules.ts'
import type { NodeView } from './nodeView.ts'
import type { Rule } from './violation.ts'

/** A node and the pods bound to it so far. */
export type Standing = { readonly view: NodeView; readonly pods: Pod[] }

export type Refusal = { readonly rule: Rule; readonly message: string }

export function refusalNow(pod: Pod, node: Standing, all: readonly Standing[], namespaces: readonly Namespace[]): Refusal | undefined {
  return spreadRefusal(pod, node, all) ?? affinityRefusal(pod, node, all, namespaces) ?? antiAffinityRefusal(pod, node, all, namespaces)
}

/** True when other pods matter to where this one may go. */
export function looksAtOthers(pod: Pod): boolean {
  const required = pod.podAffinity.required.length + pod.podAntiAffinity.required.length
  return required > 0 || pod.topologySpread.some((each) => each.whenUnsatisfiable === 'DoNotSchedule')
}

function spreadRefusal(pod: Pod, node: Standing, all: readonly Standing[]): Refusal | undefined {
  const hard = pod.topologySpread.filter((each) => each.whenUnsatisfiable === 'DoNotSchedule')
  for (const constraint of hard) {
    const key = nameOf(constraint.topologyKey)
    const domain = node.view.labels[key]
    if (domain === undefined) return { rule: 'spread', message: `its node lacks the label ${key}` }
    const counts = new Map<string, number>()
    for (const other of all) {
      if (!isUp(other) && other !== node) continue
      const at = other.view.labels[key]
      const hasAll = hard.every((each) => other.view.labels[nameOf(each.topologyKey)] !== undefined)
      if (at === undefined || !hasAll || !takesPart(constraint, pod, other.view)) continue
      counts.set(at, (counts.get(at) ?? 0) + other.pods.filter((each) => isCounted(constraint, pod, each)).length)
    }
    const isFew = constraint.minDomains !== undefined && counts.size < constraint.minDomains
    const least = isFew || counts.size === 0 ? 0 : Math.min(...counts.values())
    const self = isCounted(constraint, pod, pod) ? 1 : 0
    const skew = (counts.get(domain) ?? 0) + self - least
    if (skew > constraint.maxSkew) {
      return { rule: 'spread', message: `skew ${skew} in ${key} ${domain} (${[...counts].join(' ')}), most ${constraint.maxSkew}` }
    }
  }
  return undefined
}

function isUp({ view, pods }: Standing): boolean {
  return !view.isComing || pods.length > 0
}

function takesPart({ nodeAffinityPolicy, nodeTaintsPolicy }: TopologySpreadConstraint, pod: Pod, view: NodeView): boolean {
  return (
    (nodeAffinityPolicy === 'Ignore' || runsOn(pod, view.labels)) &&
    (nodeTaintsPolicy === 'Ignore' || toleratesAll(pod.tolerations, view.taints))
  )
}

function isCounted({ selector, matchLabelKeys }: TopologySpreadConstraint, pod: Pod, other: Pod): boolean {
  if (namespaceOf(other) !== namespaceOf(pod) || other.deletedAt !== undefined) return false
  return selects(withOwnLabels(selector, pod, matchLabelKeys, []), other.labels)
}

/** Another pod counts only when every term means it; the first of its kind may begin anywhere. */
function affinityRefusal(pod: Pod, node: Standing, all: readonly Standing[], namespaces: readonly Namespace[]): Refusal | undefined {
  const terms = pod.podAffinity.required
  if (terms.length === 0) return undefined
  const isMeant = (other: Pod): boolean => terms.every((term) => means(term, pod, other, namespaces))
  const missing = terms.find(({ topologyKey }) => node.view.labels[nameOf(topologyKey)] === undefined)
  if (missing !== undefined) return { rule: 'affinity', message: `its node lacks the label ${missing.topologyKey}` }
  const isNear = ({ topologyKey }: PodAffinityTerm): boolean =>
    all.some((other) => isTogether(other, node, topologyKey) && other.pods.some(isMeant))
  if (terms.every(isNear)) return undefined
  const isSomewhere = all.some(
    (other) => terms.some(({ topologyKey }) => other.view.labels[nameOf(topologyKey)] !== undefined) && other.pods.some(isMeant),
  )
  return !isSomewhere && isMeant(pod) ? undefined : { rule: 'affinity', message: 'no pod it wants to be near is there' }
}

function antiAffinityRefusal(pod: Pod, node: Standing, all: readonly Standing[], namespaces: readonly Namespace[]): Refusal | undefined {
  for (const other of all) {
    const own = pod.podAntiAffinity.required.filter(({ topologyKey }) => isTogether(other, node, topologyKey))
    // Daemons are bound to a new machine before any other pod.
    for (const each of other.view.isNew ? [...other.pods, ...other.view.daemons] : other.pods) {
      if (own.some((term) => means(term, pod, each, namespaces)))
        return { rule: 'antiAffinity', message: `keeps away from pod ${each.key}` }
      const theirs = each.podAntiAffinity.required.filter(({ topologyKey }) => isTogether(other, node, topologyKey))
      if (theirs.some((term) => means(term, each, pod, namespaces)))
        return { rule: 'antiAffinity', message: `pod ${each.key} keeps away from it` }
    }
  }
  return undefined
}

function isTogether(one: Standing, other: Standing, topologyKey: string): boolean {
  const key = nameOf(topologyKey)
  const value = one.view.labels[key]
  return value !== undefined && value === other.view.labels[key]
}

/** The term of `owner` means the other pod. */
function means(term: PodAffinityTerm, owner: Pod, other: Pod, namespaces: readonly Namespace[]): boolean {
  const { namespaceSelector } = term
  const home = namespaceOf(other)
  const isOwn = term.namespaces.length === 0 && namespaceSelector === undefined && home === namespaceOf(owner)
  const labels = namespaces.find(({ name }) => name === home)?.labels ?? {}
  const isSelected = namespaceSelector !== undefined && selects(namespaceSelector, labels)
  if (!isOwn && !isSelected && !term.namespaces.includes(home)) return false
  return selects(withOwnLabels(term.selector, owner, term.matchLabelKeys, term.mismatchLabelKeys), other.labels)
}

function withOwnLabels(
  selector: LabelSelector | undefined,
  { labels }: Pod,
  same: readonly string[],
  different: readonly string[],
): LabelSelector | undefined {
  if (selector === undefined) return undefined
  const of = (keys: readonly string[], operator: 'In' | 'NotIn') =>
    keys.flatMap((key) => (labels[key] === undefined ? [] : [{ key, operator, values: [labels[key]] }]))
  return { ...selector, matchExpressions: [...selector.matchExpressions, ...of(same, 'In'), ...of(different, 'NotIn')] }
}
