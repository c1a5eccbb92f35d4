/**
 * The cheapest machines for few pods. Sets of sizes are listed whose room adds up to what all the pods take, up to a price that grows step by step. The
 * pods are packed into each by branch and bound. The least price that a set of sizes can have, by two resources, cuts the list short. Both searches end
 * after a number of steps, and with their share of the budget. If neither is cut, and no rule tells pods apart, no set of sizes is cheaper.
 */
import { paretoFront } from '../../model/catalog/sizePrices.ts'
import { type Amounts, addTimes, demandOf, fits } from '../../model/quantities/amounts.ts'
import { COVER_STEPS, FEW_PODS, MOST_PACKING_STEPS, MOST_SETS_OF_SIZES, PRICE_STEP, SHARE_FOR_FEW } from '../../model/quantities/tuning.ts'
import { type Spending, spentOn, type Work } from '../../model/quantities/work.ts'
import { type BinType, isWelcome } from './dualValues.ts'
import type { Neighbours } from './hostRules.ts'
import type { Item } from './items.ts'
import type { RoundedColumn } from './layout.ts'
import { cheapestHolding } from './offers.ts'
import { machineOf, type Row, rowsOf, takeOfRow } from './rows.ts'

/** Prices are whole numbers. */
const LEAST_GAIN = 0.5
const ROUNDING = 1e-9

type FewPods = {
  readonly binTypes: readonly BinType[]
  readonly items: readonly Item[]
  readonly neighbours: Neighbours
  readonly spending: Spending
}

/** Reports whether the pods are few, and no rule among host names tells them apart. */
export function areFew(items: readonly Item[]): boolean {
  const isFree = items.length <= FEW_PODS && items.every(({ rules }) => rules.isFree)
  return isFree && items.reduce((sum, { count }) => sum + count, 0) <= FEW_PODS
}

/** The machines that cost least, and less than `most` micro-USD per hour. Undefined if none are found. */
export function wholeMachines(few: FewPods, most: number): readonly RoundedColumn[] | undefined {
  const demand = demandOf(few.items, few.items[0]?.podClass.amounts.length ?? 0)
  const rows = [...rowsOf(few.items)].sort((one, other) => largestShare(other, demand) - largestShare(one, demand))
  const sizes = undominated(
    few.binTypes.flatMap((binType) => sizesUpTo(binType, rows, demand)).sort((one, other) => other.price - one.price),
  )
  const { work, budget } = few.spending
  const mayCost = SHARE_FOR_FEW * budget.better - spentOn(work)
  if (mayCost < TABLE_STEPS * sizes.length) return undefined
  const leastFor = leastPrices(sizes, demand, work)
  const packing = new Packing(few, rows, mayCost)
  const search = new SizeSearch(sizes, leastFor, packing, work, mayCost)
  const least = leastFor(demand)
  let step = Math.max(1, least * PRICE_STEP)
  for (let top = least; ; top = Math.min(most, top + step), step *= 2) {
    const found = search.cheapest(demand, Math.min(most - LEAST_GAIN, top + LEAST_GAIN))
    if (found !== undefined || search.isOver() || top >= most) return found
  }
}

/** A size of machine by its place in the order of the bin type. `takes`: by row. */
type Size = {
  readonly binType: BinType
  readonly place: number
  readonly price: number
  readonly free: Amounts
  readonly takes: readonly boolean[]
}

/** The share of the demand that the pods of a row take, of the resource of which they take most. */
function largestShare({ amounts }: Row, demand: Amounts): number {
  return amounts.reduce((most, amount, axis) => Math.max(most, amount / (demand[axis] || 1)), 0)
}

/** The sizes up to the cheapest that holds all the pods. A dearer one holds no more of them. */
function sizesUpTo(binType: BinType, rows: readonly Row[], demand: Amounts): readonly Size[] {
  const takes = rows.map(({ items: [item] }) => item !== undefined && isWelcome(binType, item))
  const sizes = paretoFront(binType.narrowedTemplate).map(({ place, price }) => {
    const free = binType.narrowedTemplate.order[place]?.free ?? demand
    return { binType, place, price, free, takes }
  })
  const enough = sizes.findIndex(({ free }) => fits(demand, free))
  return enough < 0 ? sizes : sizes.slice(0, enough + 1)
}

