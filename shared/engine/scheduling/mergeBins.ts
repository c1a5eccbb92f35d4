import { add } from '../../model/resources.ts'
import { type Bin, cheapestOf, openBin, putInto } from './bin.ts'
import { type Combination, withConstraint } from './combination.ts'

/** Bins looked at: the cheapest ones, which are what a search leaves over. */
const MOST = 24

/** Joins two bins wherever one machine for both costs no more than two. */
export function mergeBins(bins: readonly Bin[]): readonly Bin[] {
  let current = [...bins]
  for (let merged = mergeOne(current); merged !== undefined; merged = mergeOne(current)) current = merged
  return current
}

function mergeOne(bins: readonly Bin[]): Bin[] | undefined {
  const candidates = bins
    .map((bin) => ({ bin, price: priceOf(bin) }))
    .filter(({ bin, price }) => price !== undefined && bin.minimums.size === 0)
    .sort((first, second) => (first.price ?? 0) - (second.price ?? 0))
    .slice(0, MOST)
  for (const [index, first] of candidates.entries()) {
    for (const second of candidates.slice(index + 1)) {
      const joined = join(first.bin, second.bin)
      const price = joined === undefined ? undefined : priceOf(joined)
      if (joined === undefined || price === undefined || price > (first.price ?? 0) + (second.price ?? 0)) continue
      return [...bins.filter((bin) => bin !== first.bin && bin !== second.bin), joined]
    }
  }
  return undefined
}

function join(first: Bin, second: Bin): Bin | undefined {
  if (first.combination.template !== second.combination.template) return undefined
  let combination: Combination | undefined = first.combination
  for (const group of second.counts.keys()) combination &&= withConstraint(combination, group.constraint)
  if (combination === undefined) return undefined
  const isLimited = first.ceiling !== undefined && second.ceiling !== undefined
  const charge = add(first.charge, second.charge)
  const ceiling = isLimited ? add(first.ceiling, second.ceiling) : undefined
  const bin = openBin({ combination, minimums: new Map(), ceiling, charge }, first.total.length)
  for (const part of [first, second]) {
    for (const [group, count] of part.counts) putInto(bin, group, count, { combination, cursor: 0 })
  }
  return bin
}

function priceOf(bin: Bin): number | undefined {
  return cheapestOf(bin)?.offering.price
}
