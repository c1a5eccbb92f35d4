/**
 * Merges two machines into one that holds the pods of both at no higher price. Each machine boots, is watched and is patched by itself, so fewer are
 * better.
 */

import { isWithin, markAll, negative } from '../../model/catalog/limits.ts'
import type { NarrowedTemplate } from '../../model/catalog/narrowedTemplate.ts'
import { paretoFront } from '../../model/catalog/sizePrices.ts'
import { type Amounts, addTimes, fitsWithin } from '../../model/quantities/amounts.ts'
import { MOST_MERGED_PAIRS } from '../../model/quantities/tuning.ts'
import { isSpent, type Spending, type Work } from '../../model/quantities/work.ts'
import type { TopologyGroup } from '../../model/topology/topologyGroup.ts'
import type { Neighbours } from './hostRules.ts'
import { type Allotments, joinedWith } from './items.ts'
import type { Pattern, PatternUse } from './layout.ts'
import { cheapestHolding } from './offers.ts'

type Tools = { readonly buffers: { readonly neighbours: Neighbours }; readonly allotmentOf: Allotments; readonly spending: Spending }

/** The rules among host names that let no second pod join, by pattern: pods under one of these keep others of the rule off their machine. */
type Exclusive = (pattern: Pattern) => ReadonlySet<TopologyGroup>

/**
 * Merges the cheapest machine first, with the cheapest machine that it can merge with, until no two can be merged. Gives back to limits what is no
 * longer taken.
 */
export function mergedUses(uses: readonly PatternUse[], tools: Tools): readonly PatternUse[] {
  const waiting = [...uses].sort(byPrice)
  const done: PatternUse[] = []
  const share = Math.ceil(MOST_MERGED_PAIRS / Math.max(1, uses.length))
  const exclusiveTo = createExclusive()
  for (let smallest = waiting.shift(); smallest !== undefined; smallest = waiting.shift()) {
    const rest = mergeOne(smallest, waiting, share, { ...tools, exclusiveTo })
    if (rest > 0) done.push({ ...smallest, times: rest })
  }
  return done
}

/**
 * Merges two machines of the use, then each with a machine of another waiting use. Merged machines wait as well. Returns how many machines are left
 * as they are.
 */
function mergeOne(use: PatternUse, waiting: PatternUse[], share: number, tools: Tools & { readonly exclusiveTo: Exclusive }): number {
  const mayShare = sharingWith(use.pattern, tools)
  const own = use.times > 1 ? merge(use, use, Math.floor(use.times / 2), mayShare, tools) : undefined
  if (own !== undefined) putInOrder(waiting, own)
  let left = use.times - 2 * (own?.times ?? 0)
  for (let seen = 0, at = 0; seen < share && at < waiting.length && left > 0 && !isSpent(tools.spending); seen++) {
    const other = waiting[at] ?? use
    const merged = merge(use, other, Math.min(left, other.times), mayShare, tools)
    if (merged === undefined) {
      at++
      continue
    }
    left -= merged.times
    if (other.times > merged.times) waiting[at] = { ...other, times: other.times - merged.times }
    else waiting.splice(at, 1)
    putInOrder(waiting, merged)
  }
  return left
}

function putInOrder(waiting: PatternUse[], use: PatternUse): void {
  const place = waiting.findIndex((each) => byPrice(each, use) > 0)
  waiting.splice(place < 0 ? waiting.length : place, 0, use)
}

function byPrice(one: PatternUse, other: PatternUse): number {
  return one.pattern.price - other.pattern.price
}

/** Merges machines of the two uses in pairs, at most `most` pairs. Undefined if none can be merged. */
function merge(
  one: PatternUse,
  other: PatternUse,
  most: number,
  mayShare: Sharing,
  { allotmentOf, spending: { work } }: Tools,
): PatternUse | undefined {
  const filled = together(one.pattern, other.pattern, mayShare, work)
  if (filled === undefined) return undefined
  const { poolOption } = filled
  let merged: PatternUse | undefined
  for (let times = 1; times <= most; times++) {
    const undo = giveBack(one, other)
    const pattern = merged?.pattern ?? atCheapest(filled, one.pattern.price + other.pattern.price)
    if (pattern === undefined || !isWithin(pattern.capacity, poolOption.limits.left)) {
      undo()
      break
    }
    const allotment = merged?.allotment ?? allotmentOf(poolOption, pattern.capacity)
    poolOption.limits.take(allotment.charge)
    merged = { pattern, allotment, times }
  }
  return merged
}

