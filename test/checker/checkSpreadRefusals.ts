/**
 * Checks pods that are refused for a topology spread: no machine that could be bought may be open to them. The rule for domains is written from
 * kube-scheduler's documentation again: nodes that pass the filter, and machines that pass it and can be bought now or soon. Only worlds without
 * other rules about neighbours, limits, minValues and DaemonSets can be checked.
 */
import { ownValue } from '../../shared/base/values.ts'
import type { ClusterSnapshot } from '../../shared/model/clusterSnapshot.ts'
import type { Decision } from '../../shared/model/decision.ts'
import type { Labels } from '../../shared/model/labels.ts'
import type { Pod, TopologySpreadConstraint } from '../../shared/model/pod.ts'
import { fits } from '../../shared/model/resources.ts'
import type { Taint } from '../../shared/model/taint.ts'
import { durationMs, later } from '../../shared/model/units.ts'
import { nameOf, runsOn, toleratesAll } from './kubernetesRules.ts'
import { allocatable, type Outcome, outcomesOf } from './outcomes.ts'
import { placementOfDecision } from './placement.ts'
import { countedBy, hardSpread } from './spreadCounts.ts'
import { type Violation, violation } from './violation.ts'

type Machine = { readonly labels: Labels; readonly taints: readonly Taint[] }
type Peopled = Machine & { readonly pods: readonly Pod[] }
type Buyable = Machine & Pick<Outcome, 'type'>

export function checkSpreadRefusals(snapshot: ClusterSnapshot, decision: Decision): readonly Violation[] {
  const refused = new Set(
    decision.reasons.flatMap(({ subject, code }) => (subject.kind === 'pod' && code === 'SCHEDULING.SPREAD' ? [subject.name] : [])),
  )
  const machines = peopled(snapshot, decision)
  if (machines === undefined) return []
  const now = buyable(snapshot)
  const soon = buyable({ ...snapshot, takenAt: later(snapshot.takenAt, durationMs(600_000)) })
  return snapshot.objects.pod.flatMap((pod) => {
    if (!refused.has(pod.key)) return []
    const open = now.find((each) => mayRun(pod, each) && hardSpread(pod).every((rule) => allows(rule, pod, each, [...machines, ...soon])))
    return open === undefined
      ? []
      : [violation('spread', `pod ${pod.key}`, `it is refused, but ${open.type.name} is open to it: ${JSON.stringify(open.labels)}`)]
  })
}

function mayRun(pod: Pod, { labels, taints, type }: Buyable): boolean {
  return runsOn(pod, labels) && toleratesAll(pod.tolerations, taints) && fits(pod.requests, allocatable(type))
}

function allows(rule: TopologySpreadConstraint, pod: Pod, machine: Machine, all: readonly (Machine | Peopled)[]): boolean {
  const key = nameOf(rule.topologyKey)
  if (key === 'kubernetes.io/hostname') return true
  const isCounted = countedBy(rule, pod)
  const counts = new Map<string, number>()
  for (const each of all) {
    const domain = ownValue(each.labels, key)
    const passes =
      (rule.nodeAffinityPolicy === 'Ignore' || runsOn(pod, each.labels)) &&
      (rule.nodeTaintsPolicy === 'Ignore' || toleratesAll(pod.tolerations, each.taints))
    if (domain === undefined || !passes) continue
    counts.set(domain, (counts.get(domain) ?? 0) + ('pods' in each ? each.pods.filter(isCounted).length : 0))
  }
  const here = ownValue(machine.labels, key)
  if (here === undefined) return false
  const least = counts.size < (rule.minDomains ?? 1) ? 0 : Math.min(...counts.values())
  return (counts.get(here) ?? 0) + (isCounted(pod) ? 1 : 0) - least <= rule.maxSkew
}

/** Nodes and new claims with the pods on them. Undefined if it is open what some claim becomes in a way that matters. */
function peopled(snapshot: ClusterSnapshot, decision: Decision): readonly Peopled[] | undefined {
  const { node, pod, nodeClaim } = snapshot.objects
  if (nodeClaim.length > 0 || snapshot.drafts.length > 0) return undefined
  const { claims } = placementOfDecision(decision)
  const nodes = node.map(({ meta, taints, name }) => ({
    labels: meta.labels,
    taints,
    pods: pod.filter(({ nodeName }) => nodeName === name),
  }))
  const made = claims.map((claim) => {
    const outcomes = outcomesOf(snapshot, claim.spec, claim.labels).filter(({ isForSale }) => isForSale)
    const pods = pod.filter(({ key }) => claim.pods.includes(key))
    return { labels: inCommon(outcomes), taints: claim.spec.taints, pods }
  })
  const keys = pod
    .flatMap((each) => hardSpread(each).map(({ topologyKey }) => nameOf(topologyKey)))
    .filter((key) => !key.endsWith('/hostname'))
  return made.every(({ labels }) => keys.every((key) => ownValue(labels, key) !== undefined)) ? [...nodes, ...made] : undefined
}

function inCommon([first, ...others]: readonly Outcome[]): Labels {
  return Object.fromEntries(
    Object.entries(first?.labels ?? {}).filter(([key, value]) => others.every(({ labels }) => ownValue(labels, key) === value)),
  )
}

function buyable(snapshot: ClusterSnapshot): readonly Buyable[] {
  return snapshot.objects.nodePool.flatMap(({ name, template }) => {
    const spec = { ...template, requests: {} }
    const labels = { ...template.labels, 'karpenter.sh/nodepool': name }
    return outcomesOf(snapshot, spec, labels).flatMap((each) => (each.isForSale ? [{ ...each, taints: template.taints }] : []))
  })
}
