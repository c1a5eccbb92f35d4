/**
 * The cheapest mixture of patterns, where many machines hold pods of few kinds: column generation. What a pod is worth follows from the
 * mixture so far, and each size is asked what it could hold that is worth more than it costs. Whole machines of the mixture are bought; what
 * its fractions leave over is little, and laid out as usual.
 */
import { countFitting } from '../amounts.ts'
import { frontierOf } from '../catalog/sizePrices.ts'
import type { Work } from '../work.ts'
import { fullest, type Kind, type Rows } from './fullest.ts'
import type { Item } from './items.ts'
import type { Bought, Pattern } from './layout.ts'
import { machineOf, takeOf } from './machine.ts'
import { type Column, type Count, createMaster, type Master } from './master.ts'
import type { Neighbours } from './neighbours.ts'
import { cheapestHolding } from './sizes.ts'
import { isWelcome, type Seed } from './worth.ts'

/** Kinds of pods up to which mixtures are looked for: their cost grows with the square. */
const MOST_ROWS = 200
/** Mixtures pay where so many machines share a kind of pods, so that what fractions leave over is little. */
const MACHINES_PER_ROW = 1
/** Shapes looked at for one mixture, for each machine it is to replace, and in all: bounds the time of a decision. */
const SHAPES_PER_MACHINE = 10_000
const MOST_SHAPES = 8_000_000
/**
 * Sets looked at for one machine, and how far on the way back to those asked for before the prices lie, so that they swing less: as long as
 * something is found, and then in turn.
 */
const EFFORTS = [
  { sets: 1_000, swing: 0.8 },
  { sets: 1_000, swing: 0 },
  { sets: 20_000, swing: 0 },
] as const
const ROUNDING = 1e-6

type Offered = Column & { readonly pattern: Pattern }

type Stall = { readonly seed: Seed; readonly place: number; readonly kind: Kind }

/** `bought`: machines that the items could be laid out on, to begin with. Undefined: no mixture was looked for. */
export function mixtureOf(
  seeds: readonly Seed[],
  items: readonly Item[],
  bought: readonly Bought[],
  neighbours: Neighbours,
  work: Work,
): readonly Bought[] | undefined {
  const machines = bought.reduce((sum, { times }) => sum + times, 0)
  if (items.length > MOST_ROWS || machines < items.length * MACHINES_PER_ROW) return undefined
  const columnOf = columnMaker(items, neighbours)
  const stalls = stallsOf(seeds, items)
  const rows: Rows = { amounts: items.map(({ podClass }) => podClass.amounts), most: items.map((item) => mostTogether(item, neighbours)) }
  const alone = items.map((_, row) => cheapestAlone(row, stalls, rows, columnOf))
  if (!alone.every((column) => column !== undefined)) return undefined
  const master = createMaster<Offered>(
    items.map(({ count }) => count),
    alone,
  )
  const known = [...alone, ...bought.map(({ pattern }) => asColumn(pattern))]
  const end = work.shapes + Math.min(MOST_SHAPES, machines * SHAPES_PER_MACHINE)
  improve(master, { stalls, rows, columnOf, known, end }, work)
  return master.bought().flatMap(([{ pattern }, times]) => {
    const whole = Math.floor(times + ROUNDING)
    return whole > 0 ? [{ pattern, times: whole }] : []
  })
}

/** Pods of the item that one machine may hold, where it has room. */
function mostTogether({ rules, count }: Item, neighbours: Neighbours): number {
  neighbours.clear()
  return Math.min(count, neighbours.room(rules))
}

type ColumnOf = (stall: Stall, counts: readonly Count[]) => Offered | undefined

type Market = {
  readonly stalls: readonly Stall[]
  readonly rows: Rows
  readonly columnOf: ColumnOf
  /** Columns that have been found. A buffer. What was driven out may be wanted again. */
  readonly known: Offered[]
  /** Where the count of shapes may get to. */
  readonly end: number
}

function improve(master: Master<Offered>, { stalls, rows, columnOf, known, end }: Market, work: Work): void {
  let asked = master.worth.slice()
  for (let idle = 0; ; ) {
    const effort = EFFORTS[idle]
    if (effort === undefined) return
    const { sets, swing } = effort
    const before = asked
    work.shapes += known.length
    let isBetter = known.reduce((any, column) => master.offer(column) || any, false)
    for (const stall of stalls) {
      if (work.shapes >= end) return
      asked = master.worth.map((each, row) => swing * (before[row] ?? each) + (1 - swing) * each)
      const counts = fullest(stall.kind, rows, asked, sets, work)
      const column = counts && columnOf(stall, counts)
      if (column === undefined) continue
      known.push(column)
      if (master.offer(column)) isBetter = true
    }
    idle = isBetter ? 0 : idle + 1
  }
}

function stallsOf(seeds: readonly Seed[], items: readonly Item[]): readonly Stall[] {
  return seeds.flatMap((seed) => {
    const { order, best } = seed.combination
    const takes = items.map((item) => isWelcome(seed, item))
    return frontierOf(seed.combination).flatMap((place) => {
      const free = order[place]?.free
      return free === undefined ? [] : [{ seed, place, kind: { price: best[place]?.price ?? 0, free, takes } }]
    })
  })
}

/** What the machine costs that it takes, all its wishes met. Undefined: the pods cannot share one, or none may be bought. */
function columnMaker(items: readonly Item[], neighbours: Neighbours): ColumnOf {
  return ({ seed: { start, combination: seed }, place }, counts) => {
    const size = seed.order[place]
    if (size === undefined) return undefined
    const machine = machineOf(seed, size, neighbours)
    for (const [row, count] of counts) {
      const item = items[row]
      if (item === undefined || !takeOf(machine, item, count)) return undefined
    }
    const cheapest = cheapestHolding(machine.combination, machine.total, start)
    return cheapest && asColumn({ ...machine, ...cheapest, start, seed, score: 0 })
  }
}

function asColumn(pattern: Pattern): Offered {
  return { pattern, price: pattern.price, counts: pattern.contents.map(({ item, count }) => [item.id, count] as const) }
}

function cheapestAlone(row: number, stalls: readonly Stall[], { amounts, most }: Rows, columnOf: ColumnOf): Offered | undefined {
  let best: Offered | undefined
  let least = Number.POSITIVE_INFINITY
  for (const stall of stalls) {
    const { free, price, takes } = stall.kind
    const count = takes[row] === true ? countFitting(amounts[row] ?? free, free, most[row] ?? 0) : 0
    if (count === 0 || price / count >= least) continue
    const column = columnOf(stall, [[row, count]])
    if (column === undefined) continue
    best = column
    least = price / count
  }
  return best
}
