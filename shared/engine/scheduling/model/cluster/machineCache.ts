/** The machines of the cluster, and the existing nodes they offer. A machine that has not changed since the last plan is not looked at again. */
import { byText, inOrder } from '../../../../base/lists.ts'
import type { NodeName } from '../../../../model/ids.ts'
import type { NodeClaimDraft } from '../../../../model/nodeClaim.ts'
import { withoutPlanned } from '../../../../model/taint.ts'
import { createFleet, type Fleet } from '../../../cluster/fleet.ts'
import type { StateNode } from '../../../cluster/stateNode.ts'
import type { MachineIndex } from '../../snapshot/machineIndex.ts'
import { createSortedList } from '../../snapshot/otherObjects.ts'
import { createUsageByPool, type Usage, type UsageByPool, usageOf, usageOfDraft } from '../catalog/limits.ts'
import { countedKind, type ExistingNode, type MachineView, machineViewer } from '../nodes/existingNode.ts'
import { type ExistingNodeInput, existingNodeOf, inFlightNode } from '../nodes/existingNodeOf.ts'
import type { Axes } from '../quantities/amounts.ts'
import type { MachineKind } from '../topology/inverseAntiAffinity.ts'
import { createPlaceChanges, type FreeCapacity, freeCapacityOf, type LookedAt, type PlaceChanges } from './freeCapacity.ts'

export interface MachineCache extends Pick<Places, 'usage' | 'roomOn'> {
  /** Machines that are being deleted. */
  deleting(): readonly StateNode[]
  /** All machines, by pool. */
  fleet(): Fleet
  /** Looks at the machines that have changed, or at all machines if the input is another one than before. */
  settle(input: ExistingNodeInput, drafts: readonly NodeClaimDraft[]): void
  /** Drafts whose claim the watch has not shown yet. */
  drafts(): Iterable<NodeClaimDraft>
  /** The machine of a node, as of the last `settle`. */
  viewOf(node: string): MachineView | undefined
  /** The place that a node offers, as of the last `settle`. Undefined if it offers none. */
  placeOf(node: string): ExistingNode | undefined
  /** The same of a machine. Costs less for a machine that `fleet` has. */
  placeOn(machine: StateNode): ExistingNode | undefined
  /** What `settle` has found changed. */
  readonly placeChanges: Pick<PlaceChanges, 'take'>
  /** Machines with a node. */
  views(): Iterable<MachineView>
  /** The kinds of machines that have a node and are not being deleted. */
  kinds(): Iterable<MachineKind>
  /** True if some node has a taint with the effect PreferNoSchedule. */
  hasSoftTaints(): boolean
  /** Forgets what is remembered of constraints. The next `settle` looks at every machine anew. */
  forgetAnswers(): void
  /** The number of looks at machines so far. */
  readonly looks: number
}

/** `kindChanged`: is told each node that counts in another kind than before, or in none. */
export function createMachineCache(index: MachineIndex, kindChanged: (node: NodeName) => void): MachineCache {
  const joined = createJoined(index)
  const places = createPlaces()
  const placeChanges = createPlaceChanges()
  const seen = createSeen(places, placeChanges, kindChanged)
  const drafts = createDrafts(index, places)
  let last: ExistingNodeInput | undefined
  return {
    deleting: joined.deleting,
    fleet: joined.fleet,
    settle(input, shown) {
      const stale = joined.takeStale()
      if (last?.typesOf !== input.typesOf || last.daemons !== input.daemons) {
        for (const id of joined.machines().keys()) stale.add(id)
        drafts.settle(input, [])
      }
      last = input
      for (const id of stale) seen.look(id, joined.machines().get(id), input)
      drafts.settle(input, shown)
    },
    usage: places.usage,
    roomOn: places.roomOn,
    drafts: drafts.all,
    viewOf: seen.viewOf,
    placeOf: seen.placeOf,
    placeOn: seen.placeOn,
    placeChanges,
    views: seen.views,
    kinds: seen.kinds,
    hasSoftTaints: seen.hasSoftTaints,
    forgetAnswers() {
      seen.forgetAnswers()
      last = undefined
    },
    get looks() {
      return seen.looks
    },
  }
}

/** Machines as nodes and claims joined. Joining is cheap, and a decision about no pods needs no more. */
function createJoined(index: MachineIndex) {
  const machines = new Map<string, StateNode>()
  const deleting = new Set<string>()
  const fleet = createFleet()
  let stale = new Set<string>()

  function join(): void {
    for (const { id, machine } of index.changes()) {
      stale.add(id)
      fleet.set(id, machine)
      if (machine === undefined) machines.delete(id)
      else machines.set(id, machine)
      if (machine?.isDeleting === true) deleting.add(id)
      else deleting.delete(id)
    }
  }

  return {
    machines: (): ReadonlyMap<string, StateNode> => machines,
    deleting(): readonly StateNode[] {
      join()
      return [...deleting].flatMap((id) => machines.get(id) ?? [])
    },
    fleet(): Fleet {
      join()
      return fleet
    },
    takeStale(): Set<string> {
      join()
      const taken = stale
      stale = new Set()
      return taken
    },
  }
}

