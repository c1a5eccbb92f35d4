/** Checks whether the scheduler can carry out a plan: it binds pods one after another, and keeps every required rule each time. */

import type { Placement, Plan } from '../candidates/plan.ts'
import type { Restore } from '../candidates/restorePoint.ts'
import { MOST_ORDERS, SHARE_FOR_ORDER } from '../model/quantities/tuning.ts'
import { isSpent, type Spending, spentOn } from '../model/quantities/work.ts'
import type { TopologyGroup } from '../model/topology/topologyGroup.ts'
import { bind } from './bind.ts'
import { isBoundEvenly } from './evenOrder.ts'

/** `late`: the placements whose pods were left over in the order that left the fewest. Empty if an order is found, or if the budget is spent. */
type Search = { readonly isFound: boolean; readonly late: ReadonlySet<Placement> }

/** Returns true if an order is found in which all pods of the plan can be bound. */
export function hasBindingOrder(plan: Plan, toBase: Restore): boolean {
  return findBindingOrder(plan, toBase).isFound
}

/**
 * Tries the order of the plan, with late pods moved forward, and an order that is made pod by pod. Finds none as well if the budget is spent before.
 * `toBase` restores the counts from before the plan. After the search, the counts are the counts of the plan if an order is found.
 */
export function findBindingOrder({ log, ...given }: Pick<Plan, 'log'> & Spending, toBase: Restore): Search {
  const plan = withShareForOrder(given)
  // Nominated pods count as pods that were there before the plan.
  const own = log.filter((each) => each.isNominated !== true)
  const search = moveLateForward(own, toBase, plan)
  if (search.isFound) return search
  const demanded = new Set(own.flatMap(({ podClass }) => podClass.relaxedPods.at(-1)?.spread ?? []))
  const spreadFirst = [0, 1, 2].flatMap((rank) => own.filter((each) => rankOf(each, demanded) === rank))
  toBase()
  return isBoundEvenly(spreadFirst, demanded, plan) ? { isFound: true, late: NONE } : search
}

const NONE: ReadonlySet<Placement> = new Set()

/** The plan is finished and only lacks its order: a search that is spent must not lose it. */
function withShareForOrder({ work, budget }: Spending): Spending {
  return { work, budget: { ...budget, better: Math.max(budget.better, spentOn(work) + SHARE_FOR_ORDER * budget.better) } }
}

function moveLateForward(log: readonly Placement[], toBase: Restore, plan: Spending): Search {
  let order = log
  let fewest = NONE
  for (let tried = 0; tried < MOST_ORDERS && !isSpent(plan); tried++) {
    toBase()
    const late = lateIn(order, plan)
    if (late.size === 0) return { isFound: true, late }
    if (fewest.size === 0 || late.size < fewest.size) fewest = late
    order = [...order.filter((each) => late.has(each)), ...order.filter((each) => !late.has(each))]
  }
  return { isFound: false, late: fewest }
}

/** Pods that cannot be bound in this order, although they are tried again after the other pods. */
function lateIn(order: readonly Placement[], plan: Spending): ReadonlySet<Placement> {
  let waiting: readonly Waiting[] = order.map((placement) => ({ placement, count: placement.count }))
  while (waiting.length > 0 && !isSpent(plan) && bindInOrder(waiting, plan)) waiting = waiting.filter(({ count }) => count > 0)
  return new Set(waiting.map(({ placement }) => placement))
}

/** A placement, and how many of its pods are not bound. The count is a buffer. */
type Waiting = { readonly placement: Placement; count: number }

/** Binds what can be bound, in this order. Returns true if some pod is bound. */
function bindInOrder(waiting: readonly Waiting[], { work }: Spending): boolean {
  let isAny = false
  for (const each of waiting) {
    const bound = bind(each.placement, each.count, work)
    each.count -= bound
    if (bound > 0) isAny = true
  }
  return isAny
}

/**
 * 0 for pods with a required spread, 2 for pods that only count in such a spread, 1 for all others. Pods that count can come after the spread pods,
 * and pods that the spread pods must be near come before the counting pods.
 */
function rankOf({ podClass }: Placement, demanded: ReadonlySet<TopologyGroup>): 0 | 1 | 2 {
  if (podClass.relaxedPods.at(-1)?.spread.length !== 0) return 0
  return podClass.counted.some((group) => demanded.has(group)) ? 2 : 1
}
