import { cheapestOf } from '../hosts/bin.ts'
import type { Plan } from '../plan.ts'

/** What a plan costs. Lower is better, member by member. */
export type PlanCost = {
  readonly unplaced: number
  /** Claims no size of which has a known price. */
  readonly unpriced: number
  readonly microUsdPerHour: number
  readonly claims: number
}

export function costOf({ bins, left }: Plan): PlanCost {
  const prices = bins.map((bin) => cheapestOf(bin)?.offering.price)
  return {
    unplaced: [...left.values()].reduce((sum, count) => sum + count, 0),
    unpriced: prices.filter((price) => price === undefined).length,
    microUsdPerHour: prices.reduce<number>((sum, price) => sum + (price ?? 0), 0),
    claims: bins.length,
  }
}

export function isBetter(first: PlanCost, second: PlanCost): boolean {
  const difference =
    first.unplaced - second.unplaced ||
    first.unpriced - second.unpriced ||
    first.microUsdPerHour - second.microUsdPerHour ||
    first.claims - second.claims
  return difference < 0
}
