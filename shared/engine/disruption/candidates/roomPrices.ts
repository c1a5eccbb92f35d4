/** What the room of machines is worth, by what the machines of the cluster cost. Candidates are compared by what they cost beyond the worth of their pods. */
import { remembered } from '../../../base/caches.ts'
import { inOrder, leastOf, type Order } from '../../../base/lists.ts'
import type { Offering } from '../../../model/instanceType.ts'
import { amountOf, type Resources } from '../../../model/resources.ts'
import { bySavingsRatio, type CandidateWithCost, factsOf, priceOf } from './candidate.ts'

/** CPUs in milli, memory in bytes. */
export type Room = { readonly cpu: number; readonly memory: number }

/** The price of a unit of each, in micro-USD an hour. */
export type RoomPrices = Room

/** What the pods of the candidates ask for. */
export function demandOf(candidates: readonly CandidateWithCost[]): Room {
  let [cpu, memory] = [0, 0]
  for (const { machine } of candidates) {
    const { asked } = factsOf(machine)
    cpu += asked.cpu
    memory += asked.memory
  }
  return { cpu, memory }
}

/**
 * Dual prices of CPU and memory: no candidate costs less than its room at these prices, and at no such prices is the demand of all of them worth more.
 * What can be bought does not count: it may be too small for many pods, or none of them may go there. Undefined if no price is known.
 */
export function roomPricesOf(candidates: readonly CandidateWithCost[]): RoomPrices | undefined {
  const { cpu, memory } = demandOf(candidates)
  const machines = candidates.flatMap(({ choice, node: { allocatable } }): readonly Priced[] => {
    const room = roomIn(allocatable)
    return choice?.price === undefined || room.cpu <= 0 || room.memory <= 0 ? [] : [{ ...room, price: choice.price }]
  })
  if (machines.length === 0 || cpu + memory === 0) return undefined
  const memoryBeside = (price: number): number =>
    Math.max(0, leastOf(machines.map((each) => (each.price - price * each.cpu) / each.memory)))
  const worth = (price: number): number => price * cpu + memoryBeside(price) * memory
  let [low, high] = [0, leastOf(machines.map((each) => each.price / each.cpu))]
  // The worth has one peak. Each step leaves two thirds of the range.
  for (let step = 0; step < STEPS; step++) {
    const [one, other] = [low + (high - low) / 3, high - (high - low) / 3]
    if (worth(one) < worth(other)) low = one
    else high = other
  }
  return { cpu: low, memory: memoryBeside(low) }
}

const STEPS = 50

type Priced = Room & { readonly price: number }

function roomIn(resources: Resources): Room {
  return { cpu: amountOf(resources, 'cpu'), memory: amountOf(resources, 'memory') }
}

function worthOf({ cpu, memory }: Room, prices: RoomPrices): number {
  return cpu * prices.cpu + memory * prices.memory
}

/** Orders candidates by what they cost beyond the worth of their pods, for the cost of moving these: the room that the pods need is not free. */
export function byGain(prices: RoomPrices): Order<CandidateWithCost> {
  const gainOf = remembered((each: CandidateWithCost) => (priceOf(each) - worthOf(factsOf(each.machine).asked, prices)) / each.cost)
  return inOrder<CandidateWithCost>((first, second) => gainOf(second) - gainOf(first), bySavingsRatio)
}

/** The machines that stay have this much room for what all pods ask for, since pods do not fill machines to the last. */
const ROOM_TO_STAY = 1.1

/**
 * Returns the machines that stay while others can go. Machines that are not dear stay in the opposite order of `byGain`, until their room is
 * `ROOM_TO_STAY` times what all pods ask for.
 */
export function stayingOf<Each extends CandidateWithCost>(candidates: readonly Each[], prices: RoomPrices): ReadonlySet<Each> {
  const demand = demandOf(candidates)
  const staying = new Set<Each>()
  let [cpu, memory] = [0, 0]
  const byLoss = candidates.filter((each) => !isDear(each, prices)).sort(byGain(prices))
  for (const each of byLoss.reverse()) {
    if (cpu >= ROOM_TO_STAY * demand.cpu && memory >= ROOM_TO_STAY * demand.memory) break
    const room = roomIn(each.node.allocatable)
    staying.add(each)
    cpu += room.cpu
    memory += room.memory
  }
  return staying
}

/**
 * A machine is dear if its price is more than this multiple of the worth of its room. Set on the first ten clusters of both kinds of
 * `npm run bench:disruption -- --only greedy`.
 */
const DEAR = 1.25

/** Reports whether its room costs less elsewhere: pods that move there would move again. */
function isDear({ choice, node }: Pick<CandidateWithCost, 'choice' | 'node'>, prices: RoomPrices): boolean {
  return choice !== undefined && isDearAt(choice, node.allocatable, prices)
}

/** The same for an offering of a size with this much room. */
export function isDearAt({ price }: Pick<Offering, 'price'>, room: Resources, prices: RoomPrices): boolean {
  return price !== undefined && price > DEAR * worthOf(roomIn(room), prices)
}
