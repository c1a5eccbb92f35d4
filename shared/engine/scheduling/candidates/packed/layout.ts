/** Lays machines out on paper. Claims are opened once the cheapest layout is known. */

import { isWithin } from '../../model/catalog/limits.ts'
import type { NarrowedTemplate } from '../../model/catalog/narrowedTemplate.ts'
import { priceOf } from '../../model/catalog/sizePrices.ts'
import { MOST_RETRIES, PATTERN_SHARE } from '../../model/quantities/tuning.ts'
import { isSpent, type Spending } from '../../model/quantities/work.ts'
import type { NodePoolOption } from '../plan.ts'
import type { BinType } from './dualValues.ts'
import { type FillBuffers, type FillHeuristic, type FillInput, fill, fillAlike } from './fill.ts'
import type { Allotment, Allotments, Item } from './items.ts'
import { type Cheapest, cheapestHolding, type Offer, type Offers, sizesFor } from './offers.ts'
import { type Filled, machineOf, type Share, takeOfRow } from './rows.ts'

/** A pattern, what one machine of it takes of the limits of its pool, and how many machines are filled by it. */
export type PatternUse = { readonly pattern: Pattern; readonly allotment: Allotment; readonly times: number }

export type Pattern = Filled &
  Cheapest & {
    readonly poolOption: NodePoolOption
    readonly binType: NarrowedTemplate
    readonly score: number
  }

/** A column of a mix with its machines rounded down to `times`. `shares`: how many pods of each row one machine holds, of whichever items. */
export type RoundedColumn = { readonly pattern: Pattern; readonly shares: readonly Share[]; readonly times: number }

export type Tools = {
  readonly buffers: FillBuffers
  readonly allotmentOf: Allotments
  /** Each machine is filled by all of these, and the best is taken. */
  readonly heuristics: readonly FillHeuristic[]
  /** When the budget is spent, first fit places the pods that are left. */
  readonly spending: Spending
}

/**
 * Lays out the columns of a mix. Then adds the machine with the highest dual value for its price, again and again. Takes from limits.
 */
export function layOut(offers: Offers, tools: Tools, columns: readonly RoundedColumn[]): readonly PatternUse[] {
  const uses: PatternUse[] = []
  const best = createTournament(offers.all.length, isOfMoreValue)
  for (const column of columns) layOutColumn(column, uses, offers, tools)
  while (!isSpent(tools.spending)) {
    const pattern = bestPattern(offers, best, tools)
    if (pattern === undefined || use(pattern, uses, offers, tools) === 0) break
    useAlike(pattern, uses, offers, tools)
  }
  return uses
}

/**
 * The best machine of all offers. Only offers that changed are asked again: their pods got places, or their pool has limits, which machines of other
 * offers take from as well.
 */
function bestPattern(offers: Offers, best: Tournament<Pattern>, tools: Tools): Pattern | undefined {
  for (const offer of offers.changed()) {
    if (isSpent(tools.spending)) return undefined
    best.set(offer.place, offer.shapes.length === 0 ? undefined : bestOf(offer, offers.dualValue, tools))
  }
  return best.best()
}

function bestOf(offer: Offer, dualValue: Float64Array, tools: Tools): Pattern | undefined {
  const input = { ...offer, dualValue }
  let best: Pattern | undefined
  for (const place of sizesFor(offer)) best = bestByHeuristics(best, offer.binType, place, input, tools)
  return best
}

function bestByHeuristics(
  known: Pattern | undefined,
  binType: BinType,
  place: number,
  input: FillInput,
  tools: Tools,
): Pattern | undefined {
  let best = known
  for (const heuristic of tools.heuristics) {
    const pattern = patternOf(binType, place, input, tools, heuristic)
    if (pattern !== undefined && (best === undefined || isOfMoreValue(pattern, best))) best = pattern
  }
  return best
}

/** Two scores that differ by this share or less count as equal. */
const ALIKE = 1e-6

/** Reports whether the first pattern has the higher score. Of equal scores, the higher dual value wins, so that there are fewer machines. */
function isOfMoreValue(one: Pattern, other: Pattern): boolean {
  const isAlike = Math.abs(one.score - other.score) <= ALIKE * other.score && one.dualValue !== other.dualValue
  return isAlike ? one.dualValue > other.dualValue : one.score > other.score
}

/**
 * The pattern of one machine of the size at this place, or of a cheaper size that holds the same pods. Undefined if it holds no pod or may not be
 * bought.
 */
function patternOf(
  { poolOption, narrowedTemplate }: BinType,
  place: number,
  input: FillInput,
  { buffers, spending: { work } }: Tools,
  heuristic: FillHeuristic,
): Pattern | undefined {
  const size = narrowedTemplate.order[place]
  if (size === undefined) return undefined
  const filled = fill(narrowedTemplate, size, input, buffers, work, heuristic)
  const cheapest = filled.contents.length === 0 ? undefined : cheapestHolding(filled.narrowedTemplate, filled.total, poolOption)
  return (
    cheapest && { ...filled, ...cheapest, poolOption, binType: narrowedTemplate, score: filled.dualValue / Math.max(1, cheapest.price) }
  )
}

/**
 * Lays out machines of the column while pods wait and limits allow. Where rules tell items apart, a machine takes the items with the most waiting
 * pods. The first pods of a coarse row may bring the machine into a zone in which other rows have no pods. The machine then begins with other pods.
 */