/** Machines as they were last looked at. */
function createSeen(places: Places, placeChanges: PlaceChanges, kindChanged: (node: NodeName) => void) {
  const entries = new Map<string, LookedAt>()
  const offered = new Map<StateNode, ExistingNode>()
  const kinds = new Map<MachineKind, number>()
  let viewer = machineViewer()
  let softNodes = 0
  let looks = 0

  function count(view: MachineView, by: 1 | -1): void {
    const { node } = view.machine
    if (node !== undefined && withoutPlanned(node.taints).some((taint) => taint.effect === 'PreferNoSchedule')) softNodes += by
    const kind = countedKind(view)
    if (kind === undefined) return
    const next = (kinds.get(kind) ?? 0) + by
    if (next > 0) kinds.set(kind, next)
    else kinds.delete(kind)
  }

  function lookAt(machine: StateNode, input: ExistingNodeInput): LookedAt {
    looks++
    const view = viewer.view(machine)
    return { view, usage: usageOf(machine, input.typesOf), existingNode: existingNodeOf(input, view) }
  }

  return {
    look(id: string, machine: StateNode | undefined, input: ExistingNodeInput): void {
      const before = entries.get(id)
      if (before !== undefined) {
        entries.delete(id)
        offered.delete(before.view.machine)
        places.remove(before)
        count(before.view, -1)
        viewer.forget(before.view)
      }
      const after = machine === undefined ? undefined : lookAt(machine, input)
      if (after !== undefined) {
        entries.set(id, after)
        if (after.existingNode !== undefined) offered.set(after.view.machine, after.existingNode)
        places.add(after)
        count(after.view, 1)
      }
      placeChanges.note(before, after)
      const node = (after ?? before)?.view.machine.node?.name
      if (node !== undefined && countedKind(before?.view) !== countedKind(after?.view)) kindChanged(node)
    },
    viewOf: (node: string): MachineView | undefined => entries.get(`node ${node}`)?.view,
    placeOf: (node: string): ExistingNode | undefined => entries.get(`node ${node}`)?.existingNode,
    placeOn: (machine: StateNode) => offered.get(machine) ?? entries.get(`node ${machine.name}`)?.existingNode,
    *views(): Iterable<MachineView> {
      for (const { view } of entries.values()) if (view.machine.node !== undefined) yield view
    },
    kinds: (): Iterable<MachineKind> => kinds.keys(),
    hasSoftTaints: (): boolean => softNodes > 0,
    forgetAnswers: () => void (viewer = machineViewer()),
    get looks() {
      return looks
    },
  }
}

/** Drafts whose claim the watch has not shown yet. */
function createDrafts(index: MachineIndex, places: Places) {
  const known = new Map<NodeClaimDraft, Offered>()
  return {
    all: (): Iterable<NodeClaimDraft> => known.keys(),
    settle(input: ExistingNodeInput, shown: readonly NodeClaimDraft[]): void {
      const undrawn = new Set(shown.filter((draft) => !index.claims.has(draft.name)))
      for (const [draft, offered] of known) {
        if (undrawn.delete(draft)) continue
        known.delete(draft)
        places.remove(offered)
      }
      for (const draft of undrawn) {
        const offered = { usage: usageOfDraft(draft, input.typesOf), existingNode: inFlightNode(input, draft) }
        known.set(draft, offered)
        places.add(offered)
      }
    },
  }
}

/** What a machine, a claim or a draft takes of the limits of its pool, and the existing node it offers. */
type Offered = { readonly usage: Usage | undefined; readonly existingNode: ExistingNode | undefined }

interface Places {
  add(offered: Offered): void
  remove(offered: Offered): void
  readonly usage: UsageByPool
  /** The existing nodes in the order they are offered, with their free amounts on these axes. `version` is that of the attachable volumes. */
  roomOn(axes: Axes, version: number): FreeCapacity
}

/** Initialized machines first, then machines that come up, then claims without a machine. Each group goes by name. */
const byOffer = inOrder<ExistingNode>(
  (first, second) => first.stage - second.stage,
  (first, second) => byText(first.label, second.label),
  (first, second) => byText(first.claim ?? '', second.claim ?? ''),
)

function createPlaces(): Places {
  const existingNodes = createSortedList<ExistingNode>(byOffer)
  const usage = createUsageByPool()
  let known: { readonly key: string; readonly room: FreeCapacity } | undefined
  return {
    usage,
    add({ usage: own, existingNode }) {
      if (own !== undefined) usage.add(own)
      if (existingNode === undefined) return
      existingNodes.add(existingNode)
      known = undefined
    },
    remove({ usage: own, existingNode }) {
      if (own !== undefined) usage.remove(own)
      if (existingNode === undefined) return
      existingNodes.remove(existingNode)
      known = undefined
    },
    roomOn(axes, version) {
      const key = `${axes.key} ${axes.drivers.length === 0 ? '' : version}`
      if (known?.key !== key) known = { key, room: freeCapacityOf(existingNodes.values(), axes, key) }
      return known.room
    },
  }
}
