/** Whether a move of a pool with the policy Balanced saves enough for what it disturbs, measured by what the whole pool costs. */
import type { NodePool } from '../../model/nodePool.ts'
import type { StateNode } from '../cluster/stateNode.ts'
import { priceOf, type Weighed } from './candidate.ts'
import { rescheduleCost } from './moveCost.ts'

/** A move may cost twice as large a share of its pool's disruption as the share of the price that it saves. */
export const LEAST_SCORE = 0.5

/** What a pool comes to: micro dollars an hour, and the cost to move everything in it. */
export type Totals = { readonly price: number; readonly cost: number }

export function totalsOf(weighed: readonly Weighed[], others: Iterable<StateNode>): Totals {
  const own = new Set(weighed.map(({ machine }) => machine))
  let cost = 0
  for (const machine of others) if (!own.has(machine)) cost += rescheduleCost(machine.pods)
  return {
    price: weighed.reduce((sum, each) => sum + priceOf(each), 0),
    cost: weighed.reduce((sum, each) => sum + each.cost, cost),
  }
}

/** Share of the price that is saved, by the share of the disruption: 0 where nothing is saved. */
export function scoreOf(saving: number, cost: number, totals: Totals): number {
  const saved = totals.price > 0 ? saving / totals.price : 0
  const disturbed = totals.cost > 0 ? cost / totals.cost : 0
  if (saved <= 0) return 0
  return disturbed === 0 ? Number.POSITIVE_INFINITY : saved / disturbed
}

/** The first Balanced pool of the move that the move does not pay for, and its score. What is saved is split by what the machines cost. */
export function unbalanced(
  candidates: readonly Weighed[],
  saving: number,
  totals: (pool: NodePool) => Totals,
): { readonly pool: NodePool; readonly score: number } | undefined {
  const price = candidates.reduce((sum, each) => sum + priceOf(each), 0)
  for (const [pool, own] of Map.groupBy(candidates, (each) => each.pool)) {
    if (pool.disruption.consolidationPolicy !== 'Balanced') continue
    const ownPrice = own.reduce((sum, each) => sum + priceOf(each), 0)
    const share = own.length === candidates.length ? 1 : price > 0 ? ownPrice / price : 0
    const cost = own.reduce((sum, each) => sum + each.cost, 0)
    const score = scoreOf(saving * share, cost, totals(pool))
    if (score < LEAST_SCORE) return { pool, score }
  }
  return undefined
}
