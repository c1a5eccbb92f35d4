/** All topology groups of a pass: their owners, their counts, and the domains that they leave for a pod. */
import { ownValue } from '../../shared/base/values.ts'
import type { ClusterSnapshot } from '../../shared/model/clusterSnapshot.ts'
import { namespaceOf } from '../../shared/model/ids.ts'
import { selects } from '../../shared/model/labelSelector.ts'
import { LABEL } from '../../shared/model/labels.ts'
import type { Node } from '../../shared/model/node.ts'
import type { Pod } from '../../shared/model/pod.ts'
import { type Requirement, type Requirements, requirementFrom } from '../../shared/model/requirements.ts'
import type { Taint } from '../../shared/model/taint.ts'
import type { Machine } from './machines.ts'
import { labelRequirements, type PodNeeds } from './podNeeds.ts'
import { inverseTallyNow, type Place, type Placed, tallyAsRecorded, tallyNow } from './tally.ts'
import { antiAffinityOf, type ConstraintContext, constraintsOf, identityOf } from './topologyConstraints.ts'
import { type Constraint, countIn, type Group, groupSelects, nextDomains, takesPart } from './topologyGroup.ts'
import type { Universe } from './topologyUniverse.ts'

export interface Topology {
  /** Makes the pod the owner of exactly the groups of its present constraints. */
  own(pod: Pod, original?: Pod): void
  /** Narrows `room` by every group that concerns the pod. Returns a text if the pod cannot be in the place. */
  narrow(needs: PodNeeds, place: Pick<Place, 'of' | 'taints'>, room: Requirements): Requirements | string
  record(pod: Pod, place: Place): void
  registerHost(name: string): void
}

export type TopologyInput = ConstraintContext & {
  readonly snapshot: ClusterSnapshot
  readonly universe: Universe
  /** The machines that are not being deleted. */
  readonly machines: readonly Machine[]
  readonly batch: readonly Pod[]
  readonly wellKnown: ReadonlySet<string>
}

