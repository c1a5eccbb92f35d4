/**
 * Finds the node that kube-scheduler prefers for a pod: an empty node that takes it, and whose CPU and memory it brings into balance. Nodes are kept in the order of their free shares, so that few of
 * them are asked for each pod.
 */
import { placeOnExistingNodes } from '../candidates/firstFit/firstFit.ts'
import { tryExistingNode } from '../candidates/firstFit/place.ts'
import type { Plan } from '../candidates/plan.ts'
import { type DomainFilter, domainFilters, reachOf } from '../model/neighbours/domainFilters.ts'
import { type ExistingNode, type ExistingNodeMark, roomOn } from '../model/nodes/existingNode.ts'
import type { PodClass, QueueEntry } from '../model/pods/constraint.ts'
import { type Amounts, fits } from '../model/quantities/amounts.ts'
import { type BindingOrder, isClosed, type Place, type PodToBind } from './bindingOrders.ts'
import { freeShare, imbalance, type SchedulerView, takeBack } from './placedPods.ts'

/** The most nodes without a pod of the moves that are compared for one pod. */
const MOST_COMPARED = 8

/** To pass over so many nodes costs as much as to ask one. */
const PASSED_FOR_ONE = 4

export type Binding = Pick<BindingOrder, 'more' | 'most'> & {
  readonly view: SchedulerView
  /** The nodes that stay. */
  readonly roomy: RoomyPlaces
  /** New nodes that are up. The list grows. */
  readonly coming: readonly Place[]
  /** The most that a node of the plan has, axis by axis. */
  readonly largest: Amounts
}

export interface EmptiestNode {
  /** The place for one more pod. Undefined if no node takes it. */
  bestFor(pod: PodToBind): Place | undefined
  /** Tells that the place has got a pod. */
  tell(place: Place): void
}

export function createEmptiestNode(binding: Binding): EmptiestNode {
  const { view, coming } = binding
  /** The places that have got pods, in the order of their free shares. */
  const touched: Place[] = []
  const searches = new Map<PodToBind, Search>()
  let bound = 0

  return {
    bestFor(pod) {
      const search = searches.get(pod) ?? createSearch(pod, binding)
      searches.set(pod, search)
      search.begin(bound)
      let compared = 0
      for (const place of touched) {
        if (compared === MOST_COMPARED || search.isBehind(place)) break
        if (search.ask(place)) compared++
      }
      for (const place of coming) if (place.pods === 0 && !search.isBehind(place)) search.ask(place)
      search.askStaying()
      return search.best()
    },
    tell(place) {
      bound++
      place.pods++
      place.share = freeShare(place.node.free, undefined, place.whole, view)
      if (place.pods === 1) touched.push(place)
      settle(touched, touched.indexOf(place))
    },
  }
}

/** Puts the place where it belongs by its free share. All others are in order. */
function settle(places: Place[], from: number): void {
  const place = places[from]
  if (place === undefined) return
  let at = from
  for (let next = places[at + 1]; next !== undefined && next.share > place.share; next = places[at + 1]) places[at++] = next
  for (let last = places[at - 1]; last !== undefined && last.share < place.share; last = places[at - 1]) places[at--] = last
  places[at] = place
}

/** Searches for pods of one class, one after another. */
interface Search {
  /** Begins the search for the pod with this number. */
  begin(pod: number): void
  /** Reports whether the place takes the pod. */
  ask(place: Place): boolean
  /** Asks nodes that stay and have no pod of the moves, the emptiest first. */
  askStaying(): void
  /** Reports whether the place cannot be better than the best one so far, nor any place with a smaller free share. */
  isBehind(place: Place): boolean
  best(): Place | undefined
}

