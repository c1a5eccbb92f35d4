/**
 * Checks whether pods that move find places however kube-scheduler binds them. The scheduler does not know the plan: it takes pods in any order, and
 * prefers empty nodes. So a pod may take the room that was planned for another pod.
 */
import { once } from '../../../base/caches.ts'
import { addAll } from '../../../base/lists.ts'
import { NO_RESOURCES } from '../../../model/resources.ts'
import { withSizes } from '../model/catalog/narrowedTemplate.ts'
import type { InstanceTypeOption } from '../model/catalog/template.ts'
import { record } from '../model/neighbours/domainFilters.ts'
import { type Bin, openBin, survivorsOf } from '../model/nodes/bin.ts'
import { type ExistingNode, type ExistingNodeMark, markOf, putBack, putOn } from '../model/nodes/existingNode.ts'
import type { PodClass } from '../model/pods/constraint.ts'
import type { Amounts } from '../model/quantities/amounts.ts'
import { type BindingOrder, bindingOrders, isClosed, type Place, type PodToBind } from './bindingOrders.ts'
import { ignoreDomainsWithoutNodes } from './domainsWithoutNodes.ts'
import { type Binding, createEmptiestNode, createRoomyPlaces } from './emptiestNode.ts'
import { freeShare, lift, type PlannedMove, type SchedulerView } from './placedPods.ts'

/** The number of pods that a check binds in all tries, and the least number of tries. A try is one order with new nodes of one kind of size. */
const MOST_BOUND = 600
const LEAST_TRIES = 3
/** The scheduler tries a refused pod again after other pods are bound. */
const MOST_ROUNDS = 3

/** Classes of pods of which some find no place. */
export type Unbound = ReadonlySet<PodClass>
export const NONE_UNBOUND: Unbound = new Set()

/** Pods that are bound together, and the new nodes that are up by then. */
type Part = { readonly pods: readonly PodToBind[]; readonly coming: readonly Place[] }

/**
 * Returns a function that binds the pods of all moves, in several orders, and returns the pods that find no place in the first order in which some do
 * not. All nodes and counts are the same afterwards. `nodes`: the nodes that may take pods. Some of them may be closed.
 */
export function createWorstFit(nodes: readonly ExistingNode[], view: SchedulerView): (moves: readonly PlannedMove[]) => Unbound {
  const known = once(() => standingOf(nodes, view))
  const inTurn = createTurns()

  function unboundIn(moves: readonly PlannedMove[]): Unbound {
    const coming = moves.flatMap(({ bins }) => bins.map(nodesOfBin))
    const [early, late] = [moves.filter(({ bins }) => bins.length === 0), moves.filter(({ bins }) => bins.length > 0)]
    const [first, then] = [podsOf(early), podsOf(late)]
    const { roomy, wholes } = known()
    const standing: Standing = { roomy, view, marks: new Map(), largest: largestOf([...wholes, ...coming.flat().map(view.wholeOf)]) }
    const isCertain = coming.every(([least, ...others]) => others.every((each) => each === least))
    const ways = isCertain ? WAYS_TO_JOIN.slice(0, 1) : WAYS_TO_JOIN
    const orders = bindingOrders(view.scored, [...first, ...then])
    const tries = orders.flatMap((order) => ways.map((way) => ({ order, way })))
    return inTurn(tries, first.length + then.length, ({ order, way }) => {
      const { sort } = order
      const up = coming.map((joining, number): Place => placeOf(joining[way], nodes.length + number, view))
      const together: readonly Part[] = [{ pods: sort([...first, ...then]), coming: up }]
      if (first.length === 0 || then.length === 0) return unboundOf(together, order, standing)
      // Moves without a claim do not wait for the claims of other moves.
      const apart: readonly Part[] = [
        { pods: sort(first), coming: [] },
        { pods: sort(then), coming: up },
      ]
      return firstUnbound([together, apart], (parts) => unboundOf(parts, order, standing))
    })
  }

  return (moves) => {
    const restore = lift(moves)
    const heed = ignoreDomainsWithoutNodes(moves, nodes)
    const unbound = unboundIn(moves)
    heed()
    restore()
    return unbound
  }
}

/**
 * Returns a function that makes tries until one of them leaves pods without a place. With many pods, each check makes a part of the tries. The first
 * try is the last one that left pods without a place. The next tries continue where the check before stopped.
 */
function createTurns() {
  let [hardest, next] = [0, 0]
  return <Try>(tries: readonly Try[], pods: number, unboundIn: (one: Try) => Unbound): Unbound => {
    const count = Math.min(tries.length, Math.max(LEAST_TRIES, Math.floor(MOST_BOUND / pods)))
    const chosen = new Set(count < tries.length ? [hardest % tries.length] : tries.keys())
    while (chosen.size < count) chosen.add(next++ % tries.length)
    for (const at of chosen) {
      const one = tries[at]
      const unbound = one === undefined ? NONE_UNBOUND : unboundIn(one)
      if (unbound.size === 0) continue
      hardest = at
      return unbound
    }
    return NONE_UNBOUND
  }
}

/** What is the same in all checks. Called while no pod of the moves has a place. */
function standingOf(nodes: readonly ExistingNode[], view: SchedulerView) {
  const places = nodes.map((node, at) => placeOf(node, at, view)).sort((one, other) => other.share - one.share)
  return { roomy: createRoomyPlaces(places, view), wholes: [largestOf(places.map(({ whole }) => whole))] }
}

