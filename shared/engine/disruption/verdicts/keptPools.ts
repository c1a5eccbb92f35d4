import { isSame } from '../../../base/isSame.ts'
import { findCondition } from '../../../model/condition.ts'
import { CREATION_PAUSED, type NodePool } from '../../../model/nodePool.ts'

/**
 * Returns a function that exchanges pools for pools of its last call that disruption cannot tell from them, and the whole list for the list of that
 * call. The status of a pool changes with its machines and with the writes of a decision. What is known of a pool is found by the pool itself.
 */
export function createKeptPools(): (pools: readonly NodePool[]) => readonly NodePool[] {
  let last: readonly NodePool[] = []
  return (pools) => {
    const known = new Map(last.map((pool) => [pool.name, pool]))
    const kept = pools.map((pool) => {
      const before = known.get(pool.name)
      return before !== undefined && isSame(readOf(before), readOf(pool)) ? before : pool
    })
    const isEqual = kept.length === last.length && kept.every((pool, at) => pool === last[at])
    if (!isEqual) last = kept
    return last
  }
}

/** The part of a pool that disruption reads. Of the status it is the condition that pauses the pool. */
function readOf({ status, ...rest }: NodePool): unknown {
  return { ...rest, paused: findCondition(status.conditions, CREATION_PAUSED) }
}
