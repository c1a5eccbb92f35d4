/**
 * Checks whether pods that move find places however kube-scheduler binds them. The scheduler does not know the plan: it takes pods in any order, and
 * prefers the emptiest node that takes a pod. So a pod may take the room that was planned for another pod.
 */
import { tryExistingNode } from '../candidates/firstFit/place.ts'
import { domainFilters, reachOf, record } from '../model/neighbours/domainFilters.ts'
import { type ExistingNode, type ExistingNodeMark, markOf, putBack, putOn } from '../model/nodes/existingNode.ts'
import type { PodClass } from '../model/pods/podClass.ts'
import { type BindingOrder, bindingOrders, type PodToBind } from './bindingOrders.ts'
import { nodesOfBin, WAYS_TO_JOIN } from './nodeOfBin.ts'
import { lift, type PlannedMove } from './plannedMove.ts'
import { freeShare, type SchedulerView } from './schedulerView.ts'

/** The scheduler tries a refused pod again after other pods are bound. */
const MOST_ROUNDS = 3
/** The most nodes without a pod of the moves that are compared for one pod. */
const MOST_COMPARED = 8

export type Standing = SchedulerView & {
  /** All nodes that stay, the emptiest first. */
  readonly nodes: readonly ExistingNode[]
}

/** Classes of pods of which some find no place. */
export type Unbound = ReadonlySet<PodClass>
export const NONE_UNBOUND: Unbound = new Set()

/** Pods that are bound together, and the new nodes that are up by then. */
type Part = { readonly pods: readonly PodToBind[]; readonly coming: readonly ExistingNode[] }

/**
 * Binds the pods of all moves, in several orders. Returns the pods that find no place in the first order in which some do not. All nodes and counts
 * are the same afterwards.
 */
export function unboundByWorstFit(moves: readonly PlannedMove[], standing: Standing): Unbound {
  const restore = lift(moves)
  const coming = moves.flatMap(({ bins }) => bins.map(nodesOfBin))
  const [early, late] = [moves.filter(({ bins }) => bins.length === 0), moves.filter(({ bins }) => bins.length > 0)]
  const [first, then] = [podsOf(early), podsOf(late)]
  const isCertain = coming.every(([least, ...others]) => others.every((each) => each === least))
  const ways = isCertain ? WAYS_TO_JOIN.slice(0, 1) : WAYS_TO_JOIN
  const tries = bindingOrders(standing.scored, [...first, ...then]).flatMap((order) => ways.map((way) => ({ order, way })))
  const unbound = firstUnbound(tries, ({ order, way }) => {
    const { sort } = order
    const up = coming.map((nodes) => nodes[way])
    const together: readonly Part[] = [{ pods: sort([...first, ...then]), coming: up }]
    if (first.length === 0 || then.length === 0) return unboundOf(together, order, standing)
    // Moves without a claim do not wait for the claims of other moves.
    const apart: readonly Part[] = [
      { pods: sort(first), coming: [] },
      { pods: sort(then), coming: up },
    ]
    return firstUnbound([together, apart], (parts) => unboundOf(parts, order, standing))
  })
  restore()
  return unbound
}

function firstUnbound<Item>(items: readonly Item[], unboundIn: (item: Item) => Unbound): Unbound {
  for (const item of items) {
    const unbound = unboundIn(item)
    if (unbound.size > 0) return unbound
  }
  return NONE_UNBOUND
}

function podsOf(moves: readonly PlannedMove[]): readonly PodToBind[] {
  return moves.flatMap(({ log }) =>
    log.flatMap(({ podClass, relaxedPod, count }) => {
      const pod = { podClass, relaxedPod: podClass.relaxedPods.at(-1) ?? relaxedPod }
      return Array.from({ length: count }, () => pod)
    }),
  )
}

function unboundOf(parts: readonly Part[], { worth }: BindingOrder, standing: Standing): Unbound {
  const touched = new Map<ExistingNode, ExistingNodeMark>()
  const bound: { readonly node: ExistingNode; readonly pod: PodToBind }[] = []
  const full = new Map<PodClass, number>()
  const bind = (pod: PodToBind, coming: readonly ExistingNode[]): boolean => {
    const worthNow = (share: number, at: number): number => worth(share, bound.length, at)
    const node = bestNode(pod, { touched, coming, full, worth: worthNow }, standing)
    if (node === undefined) return false
    if (!touched.has(node)) touched.set(node, markOf(node))
    putOn(node, pod.podClass, 1)
    record(node, pod.podClass, pod.relaxedPod)
    bound.push({ node, pod })
    return true
  }
  let left: readonly PodToBind[] = []
  for (const { pods, coming } of parts) {
    left = pods
    for (let round = 0; round < MOST_ROUNDS && left.length > 0; round++) left = left.filter((pod) => !bind(pod, coming))
    if (left.length > 0) break
  }
  for (const { node, pod } of bound) record(node, pod.podClass, pod.relaxedPod, -1)
  for (const [node, mark] of touched) putBack(node, mark)
  return new Set(left.map(({ podClass }) => podClass))
}

/** `full`: by class, the number of nodes, from the first on, that will not take a pod of it any more. */
type Binding = {
  readonly touched: ReadonlyMap<ExistingNode, ExistingNodeMark>
  readonly coming: readonly ExistingNode[]
  readonly full: Map<PodClass, number>
  readonly worth: (share: number, at: number) => number
}

/** Of the nodes that take the pod, the one that is worth most to the scheduler. */
function bestNode(
  { podClass, relaxedPod }: PodToBind,
  { touched, coming, full, worth }: Binding,
  standing: Standing,
): ExistingNode | undefined {
  const { nodes, wholeOf, work } = standing
  const rules = domainFilters(podClass, relaxedPod)
  work.domains += reachOf(rules)
  let best: { readonly node: ExistingNode; readonly value: number } | undefined
  let asked = 0
  const ask = (node: ExistingNode): ReturnType<typeof tryExistingNode> => {
    work.existingNodes++
    const answer = tryExistingNode(node, podClass, relaxedPod, rules, 'early')
    if (answer !== 'fits') return answer
    const value = worth(freeShare(node.free, podClass.amounts, wholeOf(node), standing), asked++)
    if (best === undefined || value > best.value) best = { node, value }
    return answer
  }
  for (const node of touched.keys()) ask(node)
  for (const node of coming) if (!touched.has(node)) ask(node)
  askEmptiest(podClass, { touched, full }, nodes, ask)
  return best?.node
}

/** Asks nodes without a pod of the moves, the emptiest first, until enough of them take the pod. */
function askEmptiest(
  podClass: PodClass,
  { touched, full }: Pick<Binding, 'touched' | 'full'>,
  nodes: readonly ExistingNode[],
  ask: (node: ExistingNode) => ReturnType<typeof tryExistingNode>,
): void {
  let compared = 0
  for (let at = full.get(podClass) ?? 0; at < nodes.length && compared < MOST_COMPARED; at++) {
    const node = nodes[at]
    if (node === undefined || touched.has(node)) continue
    const answer = ask(node)
    if (answer === 'fits') compared++
    if (answer === 'never' && at === (full.get(podClass) ?? 0)) full.set(podClass, at + 1)
  }
}