/** The sizes for which no other is at most as dear, holds as much, and takes as many rows. Dearest first, as they come. */
function undominated(sizes: readonly Size[]): readonly Size[] {
  const kept: Size[] = []
  const beats = (other: Size, size: Size): boolean =>
    fits(size.free, other.free) && size.takes.every((isTaken, row) => !isTaken || other.takes[row] === true)
  for (const size of [...sizes].reverse()) if (!kept.some((other) => beats(other, size))) kept.push(size)
  return kept.reverse()
}

type LeastFor = (amounts: Amounts) => number

/** The least price of machines whose room adds up to amounts of the two resources that cost most, in steps of the demand. */
function leastPrices(sizes: readonly Size[], demand: Amounts, work: Work): LeastFor {
  const costs = [...demand.keys()].map((axis) => ({ axis, cost: (demand[axis] ?? 0) * leastPerUnit(sizes, axis) }))
  const [first = { axis: 0 }, second = first] = costs.filter(({ cost }) => cost > 0).sort((one, other) => other.cost - one.cost)
  const unitOf = (axis: number): number => (demand[axis] ?? 0) / COVER_STEPS || 1
  const stepsOf = (axis: number, free: number): number => Math.min(COVER_STEPS, Math.ceil(free / unitOf(axis) - ROUNDING))
  const machines = sizes.map(({ price, free }) => ({
    price,
    down: stepsOf(first.axis, free[first.axis] ?? 0),
    right: stepsOf(second.axis, free[second.axis] ?? 0),
  }))
  const width = COVER_STEPS + 1
  const table = new Float64Array(TABLE_STEPS)
  work.shapes += table.length * machines.length
  for (let at = 1; at < table.length; at++) {
    const [down, right] = [Math.floor(at / width), at % width]
    let least = Number.POSITIVE_INFINITY
    for (const machine of machines) {
      const before = Math.max(0, down - machine.down) * width + Math.max(0, right - machine.right)
      if (before !== at) least = Math.min(least, machine.price + (table[before] ?? 0))
    }
    table[at] = least
  }
  const stepOf = (amounts: Amounts, axis: number): number =>
    Math.max(0, Math.min(COVER_STEPS, Math.floor((amounts[axis] ?? 0) / unitOf(axis) + ROUNDING)))
  return (amounts) => table[stepOf(amounts, first.axis) * width + stepOf(amounts, second.axis)] ?? 0
}

function leastPerUnit(sizes: readonly Size[], axis: number): number {
  return sizes.reduce((least, { price, free }) => Math.min(least, price / (free[axis] ?? 0)), Number.POSITIVE_INFINITY)
}

/** Lists sets of sizes, dearest size first. A set that the pods cannot be packed into is tried with one more machine. */
class SizeSearch {
  private readonly sizes: readonly Size[]
  private readonly leastFor: LeastFor
  private readonly packing: Packing
  private readonly work: Work
  private readonly chosen: Size[] = []
  private best: readonly RoundedColumn[] | undefined
  private top = 0
  private steps: number

  constructor(sizes: readonly Size[], leastFor: LeastFor, packing: Packing, work: Work, mayCost: number) {
    this.work = work
    this.steps = Math.min(MOST_SETS_OF_SIZES, mayCost / SET_STEP)
    this.sizes = sizes
    this.leastFor = leastFor
    this.packing = packing
  }

  isOver(): boolean {
    return this.steps <= 0 || this.packing.isOver()
  }

  /** The machines that cost least, at most `top`. */
  cheapest(demand: Amounts, top: number): readonly RoundedColumn[] | undefined {
    this.top = top
    const before = this.steps
    this.visit(demand, 0, 0)
    this.work.shapes += SET_STEP * (before - Math.max(0, this.steps))
    return this.best
  }

  private visit(rest: Amounts, from: number, price: number): void {
    if (this.isOver() || this.chosen.length > this.packing.pods.length) return
    if (rest.every((amount) => amount <= 0)) {
      const packed = this.packing.pack(this.chosen)
      if (packed !== undefined) {
        this.best = packed
        this.top = price - LEAST_GAIN
        return
      }
    }
    for (let at = from; at < this.sizes.length; at++) {
      const size = this.sizes[at]
      if (size === undefined || price + size.price > this.top) continue
      this.steps--
      const after = rest.map((amount, axis) => amount - Math.min(size.free[axis] ?? 0, Number.MAX_SAFE_INTEGER))
      if (price + size.price + this.leastFor(after) > this.top) continue
      this.chosen.push(size)
      this.visit(after, at, price + size.price)
      this.chosen.pop()
    }
  }
}

