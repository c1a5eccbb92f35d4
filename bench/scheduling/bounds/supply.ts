import { isTerminal } from '../../../shared/engine/pod/podPredicates.ts'
import type { ClusterSnapshot } from '../../../shared/model/clusterSnapshot.ts'
import type { InstanceType } from '../../../shared/model/instanceType.ts'
import { LABEL, UNDEFINED_ALLOWED_LABELS } from '../../../shared/model/labels.ts'
import type { NodePool } from '../../../shared/model/nodePool.ts'
import { conflicts, overlapConflicts } from '../../../shared/model/requirementConflict.ts'
import {
  intersectAll,
  type Requirement,
  type Requirements,
  requirementsFrom,
  requirementsFromLabels,
} from '../../../shared/model/requirements.ts'
import { add, type Resources, subtract, sum } from '../../../shared/model/resources.ts'
import { type Taint, untolerated } from '../../../shared/model/taint.ts'
import type { DaemonSet } from '../../../shared/model/workloads.ts'
import { bitOf } from './classMask.ts'
import type { Demand, PodClass } from './demand.ts'

export type Supply = { readonly kinds: readonly NodeKind[]; readonly existing: readonly ExistingRoom[] }

/** A kind of node that can be bought. `admits` has a bit for each class of pods that it admits. */
export type NodeKind = { readonly name: string; readonly price: number; readonly free: readonly number[]; readonly admits: bigint }

/** The whole room on existing nodes of one kind, taken as one amount. */
export type ExistingRoom = { readonly nodes: number; readonly free: readonly number[]; readonly admits: bigint }

const ON_EVERY_NODE = requirementsFromLabels({ 'karpenter.sh/registered': 'true', 'karpenter.sh/initialized': 'true' })

/**
 * Returns the supply. A node may count as admitting more pods than it does, because requirements are compared with pool, type and offering one by
 * one.
 */
export function supplyFor(snapshot: ClusterSnapshot, demand: Demand): Supply {
  const pools = snapshot.objects.nodePool.filter((pool) => pool.meta.deletedAt === undefined && pool.replicas === undefined)
  return { kinds: cheapestKinds(pools.flatMap((pool) => kindsOf(pool, snapshot, demand))), existing: existingRoom(snapshot, demand) }
}

function kindsOf(pool: NodePool, { instanceTypes, objects }: ClusterSnapshot, { classes, axes }: Demand): readonly NodeKind[] {
  const { template } = pool
  const labels = { ...template.labels, [LABEL.nodePool]: pool.name }
  const requirements = intersectAll(intersectAll(requirementsFrom(template.requirements), requirementsFromLabels(labels)), ON_EVERY_NODE)
  const types = instanceTypes.get(template.nodeClassRef.name) ?? []
  const known = new Set([
    ...requirements.keys(),
    ...UNDEFINED_ALLOWED_LABELS,
    ...types.flatMap((type) => type.requirements.map(({ key }) => key)),
  ])
  const byPool = maskOf(classes, (each, wanted) => mayEnter(each, template.taints) && conflicts(requirements, wanted, known).length === 0)
  const byList = new Map<readonly Requirement[], bigint>()
  const kinds: NodeKind[] = []
  for (const type of byPool === 0n ? [] : types) {
    const ofType = asMap(type.requirements)
    if (overlapConflicts(ofType, requirements).length > 0) continue
    const byType = byPool & maskOf(classes, (_, wanted) => overlapConflicts(ofType, wanted).length === 0)
    const daemons = daemonsOn(objects.daemonSet, requirements, ofType, template.taints)
    const left = subtract(type.capacity, add(type.overhead, daemons))
    const free = axes.map(({ resource, unit }) => (left[resource] ?? 0) / unit)
    if (byType === 0n || free.some((amount) => amount < 0)) continue
    for (const { price, requirements: list } of saleable(type, requirements)) {
      const byOffering = byList.get(list) ?? maskOf(classes, (_, wanted) => overlapConflicts(asMap(list), wanted).length === 0)
      byList.set(list, byOffering)
      kinds.push({ name: `${pool.name} ${type.name}`, price, free, admits: byType & byOffering })
    }
  }
  return kinds
}

function saleable(type: InstanceType, pool: Requirements) {
  return type.offerings.flatMap(({ available, price, requirements }) =>
    available && price !== undefined && overlapConflicts(asMap(requirements), pool).length === 0
      ? [{ price: price / 1e6, requirements }]
      : [],
  )
}

