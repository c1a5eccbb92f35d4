/** A loaded cluster: what planning knows of it. Changes keep it up to date. */

import { type DecisionContext, type Delta, type Objects } from '../../../../model/clusterSnapshot.ts'
import type { DisruptionCommand } from '../../../../model/disruptionCommand.ts'
import { LABEL } from '../../../../model/labels.ts'
import type { Pod } from '../../../../model/pod.ts'
import { requirementsFrom } from '../../../../model/requirements.ts'
import type { EpochMs } from '../../../../model/units.ts'
import { leavingBy, type StateNode } from '../../../cluster/stateNode.ts'
import { createMachineIndex, type MachineIndex } from '../../snapshot/machineIndex.ts'
import { createOtherObjects, type OtherKind, type OtherObjects, readByPlanning } from '../../snapshot/otherObjects.ts'
import type { NarrowedTemplate } from '../catalog/narrowedTemplate.ts'
import type { Template } from '../catalog/template.ts'
import { type Attachable, attachableOn, type ExistingNodeInput } from '../nodes/existingNodeOf.ts'
import { type Constraints, createConstraints } from '../pods/constraint.ts'
import type { OnceClaims } from '../pods/podsToPlace.ts'
import { attachedIndex, type HostnameOf, type VolumeIndex, volumeIndex } from '../pods/volumes.ts'
import type { Recounted } from '../pods/waitingPods.ts'
import { type Axes, hasBit } from '../quantities/amounts.ts'
import type { Work } from '../quantities/work.ts'
import { existingNodeInputs, type FreeCapacity } from './freeCapacity.ts'
import { createMachineCache, type MachineCache } from './machineCache.ts'
import { createPodCache, type PodCache } from './podCache.ts'
import { createPoolCache, type PoolsNow } from './poolCache.ts'

/** The counts of work whose results are kept for the next decision. */
export type Remembered = Pick<Work, 'pods' | 'characters' | 'machines' | 'narrowedTemplates'>

export interface Cluster {
  readonly objects: OtherObjects
  readonly index: MachineIndex
  readonly machines: MachineCache
  readonly pods: PodCache
  readonly constraints: Constraints
  volumes(): VolumeIndex
  onceClaims(): OnceClaims
  apply(delta: Delta): void
  /** Marks machines as leaving that moves under way take away. */
  follow(commands: readonly DisruptionCommand[]): void
  /** The nominated pods that count in another way from now on. Call it after `follow`, and pass them to `pods.count`. */
  recount(now: EpochMs): readonly Recounted[]
  /** Looks at what has changed since the last plan. Call it before the methods below. */
  settle(context: DecisionContext): ExistingNodeInput
  hasSoftTaints(): boolean
  poolsOn(context: DecisionContext, settled: ExistingNodeInput, axes: Axes): PoolsNow
  roomOn(axes: Axes): FreeCapacity
  /** The work done so far. */
  done(): Remembered
}

/** The most constraints that are remembered, so that pods that come and go for months do not fill the memory. */
const MOST_CONSTRAINTS = 10_000

export function createCluster(loaded: Objects): Cluster {
  const others = createOtherObjects(loaded, readByPlanning)
  const index = createMachineIndex()
  const pods = createPodCache(index, () => others.all().namespace)
  const machines = createMachineCache(index, pods.running.kindChanged)
  const pools = createPoolCache()
  const volumes = createVolumeCache(others.all, (node) => hostnameOf(machines.fleet().get(`node ${node}`)))
  const inputFor = existingNodeInputs(pods.newestOf, volumes.attachable)
  const setPod = podSetter(pods, loaded.pod)
  let constraints = createConstraints()
  for (const node of loaded.node) index.setNode(node.name, node)
  for (const claim of loaded.nodeClaim) index.setClaim(claim.name, claim)
  for (const pod of loaded.pod) pods.add(pod)
  return {
    get objects() {
      return others.all()
    },
    index,
    machines,
    pods,
    get constraints() {
      return constraints
    },
    volumes: volumes.index,
    onceClaims: () => ({ isOncePod: volumes.isOncePod, userOf: pods.running.userOf }),
    apply(delta) {
      applyMachines(delta, index, pods)
      for (const key of delta.removed?.pod ?? []) setPod(key, undefined)
      for (const pod of delta.put?.pod ?? []) setPod(pod.key, pod)
      const changed = others.apply(delta)
      if (changed.has('namespace')) pods.running.namespacesChanged()
      volumes.changed(changed)
    },
    follow: (commands) => index.setLeaving(leavingBy(commands)),
    recount: (now) => pods.recount(now, (node) => machines.fleet().get(`node ${node}`)),
    settle(context) {
      if (constraints.count > MOST_CONSTRAINTS) {
        constraints = createConstraints()
        pools.forget()
        machines.forgetAnswers()
      }
      const input = inputFor(others.all(), context.instanceTypes)
      machines.settle(input, context.drafts)
      return input
    },
    hasSoftTaints: () => machines.hasSoftTaints() || others.all().nodePool.some(hasSoftTaint),
    poolsOn: (context, { typesOf, daemons }, axes) => pools.of({ objects: others.all(), typesOf, daemons }, context, axes),
    roomOn: (axes) => machines.roomOn(axes, volumes.version()),
    done: () => ({ ...pods.done(), machines: machines.looks, narrowedTemplates: pools.made.narrowedTemplates }),
  }
}