/** Packs all pods into given machines, largest pods first, each into the machine with least room left for it. */
class Packing {
  private readonly few: FewPods
  private readonly rows: readonly Row[]
  /** The row of each pod. */
  readonly pods: readonly number[]
  private readonly weights: Amounts
  private machines: readonly { readonly size: Size; readonly left: Amounts; readonly counts: Uint8Array }[] = []
  private steps = 0
  private all: number

  constructor(few: FewPods, rows: readonly Row[], mayCost: number) {
    this.few = few
    this.all = Math.min(MOST_PACKING_STEPS * MOST_PACKED, mayCost / STEP)
    this.rows = rows
    this.pods = rows.flatMap(({ items }, row) => items.flatMap(({ count }) => Array.from({ length: count }, () => row)))
    this.weights = demandOf(few.items, rows[0]?.amounts.length ?? 0).map((amount) => (amount > 0 ? 1 / amount : 0))
  }

  isOver(): boolean {
    return this.all <= 0
  }

  pack(sizes: readonly Size[]): readonly RoundedColumn[] | undefined {
    this.machines = sizes.map((size) => ({ size, left: size.free.slice(), counts: new Uint8Array(this.rows.length) }))
    this.steps = MOST_PACKING_STEPS
    const isPacked = this.place(0)
    const spent = MOST_PACKING_STEPS - Math.max(0, this.steps)
    this.all -= spent
    this.few.spending.work.shapes += spent * STEP
    return isPacked ? this.filled() : undefined
  }

  private place(at: number): boolean {
    const row = this.pods[at]
    if (row === undefined) return true
    const amounts = this.rows[row]?.amounts ?? this.weights
    const fitting = this.machines
      .filter(({ size, left }) => size.takes[row] === true && fits(amounts, left))
      .map((machine) => ({ machine, room: this.roomIn(machine.left) }))
      .sort((one, other) => one.room - other.room)
    let before = Number.NaN
    for (const { machine, room } of fitting) {
      // Machines with the same room are most often of one size, with the same pods.
      if (room === before) continue
      before = room
      if (this.steps-- <= 0) return false
      addTimes(machine.left, amounts, -1)
      machine.counts[row] = (machine.counts[row] ?? 0) + 1
      if (this.place(at + 1)) return true
      addTimes(machine.left, amounts, 1)
      machine.counts[row] = (machine.counts[row] ?? 0) - 1
    }
    return false
  }

  /** What a machine has left, in shares of the demand. Attachments without a known limit do not count: with them, all machines would look alike. */
  private roomIn(left: Amounts): number {
    let room = 0
    for (let axis = 0; axis < left.length; axis++) {
      const [weight, amount] = [this.weights[axis] ?? 0, left[axis] ?? 0]
      if (weight > 0 && amount < Number.POSITIVE_INFINITY) room += weight * amount
    }
    return room
  }

  /** The machines with their pods. Undefined if rules keep some pods of a machine apart, or if labels leave a dearer size. */
  private filled(): readonly RoundedColumn[] | undefined {
    const columns = this.machines.flatMap(({ size, counts }) => this.columnOf(size, counts) ?? [])
    return columns.length === this.machines.length ? columns : undefined
  }

  private columnOf({ binType: { poolOption, narrowedTemplate }, place, price }: Size, counts: Uint8Array): RoundedColumn | undefined {
    const size = narrowedTemplate.order[place]
    if (size === undefined) return undefined
    const machine = machineOf(narrowedTemplate, size, this.few.neighbours)
    const shares = this.rows.flatMap((row, at) => ((counts[at] ?? 0) === 0 ? [] : [{ row, count: counts[at] ?? 0 }]))
    const isFilled = shares.every(({ row, count }) => takeOfRow(machine, row, count) === count)
    this.few.spending.work.joins += machine.joins
    const cheapest = isFilled && shares.length > 0 ? cheapestHolding(machine.narrowedTemplate, machine.total, poolOption) : undefined
    if (cheapest === undefined || cheapest.price > price) return undefined
    return { pattern: { ...machine, ...cheapest, poolOption, binType: narrowedTemplate, score: 0 }, shares, times: 1 }
  }
}

/** The numbers of the table of least prices. */
const TABLE_STEPS = (COVER_STEPS + 1) ** 2
/** The cost of a set of sizes that is listed, and of a step of packing, in looks at a shape. Estimated. */
const SET_STEP = 5
const STEP = 20
/** Sets of sizes that may take all their steps. */
const MOST_PACKED = 200
