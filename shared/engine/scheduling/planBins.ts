import { type Bin, cheapestOf } from './bin.ts'
import { firstFit } from './firstFit.ts'
import { type Demand, type Ground, tiersOf } from './ground.ts'
import { mergeBins } from './mergeBins.ts'
import { packSeparately } from './packSeparately.ts'
import { packTogether } from './packTogether.ts'

/** `ground` is what the plan left of the limits. */
export type BinPlan = { readonly bins: readonly Bin[]; readonly left: Demand; readonly ground: Ground }

/** What a plan costs. Lower is better, member by member. */
export type PlanCost = {
  readonly unplaced: number
  /** Claims no size of which has a known price. */
  readonly unpriced: number
  readonly microUsdPerHour: number
  readonly claims: number
}

type Packing = (ground: Ground, demand: Demand, bins: Bin[]) => Demand

/** The cheapest of several ways to place the demand on new claims; never worse than first fit. */
export function planBins(newGround: () => Ground, demand: Demand): BinPlan {
  const plain = plainFirstFit(newGround(), demand)
  const others = [packSeparately, packTogether].map((packing) => planWith(packing, newGround(), demand))
  return [plain, ...others].reduce((best, plan) => (isBetter(costOf(plan), costOf(best)) ? plan : best))
}

export function plainFirstFit(ground: Ground, demand: Demand): BinPlan {
  const bins: Bin[] = []
  const left = firstFit(ground, demand, bins)
  return { bins, left, ground }
}

/** Heavier pools take all they can before lighter ones are asked. */
function planWith(packing: Packing, ground: Ground, demand: Demand): BinPlan {
  const bins: Bin[] = []
  let left = demand
  for (const tier of tiersOf(ground)) left = firstFit(tier, packing(tier, left, bins), bins)
  return { bins: mergeBins(bins), left, ground }
}

export function costOf({ bins, left }: Pick<BinPlan, 'bins' | 'left'>): PlanCost {
  const prices = bins.map((bin) => cheapestOf(bin)?.offering.price)
  return {
    unplaced: [...left.values()].reduce((sum, count) => sum + count, 0),
    unpriced: prices.filter((price) => price === undefined).length,
    microUsdPerHour: prices.reduce<number>((sum, price) => sum + (price ?? 0), 0),
    claims: bins.length,
  }
}

function isBetter(first: PlanCost, second: PlanCost): boolean {
  const difference =
    first.unplaced - second.unplaced ||
    first.unpriced - second.unpriced ||
    first.microUsdPerHour - second.microUsdPerHour ||
    first.claims - second.claims
  return difference < 0
}