/** The hostname of a machine that stays. */
function hostnameOf(machine: StateNode | undefined): string | undefined {
  if (machine?.node === undefined || machine.isDeleting) return undefined
  return machine.node.meta.labels[LABEL.hostname] ?? machine.node.name
}

function hasSoftTaint({ template }: OtherObjects['nodePool'][number]): boolean {
  return template.taints.some((taint) => taint.effect === 'PreferNoSchedule')
}

function applyMachines({ put = {}, removed = {} }: Delta, index: MachineIndex, pods: PodCache): void {
  for (const name of removed.node ?? []) {
    pods.nodeWent(name)
    index.setNode(name, undefined)
  }
  for (const name of removed.nodeClaim ?? []) index.setClaim(name, undefined)
  for (const node of put.node ?? []) {
    const isNew = !index.nodes.has(node.name)
    index.setNode(node.name, node)
    if (isNew) pods.nodeCame(node.name)
  }
  for (const claim of put.nodeClaim ?? []) index.setClaim(claim.name, claim)
}

/** Returns a function that sets a pod by key. Pods are indexed by key only at the first change: a state that decides once does not need the index. */
function podSetter(pods: PodCache, loaded: readonly Pod[]): (key: string, pod: Pod | undefined) => void {
  let byKey: Map<string, Pod> | undefined
  return (key, pod) => {
    byKey ??= new Map(loaded.map((each) => [each.key, each]))
    const before = byKey.get(key)
    pods.neighbourChanges.note(before, pod)
    if (before !== undefined) pods.remove(before)
    if (pod === undefined) {
      byKey.delete(key)
      return
    }
    byKey.set(key, pod)
    pods.add(pod)
  }
}

/** What volumes require and how many volumes machines can attach. Worked out when first needed, and kept until a volume or a limit changes. */
export interface VolumeCache {
  index(): VolumeIndex
  /** Reports whether one pod at a time may use the claim. */
  isOncePod(claim: string): boolean
  readonly attachable: Attachable
  changed(kinds: ReadonlySet<OtherKind>): void
  /** A number that changes with each change of volumes or limits. */
  version(): number
}

const KINDS = ['persistentVolumeClaim', 'persistentVolume', 'storageClass', 'csiNode'] as const satisfies readonly OtherKind[]

function createVolumeCache(objects: () => OtherObjects, hostnameOf: HostnameOf): VolumeCache {
  let known: VolumeIndex | undefined
  let attachable: Attachable | undefined
  let once: ReadonlySet<string> | undefined
  let version = 0

  function index(): VolumeIndex {
    known ??= volumeIndex(objects(), hostnameOf)
    return known
  }

  return {
    index,
    isOncePod(claim) {
      once ??= new Set(objects().persistentVolumeClaim.flatMap(({ key, isOncePod }) => (isOncePod === true ? [key] : [])))
      return once.has(claim)
    },
    attachable(...asked) {
      attachable ??= attachableOn(objects().csiNode, attachedIndex(objects()))
      return attachable(...asked)
    },
    changed(kinds) {
      if (!KINDS.some((kind) => kinds.has(kind))) return
      known = undefined
      once = undefined
      attachable = undefined
      version++
    },
    version: () => version,
  }
}

/** The number of machines that each reservation still pays for, by its id. The plan changes the map in place. */
export type Reservations = Map<string, number>

/** Where claims that are not launched yet are found. */
type Coming = Pick<Cluster, 'index' | 'machines'>

/** What remains of each reservation according to the catalogs of the pools, less what claims that are not launched yet may take. */
export function reservationsLeft(templates: readonly Template[], { index, machines }: Coming): Reservations {
  const left: Reservations = new Map()
  for (const { reserved, catalog } of templates) {
    for (const index of reserved) {
      const reservation = catalog.offerings[index]?.offering.reservation
      if (reservation === undefined) continue
      left.set(reservation.id, Math.min(left.get(reservation.id) ?? reservation.remaining, reservation.remaining))
    }
  }
  if (left.size === 0) return left
  const coming = [...index.claims.values()].filter((claim) => claim.status.providerId === undefined && claim.meta.deletedAt === undefined)
  for (const { spec } of [...coming, ...machines.drafts()]) {
    const held = requirementsFrom(spec.requirements).get(LABEL.reservation)
    for (const id of held === undefined || held.complement ? [] : held.values) left.set(id, Math.max(0, (left.get(id) ?? 0) - 1))
  }
  return left
}

/** The reservations that pay for a size of the narrowed template, by id, with the positions of these sizes, cheapest first. */
export function reservedIn({ template, types, offerings }: NarrowedTemplate): ReadonlyMap<string, readonly number[]> {
  const found = new Map<string, number[]>()
  for (const index of template.reserved) {
    const each = template.catalog.offerings[index]
    const id = each?.offering.reservation?.id
    if (each === undefined || id === undefined || !hasBit(offerings, index) || !hasBit(types, each.type)) continue
    found.set(id, [...(found.get(id) ?? []), each.type])
  }
  return found
}