function layOutColumn({ pattern, shares: asked, times }: RoundedColumn, uses: PatternUse[], offers: Offers, tools: Tools): void {
  const { work } = tools.spending
  const { binType, size } = pattern
  const isFree = asked.every(({ row }) => row.isFree)
  const shares = asked.map(({ row, count }) => ({ row: { ...row, items: row.items.filter(isWaiting) }, count }))
  let retries = asked.some(({ row }) => row.order === 'any' && !row.isAlike) ? MOST_RETRIES : 0
  for (let left = times; left > 0 && !isSpent(tools.spending); ) {
    work.shapes += shares.length
    const machine = machineOf(binType, size, tools.buffers.neighbours)
    const isFilled = shares.every(({ row, count }) => takeOfRow(machine, row, count) === count) && isStill(pattern, machine)
    work.joins += machine.joins
    if (!isFilled) {
      if (retries-- === 0) return
      beginWithOthers(machine.contents, shares)
      continue
    }
    const used = use({ ...pattern, ...machine }, uses, offers, tools, isFree ? left : 1)
    if (used === 0) return
    left -= used
    forgetPlaced(machine.contents, shares)
  }
}

/** A share whose row holds only items with waiting pods. */
type WaitingShare = { readonly row: { readonly items: Item[] } }

function isWaiting({ count }: Pick<Item, 'count'>): boolean {
  return count > 0
}

/** Takes the items of the machine of which no pod waits any more out of the rows. */
function forgetPlaced(contents: Filled['contents'], shares: readonly WaitingShare[]): void {
  for (const { item } of contents) if (!isWaiting(item)) for (const { row } of shares) takeOut(row.items, item)
}

/** Moves the items of the machine to the end of their rows. */
function beginWithOthers(contents: Filled['contents'], shares: readonly WaitingShare[]): void {
  for (const { item } of contents) for (const { row } of shares) if (takeOut(row.items, item)) row.items.push(item)
}

function takeOut(items: Item[], item: Item): boolean {
  const at = items.indexOf(item)
  if (at >= 0) items.splice(at, 1)
  return at >= 0
}

/**
 * Reports whether the machine still costs the same and takes no more of the limits. Other pods of the same amounts may leave fewer sizes, and larger
 * ones.
 */
function isStill({ poolOption, size, price, capacity }: Pattern, { narrowedTemplate, total }: Filled): boolean {
  if (!narrowedTemplate.template.hasMinValues) return priceOf(narrowedTemplate, size) === price
  const cheapest = cheapestHolding(narrowedTemplate, total, poolOption)
  return cheapest?.size === size && cheapest.price === price && isWithin(cheapest.capacity, capacity)
}

/** Takes as many machines of the pattern as pods and limits allow, at most `atMost`. Returns their number. */
function use(pattern: Pattern, uses: PatternUse[], offers: Offers, { allotmentOf }: Tools, atMost = Number.POSITIVE_INFINITY): number {
  const { poolOption, capacity, contents } = pattern
  const most = contents.reduce((least, { item, count }) => Math.min(least, Math.floor(item.count / count)), atMost)
  const allotment = allotmentOf(poolOption, capacity)
  let times = 0
  for (; times < most && isWithin(capacity, poolOption.limits.left); times++) poolOption.limits.take(allotment.charge)
  if (times === 0) return 0
  for (const { item, count } of contents) offers.take(item, count * times)
  uses.push({ pattern, allotment, times })
  return times
}

/**
 * Takes machines with other pods of the same shapes, up to a share of the waiting pods. Up to this share the pattern stays about as good as it was.
 */
function useAlike(pattern: Pattern, uses: PatternUse[], offers: Offers, tools: Tools): void {
  const { recipe, binType, size } = pattern
  const { work } = tools.spending
  let times = recipe.reduce(
    (least, { shape, count }) => Math.min(least, Math.floor((shape.waiting * PATTERN_SHARE) / count)),
    Number.MAX_VALUE,
  )
  for (; times > 0 && !isSpent(tools.spending); times--) {
    work.shapes += recipe.length
    const alike = fillAlike(pattern, binType, size, offers.dualValue, tools.buffers.neighbours, work)
    if (alike === undefined || !isStill(pattern, alike)) return
    if (use({ ...pattern, ...alike }, uses, offers, tools) === 0) return
  }
}

/** The best of many entries, of which few change at a time. */
interface Tournament<Entry> {
  /** Puts an entry, or none, at the place. Takes time in the logarithm of the number of places. */
  set(place: number, entry: Entry | undefined): void
  best(): Entry | undefined
}

/** `isBetter` is asked whether the second of two entries, in the order of their places, goes before the first. */
export function createTournament<Entry>(places: number, isBetter: (later: Entry, earlier: Entry) => boolean): Tournament<Entry> {
  const first = 2 ** Math.ceil(Math.log2(Math.max(1, places)))
  const winners: (Entry | undefined)[] = Array.from({ length: 2 * first })
  return {
    set(place, entry) {
      let at = first + place
      winners[at] = entry
      for (at >>= 1; at > 0; at >>= 1) {
        const earlier = winners[2 * at]
        const later = winners[2 * at + 1]
        winners[at] = earlier === undefined || (later !== undefined && isBetter(later, earlier)) ? later : earlier
      }
    },
    best: () => winners[1],
  }
}
