/** Whether a move in a pool with the policy Balanced saves enough for what it disrupts. Both are measured as shares of the whole pool. */
import type { NodePool } from '../../../model/nodePool.ts'
import type { StateNode } from '../../cluster/stateNode.ts'
import { type CandidateWithCost, priceOf } from '../candidates/candidate.ts'
import { rescheduleCost } from '../candidates/moveCost.ts'

/** The least score of a move. The share of the pool's disruption that it costs may be twice the share of the pool's price that it saves. */
export const LEAST_SCORE = 0.5

/** The totals of a pool: its price in micro-USD an hour, and the cost of moving everything in it. */
export type Totals = { readonly price: number; readonly cost: number }

export function totalsOf(weighed: readonly CandidateWithCost[], others: Iterable<StateNode>): Totals {
  const own = new Set(weighed.map(({ machine }) => machine))
  let cost = 0
  for (const machine of others) if (!own.has(machine)) cost += rescheduleCost(machine.pods)
  return {
    price: weighed.reduce((sum, each) => sum + priceOf(each), 0),
    cost: weighed.reduce((sum, each) => sum + each.cost, cost),
  }
}

/** The share of the price that is saved, divided by the share of the disruption. 0 if nothing is saved. */
export function scoreOf(saving: number, cost: number, totals: Totals): number {
  const saved = totals.price > 0 ? saving / totals.price : 0
  const disturbed = totals.cost > 0 ? cost / totals.cost : 0
  if (saved <= 0) return 0
  return disturbed === 0 ? Number.POSITIVE_INFINITY : saved / disturbed
}

/**
 * The first Balanced pool in which the move scores too little, and the score. The saving is split between the pools by the price of their machines.
 * Undefined if there is no such pool.
 */
export function unbalanced(
  candidates: readonly CandidateWithCost[],
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