export function createTopology(input: TopologyInput): Topology {
  const { snapshot, algebra, quirks } = input
  const inBatch = new Set(input.batch.map((pod) => pod.uid))
  const nodes = new Map(snapshot.objects.node.map((node) => [node.name, node]))
  const machineOf = new Map(input.machines.map((machine) => [machine.node, machine]))
  const groups = new Map<string, Group>()
  const inverse = new Map<string, Group>()
  const hosts = new Set<string>()
  const placed: Placed[] = []

  /** A group with the known domains, all at count 0. */
  function emptyGroup(constraint: Constraint, owner: Pod): Group {
    const group: Group = { constraint, counts: new Map(), owners: new Set() }
    for (const domain of input.universe(constraint, owner)) countIn(group, domain, 0)
    if (quirks === 'fixed' && constraint.key === LABEL.hostname) for (const host of hosts) countIn(group, host, 0)
    return group
  }

  /** Karpenter uses the taints of the node: it misses a pending cordon taint and counts taints that will be removed. */
  function taintsOf(node: Node): readonly Taint[] {
    return quirks === 'upstream' ? node.taints : (machineOf.get(node)?.taints ?? node.taints)
  }

  function countedGroup(constraint: Constraint, owner: Pod): Group {
    const group = emptyGroup(constraint, owner)
    for (const { node, labels } of input.machines) {
      if (node === undefined) continue
      const domain = ownValue(labels, constraint.key)
      const joins = takesPart(constraint, taintsOf(node), labelRequirements(node.meta.labels), algebra, quirks)
      if (domain !== undefined && joins) countIn(group, domain, 0)
    }
    for (const pod of snapshot.objects.pod) if (isListed(group, pod)) countBound(group, pod)
    return group
  }

  /** Reports whether the pod counts: bound, alive, outside the batch, and selected. Without a selector, Karpenter selects the whole namespace. */
  function isListed(group: Group, pod: Pod): boolean {
    const isAlive = pod.phase !== 'Succeeded' && pod.phase !== 'Failed' && pod.deletedAt === undefined
    if (pod.nodeName === undefined || !isAlive || inBatch.has(pod.uid)) return false
    return group.constraint.matchers.every(({ namespaces, selector }) => {
      const meansAll = selector === undefined && quirks === 'upstream'
      return namespaces.has(namespaceOf(pod)) && (meansAll || selects(selector, pod.labels))
    })
  }

  function countBound(group: Group, pod: Pod): void {
    const node = pod.nodeName === undefined ? undefined : nodes.get(pod.nodeName)
    if (node === undefined) return
    const { key } = group.constraint
    const domain = ownValue(node.meta.labels, key) ?? (key === LABEL.hostname ? node.name : undefined)
    const joins = takesPart(group.constraint, taintsOf(node), labelRequirements(node.meta.labels), algebra, quirks)
    if (domain !== undefined && joins) countIn(group, domain, 1)
  }

  function ownInverse(pod: Pod): void {
    for (const constraint of antiAffinityOf(pod, input)) {
      const identity = identityOf(constraint, quirks)
      const group = inverse.get(identity) ?? emptyGroup(constraint, pod)
      inverse.set(identity, group)
      group.owners.add(pod.uid)
    }
  }

  /** Karpenter counts the listed values: none for a label without a requirement, the excluded values for a complement. */
  function recordIn(group: Group, pod: Pod, { taints, requirements }: Place): void {
    const now = requirements()
    if (!groupSelects(group, pod) || !takesPart(group.constraint, taints, now, algebra, quirks)) return
    const at = now.get(group.constraint.key)
    if (group.constraint.kind === 'antiAffinity') for (const domain of at?.values ?? []) countIn(group, domain, 1)
    // A place without a decided domain does not count.
    else if (at !== undefined && !at.complement && at.values.length === 1 && at.values[0] !== undefined) countIn(group, at.values[0], 1)
  }

  function recordInverse(group: Group, pod: Pod, { requirements }: Place): void {
    if (!group.owners.has(pod.uid)) return
    for (const domain of requirements().get(group.constraint.key)?.values ?? []) countIn(group, domain, 1)
  }

  for (const pod of snapshot.objects.pod) {
    const node = pod.nodeName === undefined || inBatch.has(pod.uid) ? undefined : nodes.get(pod.nodeName)
    if (node === undefined || pod.phase === 'Succeeded' || pod.phase === 'Failed' || pod.podAntiAffinity.required.length === 0) continue
    ownInverse(pod)
    for (const constraint of antiAffinityOf(pod, input)) {
      const { key } = constraint
      const domain = ownValue(node.meta.labels, key) ?? (quirks === 'fixed' && key === LABEL.hostname ? node.name : undefined)
      const group = inverse.get(identityOf(constraint, quirks))
      if (group !== undefined && domain !== undefined) countIn(group, domain, 1)
    }
  }

  return {
    own(pod, original = pod) {
      for (const group of groups.values()) group.owners.delete(pod.uid)
      ownInverse(pod)
      for (const constraint of constraintsOf(pod, quirks === 'fixed' ? original : pod, input)) {
        const identity = identityOf(constraint, quirks)
        const group = groups.get(identity) ?? countedGroup(constraint, pod)
        groups.set(identity, group)
        group.owners.add(pod.uid)
      }
    },
    narrow({ pod, strict, anywhere }, { of, taints }, room) {
      const isFixed = quirks === 'fixed'
      const owned = [...groups.values()].filter((group) => group.owners.has(pod.uid))
      const opposed = [...inverse.values()].filter(
        (group) => groupSelects(group, pod) && takesPart(group.constraint, taints, room, algebra, quirks),
      )
      const tallies = [
        ...owned.map((group) => ({
          group,
          tally: isFixed ? tallyNow(group, placed, { pod, of }, algebra, input.wellKnown) : tallyAsRecorded(group),
        })),
        ...opposed.map((group) => ({ group, tally: isFixed ? inverseTallyNow(group, placed, input.wellKnown) : tallyAsRecorded(group) })),
      ]
      let result = room
      for (const { group, tally } of tallies) {
        const { key, kind } = group.constraint
        const question = {
          pod,
          podDomains: strict.get(key) ?? anything(key),
          nodeDomains: room.get(key) ?? anything(key),
          anywhere,
          quirks,
        }
        const domains = nextDomains(group, tally, question)
        if (domains.length === 0) return `unsatisfiable topology constraint for ${kind}, key=${key}`
        const requirement = requirementFrom({ key, operator: 'In', values: domains })
        result = algebra.merge(result, new Map([[requirement.key, requirement]]))
      }
      return result
    },
    record(pod, place) {
      placed.push({ pod, place })
      if (quirks === 'fixed') return
      for (const group of groups.values()) recordIn(group, pod, place)
      for (const group of inverse.values()) recordInverse(group, pod, place)
    },
    registerHost(name) {
      hosts.add(name)
      for (const group of [...groups.values(), ...inverse.values()]) {
        if (group.constraint.key === LABEL.hostname && !group.counts.has(name)) countIn(group, name, 0)
      }
    },
  }
}

function anything(key: string): Requirement {
  return { key, complement: true, values: [] }
}