/**
 * Returns the kinds that no other kind beats in price, room and admitted pods at once. Kinds with the same classes are compared first, because that
 * removes most of them.
 */
function cheapestKinds(kinds: readonly NodeKind[]): readonly NodeKind[] {
  const byMask = [...Map.groupBy(kinds, (kind) => kind.admits)].filter(([mask]) => mask !== 0n)
  return undominated(byMask.flatMap(([, same]) => undominated(same)))
}

function undominated(kinds: readonly NodeKind[]): readonly NodeKind[] {
  const kept: NodeKind[] = []
  const sorted = [...kinds].sort((first, second) => first.price - second.price || total(second.free) - total(first.free))
  for (const kind of sorted) if (!kept.some((other) => beats(other, kind))) kept.push(kind)
  return kept
}

/** Reports whether `other` has at least the room of `kind` and admits its classes. The order of the list ensures that `other` is not dearer. */
function beats(other: NodeKind, kind: NodeKind): boolean {
  return (kind.admits & ~other.admits) === 0n && kind.free.every((amount, axis) => amount <= (other.free[axis] ?? 0))
}

function existingRoom({ objects }: ClusterSnapshot, { classes, axes }: Demand): readonly ExistingRoom[] {
  const used = new Map<string, Resources[]>()
  for (const pod of objects.pod) {
    if (pod.nodeName === undefined || isTerminal(pod)) continue
    const list = used.get(pod.nodeName)
    if (list === undefined) used.set(pod.nodeName, [pod.requests])
    else list.push(pod.requests)
  }
  const masks = new Map<string, bigint>()
  const rooms = new Map<bigint, { nodes: number; free: number[]; admits: bigint }>()
  for (const node of objects.node) {
    const { [LABEL.hostname]: _, ...labels } = node.meta.labels
    const key = JSON.stringify([labels, node.taints])
    const ofNode = requirementsFromLabels(labels)
    const admits =
      masks.get(key) ?? maskOf(classes, (each, wanted) => mayEnter(each, node.taints) && conflicts(ofNode, wanted, HOST).length === 0)
    masks.set(key, admits)
    const left = subtract(node.allocatable, sum(used.get(node.name) ?? []))
    const room = rooms.get(admits) ?? { nodes: 0, free: axes.map(() => 0), admits }
    rooms.set(admits, room)
    room.nodes += 1
    for (const [axis, { resource, unit }] of axes.entries())
      room.free[axis] = (room.free[axis] ?? 0) + Math.max(0, left[resource] ?? 0) / unit
  }
  return [...rooms.values()].filter((room) => room.admits !== 0n)
}

const HOST: ReadonlySet<string> = new Set([LABEL.hostname])

function maskOf(classes: readonly PodClass[], admits: (podClass: PodClass, wanted: Requirements) => boolean): bigint {
  let mask = 0n
  for (const [index, podClass] of classes.entries()) {
    if (podClass.alternatives.some((wanted) => admits(podClass, wanted))) mask |= bitOf(index)
  }
  return mask
}

/** Reports whether the pods tolerate the taints. PreferNoSchedule keeps no pod out. */
function mayEnter({ tolerations }: Pick<PodClass, 'tolerations'>, taints: readonly Taint[]): boolean {
  const hard = taints.filter((taint) => taint.effect !== 'PreferNoSchedule')
  return untolerated(hard, tolerations).length === 0
}

/** Returns the requests of the DaemonSets that certainly run on the node. A bound must not take off too much. */
function daemonsOn(sets: readonly DaemonSet[], pool: Requirements, type: Requirements, taints: readonly Taint[]): Resources {
  const landing = sets.filter(({ pod }) => {
    const wanted = requirementsFromLabels(pod.nodeSelector)
    const isSure = pod.requiredNodeTerms === undefined && [...wanted.keys()].every((key) => pool.has(key) || type.has(key))
    return isSure && mayEnter(pod, taints) && overlapConflicts(pool, wanted).length === 0 && overlapConflicts(type, wanted).length === 0
  })
  return sum(landing.map((set) => set.pod.requests))
}

function asMap(list: readonly Requirement[]): Requirements {
  return new Map(list.map((each) => [each.key, each]))
}

function total(amounts: readonly number[]): number {
  return amounts.reduce((sum, amount) => sum + amount, 0)
}