/** A closed node may open again, with any share. */
function placeOf(node: ExistingNode, at: number, view: SchedulerView): Place {
  const whole = view.wholeOf(node)
  return { node, at, whole, pods: 0, share: isClosed({ node }) ? 1 : freeShare(node.free, undefined, whole, view) }
}

function largestOf(wholes: readonly Amounts[]): Amounts {
  const largest = new Float64Array(wholes[0]?.length ?? 0)
  for (const whole of wholes) for (const [axis, amount] of whole.entries()) largest[axis] = Math.max(largest[axis] ?? 0, amount)
  return largest
}

function firstUnbound<Item>(items: readonly Item[], unboundIn: (item: Item) => Unbound): Unbound {
  for (const item of items) {
    const unbound = unboundIn(item)
    if (unbound.size > 0) return unbound
  }
  return NONE_UNBOUND
}

/** Pods of one class share an object. */
function podsOf(moves: readonly PlannedMove[]): readonly PodToBind[] {
  const known = new Map<PodClass, PodToBind>()
  return moves.flatMap(({ log }) =>
    log.flatMap(({ podClass, relaxedPod, count }) => {
      const pod = known.get(podClass) ?? { podClass, relaxedPod: podClass.relaxedPods.at(-1) ?? relaxedPod }
      known.set(podClass, pod)
      return Array.from({ length: count }, () => pod)
    }),
  )
}

type Standing = Pick<Binding, 'roomy' | 'largest' | 'view'> & {
  /** The nodes that got pods in some order, without them. */
  readonly marks: Map<ExistingNode, ExistingNodeMark>
}

function unboundOf(parts: readonly Part[], { more, most }: BindingOrder, standing: Standing): Unbound {
  const coming: Place[] = []
  const { bind, unbind } = createBinder({ ...standing, more, most, coming })
  let left: readonly PodToBind[] = []
  for (const { pods, coming: joined } of parts) {
    addAll(coming, joined)
    left = pods
    for (let round = 0; round < MOST_ROUNDS && left.length > 0; round++) left = left.filter((pod) => !bind(pod))
    if (left.length > 0) break
  }
  unbind()
  return new Set(left.map(({ podClass }) => podClass))
}

function createBinder({ marks, ...binding }: Binding & Pick<Standing, 'marks'>) {
  const { bestFor, tell } = createEmptiestNode(binding)
  const touched: { readonly place: Place; readonly share: number }[] = []
  const bound: { readonly node: ExistingNode; readonly pod: PodToBind }[] = []
  return {
    bind(pod: PodToBind): boolean {
      const place = bestFor(pod)
      if (place === undefined) return false
      const { node, share } = place
      if (place.pods === 0) {
        touched.push({ place, share })
        if (!marks.has(node)) marks.set(node, markOf(node))
      }
      binding.view.work.existingNodes++
      putOn(node, pod.podClass, 1)
      record(node, pod.podClass, pod.relaxedPod)
      tell(place)
      bound.push({ node, pod })
      return true
    },
    unbind(): void {
      for (const { node, pod } of bound) record(node, pod.podClass, pod.relaxedPod, -1)
      for (const { place, share } of touched) {
        const mark = marks.get(place.node)
        if (mark !== undefined) putBack(place.node, mark)
        place.pods = 0
        place.share = share
      }
    },
  }
}

/** The ways in which `nodesOfBin` looks at a claim. */
const WAYS_TO_JOIN = [0, 1, 2] as const

/**
 * The nodes that the claim may become, before any pod runs on them: one that has only what each possible size has, one of the cheapest size, and one
 * of the dearest size. A node of a single size may take pods that the first node may not, and a large node draws pods from other nodes.
 */
function nodesOfBin(bin: Bin): readonly [ExistingNode, ExistingNode, ExistingNode] {
  const sizes = survivorsOf(bin)
  const least = nodeOf(bin, sizes)
  return sizes.length < 2 ? [least, least, least] : [least, nodeOf(bin, sizes.slice(0, 1)), nodeOf(bin, sizes.slice(-1))]
}

function nodeOf(given: Bin, sizes: readonly InstanceTypeOption[]): ExistingNode {
  const narrowedTemplate = withSizes(given.narrowedTemplate, sizes)
  const bin = openBin(given.id, { ...given, narrowedTemplate }, given.total.length)
  const [first, ...others] = sizes.map((size) => size.free)
  const free = others.reduce((least, each) => lesserOfEach(least, each), first ?? given.total)
  return {
    id: 0,
    label: bin.name,
    name: bin.name,
    stage: 0,
    taints: narrowedTemplate.template.pool.template.taints,
    meets: (wanted) => bin.passes({ id: -1, required: [wanted], tolerations: undefined, asksName: false }),
    // Only compared between decisions, where a new node does not exist yet.
    left: NO_RESOURCES,
    free: Float64Array.from(free),
    freeFor: '',
    freeOn: () => free,
    ports: sizes.flatMap(({ daemonPorts }) => daemonPorts),
    mounted: [],
    accepted: new Map(),
    daemonsToCome: [],
    domainOf: (key) => bin.domainOf(key),
    domainsOf: (key) => bin.domainsOf(key),
    passes: (filter) => bin.passes(filter),
    countDaemons: given.countDaemons,
  }
}

function lesserOfEach(first: Float64Array, second: Float64Array): Float64Array {
  return first.map((amount, axis) => Math.min(amount, second[axis] ?? amount))
}
