/** Sets the counts of topology groups to the pods that run already. */
import { ownValue } from '../../../../base/values.ts'
import type { Uid } from '../../../../model/ids.ts'
import type { Pod } from '../../../../model/pod.ts'
import type { StateNode } from '../../../cluster/stateNode.ts'
import { countedKind, labelsPass, type MachineView } from '../nodes/existingNode.ts'
import { type InverseAntiAffinityTerm, inverseAntiAffinityTexts, type MachineKind } from '../topology/inverseAntiAffinity.ts'
import type { LabelCounts, LabelGroup } from '../topology/labelCounts.ts'
import {
  type Asking,
  asLabelled,
  groupsSelecting,
  type NodeFilter,
  raise,
  type TopologyGroup,
  type TopologyGroups,
} from '../topology/topologyGroup.ts'

/** The machines with a node. Machines of one kind differ in nothing but their names. */
type Machines = {
  viewOf(name: string): MachineView | undefined
  views(): Iterable<MachineView>
  kinds(): Iterable<MachineKind>
}

/** A required anti-affinity term of running pods, with its group in this decision. */
export type Standing = { readonly group: TopologyGroup; readonly inverse: InverseAntiAffinityTerm }

export type SeedInput = {
  readonly groups: TopologyGroups
  readonly running: { labelCounts(): LabelCounts }
  readonly machines: Machines
  readonly standing: readonly Standing[]
  /** Machines that are being deleted. */
  readonly deleting: readonly StateNode[]
  /** Pods to place. A pod of these that still runs is not counted where it runs. */
  readonly placing: ReadonlySet<Uid>
  readonly work: Asking
}

export function seedCounts({ groups, running, machines, standing, deleting, placing, work }: SeedInput): void {
  const passing = createPassing()
  for (const group of groups.all) {
    if (!group.isHost) addDomains(group, { machines, deleting }, passing)
    for (const alike of running.labelCounts().groupsSelecting(group, work)) {
      work.scopes += alike.nodes.length
      if (tellsByName(group)) addStaying(group, group.selected, alike.nodes, machines, passing)
      else addByKind(group, alike, machines, passing)
    }
  }
  for (const { group, inverse } of standing) {
    work.scopes += inverse.nodes.length
    addStaying(group, group.owners, inverse.nodes, machines)
  }
  const leaving = deleting.flatMap(({ name, pods: own }) =>
    own.filter((pod) => !placing.has(pod.uid) && pod.deletedAt === undefined).map((pod) => ({ name, pod })),
  )
  if (leaving.length > 0 && groups.all.length > 0) addLeaving(leaving, groups, standing, machines, passing, work)
}

/** Reports whether machines of one kind may count in different domains. */
function tellsByName({ isHost, filter }: TopologyGroup): boolean {
  return isHost || filter?.asksName === true
}

/** Counts pods of machines that stay, all pods on machines of one kind at once. */
function addByKind(group: TopologyGroup, alike: LabelGroup, { viewOf }: Machines, passing: Passing): void {
  alike.byKind ??= countedByKind(alike, viewOf)
  for (const [kind, count] of alike.byKind) if (passing(group.filter, kind, kind)) add(group, group.selected, kind, count)
}

function countedByKind({ nodes }: LabelGroup, viewOf: Machines['viewOf']): ReadonlyMap<MachineKind, number> {
  const counts = new Map<MachineKind, number>()
  for (const node of nodes) {
    const kind = countedKind(viewOf(node))
    if (kind !== undefined) counts.set(kind, (counts.get(kind) ?? 0) + 1)
  }
  return counts
}

function addDomains(group: TopologyGroup, { machines, deleting }: Pick<SeedInput, 'machines' | 'deleting'>, passing: Passing): void {
  if (group.filter?.asksName === true) {
    for (const view of machines.views()) if (!view.machine.isDeleting && passing(group.filter, view, view.kind)) know(group, view)
  } else for (const kind of machines.kinds()) if (passing(group.filter, kind, kind)) know(group, kind)
  for (const { name } of deleting) {
    const domain = ownValue(machines.viewOf(name)?.labels, group.key)
    if (domain !== undefined) group.ofPools.delete(domain)
  }
}

function know({ known, ofPools, key }: TopologyGroup, { labels }: Pick<MachineView, 'labels'>): void {
  const domain = ownValue(labels, key)
  if (domain === undefined) return
  known.add(domain)
  ofPools.delete(domain)
}

/** Counts pods of machines that stay. */
function addStaying(
  group: TopologyGroup,
  counts: Map<string, number>,
  nodes: readonly string[],
  { viewOf }: Machines,
  passing?: Passing,
): void {
  for (const node of nodes) {
    const view = viewOf(node)
    if (view === undefined || view.machine.isDeleting) continue
    if (passing === undefined || passing(group.filter, view, view.kind)) add(group, counts, view)
  }
}

type Leaving = { readonly name: string; readonly pod: Pod }

/** Counts pods of leaving machines that need no new place. Until they end they count for spread and anti-affinity, and not for affinity. */
function addLeaving(
  leaving: readonly Leaving[],
  groups: TopologyGroups,
  standing: readonly Standing[],
  { viewOf }: Machines,
  passing: Passing,
  work: Asking,
): void {
  const selected = groupsSelecting(groups, work)
  for (const { name, pod } of leaving) {
    const view = viewOf(name)
    if (view === undefined) continue
    for (const group of selected(asLabelled(pod))) {
      if (group.kind !== 'affinity' && passing(group.filter, view, view.kind)) add(group, group.selected, view)
    }
    for (const text of inverseAntiAffinityTexts(pod)) addOwner(text, standing, view)
  }
}

function addOwner(text: string, standing: readonly Standing[], view: MachineView): void {
  for (const { group, inverse } of standing) if (inverse.text === text) add(group, group.owners, view)
}

function add({ key, isHost, known }: TopologyGroup, counts: Map<string, number>, { labels }: Pick<MachineView, 'labels'>, count = 1): void {
  const domain = ownValue(labels, key)
  if (domain === undefined) return
  raise(counts, domain, count)
  if (!isHost) known.add(domain)
}

type Passing = (filter: NodeFilter | undefined, told: Pick<MachineView, 'labels' | 'taints'>, kind: MachineKind) => boolean

/** Answers once for all machines that differ in nothing but their names. */
function createPassing(): Passing {
  const answers = new Map<MachineKind, Map<number, boolean>>()
  return (filter, { labels, taints }, kind) => {
    if (filter === undefined) return true
    if (filter.asksName) return labelsPass(filter, labels, taints)
    const ofKind = answers.get(kind) ?? new Map<number, boolean>()
    answers.set(kind, ofKind)
    const known = ofKind.get(filter.id)
    if (known !== undefined) return known
    const answer = labelsPass(filter, labels, taints)
    ofKind.set(filter.id, answer)
    return answer
  }
}
