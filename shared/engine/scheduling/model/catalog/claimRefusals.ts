/** The NodePools that make no claim for a pod, since the API server refused such a claim lately, or would refuse it. */
import { type ClaimAsk, claimAskOf, isInForce } from '../../../../model/claimRefusal.ts'
import type { NodePool } from '../../../../model/nodePool.ts'
import type { Pod } from '../../../../model/pod.ts'
import type { DecisionContext } from '../../snapshot/decisionContext.ts'
import type { PoolRefusal } from '../pods/constraint.ts'

/** Found while a decision is made, for this decision only. */
export type ForeseenRefusal = PoolRefusal & { readonly ask: ClaimAsk }

export function claimRefusals(
  { claimRefusals: refusals = [], takenAt }: Pick<DecisionContext, 'claimRefusals' | 'takenAt'>,
  pools: readonly NodePool[],
  foreseen: readonly ForeseenRefusal[] = [],
): (pod: Pod) => readonly PoolRefusal[] {
  if (refusals.length + foreseen.length === 0) return () => NONE
  const byName = new Map(pools.map((pool) => [pool.name, pool]))
  const byAsk = new Map<ClaimAsk, PoolRefusal[]>()
  const add = (ask: ClaimAsk, refusal: PoolRefusal): void => void byAsk.set(ask, [...(byAsk.get(ask) ?? []), refusal])
  for (const { ask, ...refusal } of foreseen) add(ask, refusal)
  for (const refusal of refusals) {
    const { nodePool, ask, message, until } = refusal
    const pool = byName.get(nodePool)
    if (pool === undefined || !isInForce(refusal, pool, takenAt)) continue
    add(ask, {
      pool: nodePool,
      code: 'SCHEDULING.CLAIM_REFUSED',
      message: `the API server refused a nodeclaim for such pods: ${message}`,
      until,
    })
  }
  return byAsk.size === 0 ? () => NONE : (pod) => byAsk.get(claimAskOf(pod)) ?? NONE
}

const NONE: readonly PoolRefusal[] = []
