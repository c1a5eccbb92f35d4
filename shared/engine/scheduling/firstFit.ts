/**
 * Karpenter's own answer: pods one after another, each into the open claim with the fewest pods that takes it, or into a
 * new claim of the first pool that does. A plan is never dearer than this.
 */
import { maxOf, NO_RESOURCES } from '../../model/resources.ts'
import { type Bin, type BinStart, fitOf, openBin, putInto, survivorsOf } from './bin.ts'
import { withConstraint } from './combination.ts'
import type { Demand, Ground, Start } from './ground.ts'
import { machineOf } from './limits.ts'
import { type Minimums, minimumsOf, relaxed, shortagesOf } from './minValues.ts'
import type { PodGroup } from './podGroups.ts'

/** Adds what can be placed of the demand to the bins, opening new ones; answers what is left. */
export function firstFit(ground: Ground, demand: Demand, bins: Bin[]): Demand {
  const left = new Map<PodGroup, number>()
  for (const [group, wanted] of demand) {
    const open = bins.filter((bin) => fitOf(bin, group) !== undefined)
    let placed = 0
    for (; placed < wanted; placed++) {
      const bin = fewestPods(open) ?? openFor(ground, group)
      const fit = bin === undefined ? undefined : fitOf(bin, group)
      if (bin === undefined || fit === undefined) break
      if (bin.podCount === 0) {
        bins.push(bin)
        open.push(bin)
      }
      putInto(bin, group, 1, fit)
      // What a bin refuses once it refuses for good: totals only grow.
      if (fitOf(bin, group) === undefined) open.splice(open.indexOf(bin), 1)
    }
    if (placed < wanted) left.set(group, wanted - placed)
  }
  return left
}

function fewestPods(open: readonly Bin[]): Bin | undefined {
  let found: Bin | undefined
  for (const bin of open) if (found === undefined || bin.podCount < found.podCount) found = bin
  return found
}

function openFor(ground: Ground, group: PodGroup): Bin | undefined {
  for (const start of ground.starts) {
    const bin = openIn(start, ground, group)
    if (bin !== undefined) return bin
  }
  return undefined
}

/** Takes the largest size it may become from the limits, since nobody knows yet which one it will be. */
function openIn({ combination, limits }: Start, { axes, isStrict }: Ground, group: PodGroup): Bin | undefined {
  const combined = withConstraint(combination, group.constraint)
  if (combined === undefined) return undefined
  const base: BinStart = {
    combination,
    minimums: new Map(),
    ceiling: limits.left === undefined ? undefined : { ...limits.left },
    charge: NO_RESOURCES,
  }
  const sizes = survivorsOf(openBin(base, axes), combined, group.amounts)
  const asked = minimumsOf(combination.template.requirements)
  const shortages = shortagesOf(asked, sizes)
  if (sizes.length === 0 || (isStrict && shortages.length > 0)) return undefined
  const minimums: Minimums = relaxed(asked, shortages)
  const charge = machineOf(sizes.map((size) => size.type.capacity).reduce(maxOf, NO_RESOURCES))
  limits.take(charge)
  return openBin({ ...base, minimums, charge }, axes)
}