function createSearch(pod: PodToBind, { more, most, view, largest, roomy }: Binding): Search {
  const { podClass, relaxedPod } = pod
  const placeAt = roomy.placesFor(pod)
  /** The places that take no pod of the class any more. */
  const never = new Set<Place>()
  // A pod changes the imbalance of a node by no more than its own imbalance, and a change counts by half.
  const leastLoss = freeShare(podClass.amounts, undefined, largest, view) - imbalance(podClass.amounts, undefined, largest, view) / 2
  let [number, from] = [0, 0]
  let rules: readonly DomainFilter[] = []
  let best: Place | undefined
  let value = Number.NEGATIVE_INFINITY

  /** Costs no search. A pod with a shared volume needs less than its amounts say where the volume is mounted. */
  const isTooSmall = ({ node }: Place): boolean => podClass.shared.length === 0 && !fits(podClass.amounts, node.free)

  function takes(place: Place): boolean {
    if (isTooSmall(place) || never.has(place)) return false
    view.work.existingNodes++
    const answer = tryExistingNode(place.node, podClass, relaxedPod, rules, 'early')
    if (answer === 'never') never.add(place)
    return answer === 'fits'
  }

  /** `hasRoom`: only rules about other pods can keep the pod away. */
  function ask(place: Place, hasRoom: boolean): boolean {
    if (!(hasRoom && rules.length === 0) && !takes(place)) return false
    const own = scoreWith(place, podClass.amounts, view) + more(number, place.at)
    if (own > value) {
      best = place
      value = own
    }
    return true
  }

  const isBehind = ({ share }: Place): boolean => share - leastLoss + most < value
  return {
    begin(pod) {
      rules = domainFilters(podClass, relaxedPod)
      view.work.domains += reachOf(rules)
      number = pod
      best = undefined
      value = Number.NEGATIVE_INFINITY
    },
    ask: (place) => ask(place, false),
    askStaying() {
      let [compared, passed] = [0, 0]
      for (let at = from; compared < MOST_COMPARED; at++) {
        const next = placeAt(at)
        if (next === undefined) break
        const { place, isSure } = next
        if (place.pods > 0 || isClosed(place)) {
          if (at === from) from++
          passed++
          continue
        }
        if (isBehind(place)) break
        if (ask(place, isSure)) compared++
      }
      view.work.existingNodes += Math.floor(passed / PASSED_FOR_ONE)
    },
    isBehind,
    best: () => best,
  }
}

/** What the scheduler's plugins LeastAllocated and BalancedAllocation make of the node with a pod of these amounts. */
function scoreWith({ node: { free }, whole }: Place, amounts: Amounts, view: Binding['view']): number {
  const gain = (imbalance(free, undefined, whole, view) - imbalance(free, amounts, whole, view)) / 2
  return freeShare(free, amounts, whole, view) + gain
}

/**
 * Places pods that move on nodes that stay, in a plan that has placed nothing yet. If some are left over, two more ways are tried. First these pods
 * come before the others, which may have taken the only room for them. Then all pods ask for as few preferences as in `less`. Such a way stands if it
 * leaves nothing over.
 */
export function fillNodes(plan: Plan, queue: readonly QueueEntry[], less: readonly QueueEntry[] | undefined): void {
  const undo = (): void => takeBack(plan, 0, NO_MARKS)
  const isLeft = ({ podClass }: QueueEntry): boolean => (plan.left.get(podClass) ?? 0) > 0
  placeOnExistingNodes(plan, queue)
  const left = queue.filter(isLeft)
  if (left.length === 0) return
  const others = queue.filter((each) => !left.includes(each))
  const ways = [...(others.length === 0 ? [] : [[...left, ...others]]), ...(less === undefined ? [] : [less])]
  for (const way of ways) {
    undo()
    placeOnExistingNodes(plan, way)
    if (!queue.some(isLeft)) return
  }
  if (ways.length === 0) return
  undo()
  placeOnExistingNodes(plan, queue)
}

const NO_MARKS: ReadonlyMap<ExistingNode, ExistingNodeMark> = new Map()

/** The nodes that have room for pods of a class before any pod of the moves is bound. They are looked for once in a decision. */
interface RoomyPlaces {
  /** Returns a function that gives the places with room for the pod one after another, the emptiest first. Undefined if there are no more. */
  placesFor(pod: PodToBind): (number: number) => RoomyPlace | undefined
}

/** `isSure`: false if the node was closed or had a pod of the moves when it was looked at. Then it may have no room without them either. */
export type RoomyPlace = { readonly place: Place; readonly isSure: boolean }

type Found = { readonly roomy: RoomyPlace[]; next: number }

/** `places`: nodes that stay, the emptiest first. */
export function createRoomyPlaces(places: readonly Place[], { work }: Pick<SchedulerView, 'work'>): RoomyPlaces {
  const known = new Map<PodClass, Found>()

  function look(found: Found, { podClass, relaxedPod }: PodToBind): boolean {
    const place = places[found.next++]
    if (place === undefined) return false
    const isSure = place.pods === 0 && !isClosed(place)
    if (isSure) work.existingNodes++
    if (!isSure || roomOn(place.node, podClass, relaxedPod.constraint, 1) > 0) found.roomy.push({ place, isSure })
    return true
  }

  return {
    placesFor(pod) {
      const found = known.get(pod.podClass) ?? { roomy: [], next: 0 }
      known.set(pod.podClass, found)
      return (number) => {
        while (number >= found.roomy.length && look(found, pod));
        return found.roomy[number]
      }
    },
  }
}
