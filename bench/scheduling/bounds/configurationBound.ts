import type { Highs } from 'highs'
import type { BoundProblem } from './boundProblem.ts'
import { hasBit } from './classMask.ts'
import type { Fluid } from './fluidBound.ts'
import { entriesOf, solve } from './linearProgram.ts'
import { between, type Prices, validPrices } from './prices.ts'
import { fullestNode } from './pricing.ts'

export type Configuration = {
  /** US dollars an hour. */
  readonly bound: number
  /** The best possible bound of this kind is at most this share above `bound`. Undefined if the time was too short to tell. */
  readonly slack?: number
}

type Column = { readonly price: number; readonly counts: readonly number[] }

const TOLERANCE = 5e-4
/**
 * Dual smoothing (Wentges). Columns are priced at a mean of two sets of dual values. This share is the weight of the restricted master, and the
 * rest is the weight of the best bound. The dual values then change less from round to round.
 */
const SMOOTHING = 0.4
/** Steps of the search for the best filling of one node: few at first, more once they find nothing. */
const FIRST_EFFORT = 500
const MOST_EFFORT = 5_000_000

/**
 * Returns the cheapest mix of whole columns in fractions, by column generation. A column is a set of pods that fits one node. Dual values of pods
 * prove a bound once they are scaled down until no column is worth more than its node costs (Farley). The best bound counts. `seconds` is processor
 * time of this process.
 */
export function configurationBound(highs: Highs, problem: BoundProblem, fluid: Fluid, seconds: number): Configuration {
  if (problem.demand.shapes.length === 0) return { bound: 0, slack: 0 }
  const columns = firstColumns(problem)
  const startedAt = process.cpuUsage()
  const isLate = (): boolean => cpuSeconds(startedAt) > seconds
  let best = { bound: fluid.bound, prices: fluid.prices }
  let ceiling = Number.POSITIVE_INFINITY
  let smoothing = 0
  let effort = FIRST_EFFORT
  while (!isLate()) {
    const master = masterPrices(highs, problem, columns)
    if (master === undefined) break
    ceiling = master.earned
    if (ceiling <= best.bound * (1 + TOLERANCE)) break
    const prices = between(best.prices, master, smoothing)
    const priced = priceKinds(problem, prices, effort, isLate)
    if (priced === undefined) break
    const bound = prices.earned / Math.max(1, priced.worth)
    if (bound > best.bound) best = { bound, prices: scaled(prices, Math.max(1, priced.worth)) }
    const useful = priced.columns.filter(({ price, counts }) => worthOf(counts, master) > price * (1 + 1e-7))
    columns.push(...useful)
    if (useful.length === 0 && smoothing === 1) effort *= 10
    if (effort > MOST_EFFORT) break
    smoothing = useful.length === 0 ? 1 : SMOOTHING
  }
  return Number.isFinite(ceiling) ? { bound: best.bound, slack: Math.max(0, ceiling / best.bound - 1) } : { bound: best.bound }
}

/** Returns the best column for each kind of node, and the highest ratio of worth to price of any column. Undefined if the time is over. */
function priceKinds({ demand, supply }: BoundProblem, prices: Prices, effort: number, isLate: () => boolean) {
  const columns: Column[] = []
  let worth = 0
  for (const kind of supply.kinds) {
    if (isLate()) return undefined
    const { counts, value, atMost } = fullestNode(demand, kind, prices.shapes, effort)
    worth = Math.max(worth, atMost / kind.price)
    if (value > 0) columns.push({ price: kind.price, counts })
  }
  return { columns, worth }
}

/**
 * Solves the restricted master over the columns and returns its dual values. Existing nodes take fractions of pods, at the dual values of the
 * resources of these nodes. Undefined if the solver has no answer.
 */
function masterPrices(highs: Highs, problem: BoundProblem, columns: readonly Column[]): Prices | undefined {
  const { shapes, axes } = problem.demand
  const { existing } = problem.supply
  const moved = existing
    .flatMap(({ admits }, room) => shapes.flatMap(({ podClass }, shape) => (hasBit(admits, podClass) ? [{ room, shape }] : [])))
    .map((each, index) => ({ ...each, column: columns.length + index }))
  const placed = shapes.map((): [number, number][] => [])
  for (const [index, { counts }] of columns.entries()) {
    for (const [shape, count] of counts.entries()) if (count > 0) placed[shape]?.push([index, count])
  }
  for (const { shape, column } of moved) placed[shape]?.push([column, 1])
  const shapeRows = placed.map((pairs, shape) => ({ ...entriesOf(pairs), atLeast: shapes[shape]?.count ?? 0 }))
  const roomRows = existing.flatMap(({ free }, room) => {
    const own = moved.filter((each) => each.room === room)
    return axes.map((_, axis) => ({
      ...entriesOf(own.map(({ column, shape }) => [column, shapes[shape]?.amounts[axis] ?? 0])),
      atMost: free[axis] ?? 0,
    }))
  })
  const costs = [...columns.map(({ price }) => ({ cost: price })), ...moved.map(() => ({ cost: 0 }))]
  const solved = solve(highs, { columns: costs, rows: [...shapeRows, ...roomRows] })
  if (solved === undefined) return undefined
  const rooms = existing.map((_, room) => axes.map((_axis, axis) => -(solved.duals[shapes.length + room * axes.length + axis] ?? 0)))
  return validPrices(problem, solved.duals.slice(0, shapes.length), rooms)
}

/** Returns the first columns: for each shape, the cheapest node that holds pods of this shape only, and the nodes of the existing plan. */
function firstColumns({ demand, supply, known }: BoundProblem): Column[] {
  const alone = demand.shapes.flatMap(({ podClass, amounts, count, group }, shape) => {
    const most = group === undefined ? count : Math.min(count, demand.groups[group]?.most ?? count)
    const nodes = supply.kinds.flatMap(({ price, free, admits }) => {
      const fitting = Math.min(
        most,
        ...amounts.map((amount, axis) => (amount === 0 ? most : Math.floor((free[axis] ?? 0) / amount + 1e-9))),
      )
      return hasBit(admits, podClass) && fitting > 0
        ? [{ price, counts: demand.shapes.map((_, index) => (index === shape ? fitting : 0)) }]
        : []
    })
    const cost = ({ price, counts }: Column): number => price / (counts[shape] ?? 1)
    return nodes.sort((first, second) => cost(first) - cost(second)).slice(0, 1)
  })
  return [...alone, ...known]
}

function worthOf(counts: readonly number[], { shapes }: Prices): number {
  return counts.reduce((sum, count, shape) => sum + count * (shapes[shape] ?? 0), 0)
}

function scaled(prices: Prices, divisor: number): Prices {
  return {
    shapes: prices.shapes.map((price) => price / divisor),
    rooms: prices.rooms.map((room) => room.map((price) => price / divisor)),
    earned: prices.earned / divisor,
  }
}

function cpuSeconds(since: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(since)
  return (user + system) / 1e6
}