/** The pattern with its cheapest size. Undefined if there is none for at most this price. */
function atCheapest(filled: Pattern, most: number): Pattern | undefined {
  const cheapest = cheapestHolding(filled.narrowedTemplate, filled.total, filled.poolOption)
  return cheapest === undefined || cheapest.price > most ? undefined : { ...filled, ...cheapest }
}

/** Gives what the machines take back to limits. The function that it returns takes it again. */
function giveBack(...uses: readonly PatternUse[]): () => void {
  const undo = markAll(uses.map(({ pattern }) => pattern.poolOption.limits))
  for (const { pattern, allotment } of uses) pattern.poolOption.limits.take(negative(allotment.charge))
  return undo
}

/**
 * The pods of both patterns on a machine of the pool option of the first. The machine has the constraints of these pods, and not of the bin type it
 * was filled for. Undefined if rules keep the pods apart, or if no machine costs so little.
 */
function together(one: Pattern, other: Pattern, mayShare: Sharing, work: Work): Pattern | undefined {
  const { poolOption } = one
  work.shapes++
  if (!isPayable(poolOption.narrowedTemplate, one, other) || !mayShare(other)) return undefined
  const total = one.total.slice()
  addTimes(total, other.total, 1)
  const narrowedTemplate = joined(joined(poolOption.narrowedTemplate, one), other)
  return narrowedTemplate && { ...one, narrowedTemplate, total, contents: added(one.contents, other.contents) }
}

/** True when a machine with room for both patterns costs no more than the two together. Labels are not compared here. */
function isPayable(narrowedTemplate: NarrowedTemplate, one: Pattern, other: Pattern): boolean {
  const most = one.price + other.price
  const front = paretoFront(narrowedTemplate)
  // Hot code: a counter, since an iterator makes an object for each size until the code is compiled.
  for (let at = 0; at < front.length; at++) {
    const each = front[at]
    if (each === undefined || each.price > most) return false
    if (fitsWithin(one.total, other.total, narrowedTemplate.order[each.place]?.free ?? NOTHING)) return true
  }
  return false
}

const NOTHING: Amounts = new Float64Array()

/** Whether rules among host names let the pods of a pattern onto the machine. */
type Sharing = (other: Pattern) => boolean

/**
 * For the machine of one pattern. Most pairs are refused at the first pods of the other pattern, so the pods of the first pattern stay among the
 * neighbours until others have joined.
 */
function sharingWith(
  one: Pattern,
  { buffers: { neighbours }, exclusiveTo, spending: { work } }: Tools & { readonly exclusiveTo: Exclusive },
): Sharing {
  const exclusive = exclusiveTo(one)
  let isAlone = false
  const beginAlone = (): void => {
    neighbours.clear()
    for (const { item, count } of one.contents) {
      work.joins += item.rules.ruleCount
      neighbours.join(item.rules, count)
    }
    isAlone = true
  }
  return (other) => {
    work.joins++
    if (!exclusive.isDisjointFrom(exclusiveTo(other))) return false
    if (!isAlone) beginAlone()
    const { contents } = other
    for (let at = 0; at < contents.length; at++) {
      const content = contents[at]
      if (content === undefined) break
      const { rules } = content.item
      work.joins += rules.ruleCount
      if (neighbours.room(rules) < content.count) return false
      neighbours.join(rules, content.count)
      isAlone = false
    }
    return true
  }
}

function createExclusive(): Exclusive {
  const known = new Map<Pattern['contents'], ReadonlySet<TopologyGroup>>()
  return ({ contents }) => {
    const exclusive =
      known.get(contents) ?? new Set(contents.flatMap(({ item: { rules } }) => (rules.tightest?.most === 1 ? [rules.tightest.group] : [])))
    known.set(contents, exclusive)
    return exclusive
  }
}

function joined(narrowedTemplate: NarrowedTemplate | undefined, { contents }: Pattern): NarrowedTemplate | undefined {
  let found = narrowedTemplate
  for (const { item } of contents) found = found && joinedWith(found, item.wish)
  return found
}

function added(contents: Pattern['contents'], more: Pattern['contents']): Pattern['contents'] {
  const counts = new Map(contents.map(({ item, count }) => [item, count]))
  for (const { item, count } of more) counts.set(item, (counts.get(item) ?? 0) + count)
  return [...counts].map(([item, count]) => ({ item, count }))
}
