/** What runs already: the counts that rules about neighbours start from. */
import { namespaceOf, type Uid } from '../../../model/ids.ts'
import { LABEL } from '../../../model/labels.ts'
import type { Labels } from '../../../model/meta.ts'
import type { Pod } from '../../../model/pod.ts'
import type { Taint } from '../../../model/taint.ts'
import { type StateNode, taintsOf } from '../../cluster/stateNode.ts'
import { labelsPass, machineLabels } from '../hosts/targets.ts'
import { meantBy } from '../pods/podClasses.ts'
import { countOf, type Group, type Groups } from './group.ts'

export type SeedInput = {
  readonly groups: Groups
  readonly machines: readonly StateNode[]
  /** Pods to be placed: those of them that still run are not counted where they are. */
  readonly placing: ReadonlySet<Uid>
}

/** Groups of the required anti-affinity of pods that run: they keep others away. */
export function groupsOfBound(groups: Groups, bound: readonly Pod[]): ReadonlyMap<Uid, readonly Group[]> {
  const repellers = bound.filter((pod) => pod.podAntiAffinity.required.length > 0)
  return new Map(repellers.map((pod) => [pod.uid, pod.podAntiAffinity.required.map((term) => groups.ofTerm('antiAffinity', term, pod))]))
}

export function seedCounts({ groups, machines, placing }: SeedInput, owned: ReadonlyMap<Uid, readonly Group[]>): void {
  if (groups.all.length === 0) return
  const meant = meantBy(groups)
  for (const machine of machines) {
    const seen: Seen = { labels: machineLabels(machine), taints: taintsOf(machine), passing: new Map() }
    if (machine.node !== undefined && !machine.isGoing) for (const group of groups.all) addDomain(group, seen)
    const counting = machine.pods.filter((pod) => !placing.has(pod.uid) && pod.deletedAt === undefined)
    for (const pod of counting) {
      countPod(meant({ namespace: namespaceOf(pod), labels: pod.labels }), seen)
      for (const group of owned.get(pod.uid) ?? []) add(group, group.owners, seen)
    }
  }
}

function countPod(groups: readonly Group[], seen: Seen): void {
  for (const group of groups) if (passes(group, seen)) add(group, group.selected, seen)
}

type Seen = { readonly labels: Labels; readonly taints: readonly Taint[]; readonly passing: Map<number, boolean> }

function addDomain(group: Group, seen: Seen): void {
  const domain = seen.labels[group.key]
  if (domain !== undefined && !group.isHost && passes(group, seen)) group.known.add(domain)
}

function add(group: Group, counts: Map<string, number>, { labels }: Seen): void {
  const domain = labels[group.key]
  if (domain === undefined) return
  counts.set(domain, countOf(counts, domain) + 1)
  if (group.key !== LABEL.hostname) group.known.add(domain)
}

function passes({ filter }: Group, { labels, taints, passing }: Seen): boolean {
  if (filter === undefined) return true
  const known = passing.get(filter.id)
  if (known !== undefined) return known
  const answer = labelsPass(filter, labels, taints)
  passing.set(filter.id, answer)
  return answer
}
