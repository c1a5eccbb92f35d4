/** The rule of Balanced pools: a command needs a saving large enough for its disruption, both as shares of the pool's totals. */
import type { ClusterSnapshot } from '../../../shared/model/clusterSnapshot.ts'
import { LABEL } from '../../../shared/model/labels.ts'
import type { NodePool } from '../../../shared/model/nodePool.ts'
import { costOf, podsOn, priceOfNode } from './candidate.ts'
import type { Command } from './command.ts'

const LEAST_SCORE = 0.5

export function isApproved(snapshot: ClusterSnapshot, { candidates, saving }: Command): boolean {
  const price = candidates.reduce((sum, each) => sum + each.price, 0)
  return [...Map.groupBy(candidates, ({ pool }) => pool)].every(([pool, own]) => {
    if (pool.disruption.consolidationPolicy !== 'Balanced') return true
    const ownPrice = own.reduce((sum, each) => sum + each.price, 0)
    const share = own.length === candidates.length ? 1 : price === 0 ? 0 : ownPrice / price
    const totals = totalsOf(snapshot, pool)
    const saved = totals.price > 0 ? (saving * share) / totals.price : 0
    const disturbed = own.reduce((sum, { cost }) => sum + cost, 0) / totals.cost
    return saved > 0 && saved / disturbed >= LEAST_SCORE
  })
}

function totalsOf(snapshot: ClusterSnapshot, pool: NodePool): { readonly price: number; readonly cost: number } {
  const { objects } = snapshot
  const nodes = objects.node.filter(({ meta: { labels } }) => labels[LABEL.nodePool] === pool.name)
  const prices = nodes.map((node) => {
    const claim = objects.nodeClaim.find(({ status }) => status.providerId === node.providerId)
    return claim === undefined ? 0 : priceOfNode(snapshot, claim, node)
  })
  return { price: sumOf(prices), cost: sumOf(nodes.map((node) => costOf(podsOn(snapshot, node)))) }
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, each) => sum + each, 0)
}
