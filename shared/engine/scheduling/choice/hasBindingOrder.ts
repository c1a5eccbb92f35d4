/** Checks whether the scheduler can carry out a plan: it binds pods one after another, and keeps every required rule each time. */

import type { Placement, Plan } from '../candidates/plan.ts'
import type { Restore } from '../candidates/restorePoint.ts'
import { type DomainFilter, domainFilters, holdsAnyway, reachOf, record } from '../model/neighbours/domainFilters.ts'
import { MOST_EAGER, MOST_ORDERS } from '../model/quantities/tuning.ts'
import { isSpent, type Spending, type Work } from '../model/quantities/work.ts'
import type { TopologyGroup } from '../model/topology/topologyGroup.ts'

/**
 * Returns true if there is an order in which all pods of the plan can be bound. Tries the order of the plan, the order with spread pods first, and
 * these orders again with the late pods moved forward. Returns false as well if the budget is spent before an order is found. `toBase` puts the
 * counts back to what they were before the plan. If the result is true, the counts are those of the plan afterwards.
 */
export function hasBindingOrder(plan: Plan, toBase: Restore): boolean {
  // Nominated pods count as pods that were there before the plan.
  const own = plan.log.filter((each) => each.isNominated !== true)
  const demanded = new Set(own.flatMap(({ podClass }) => podClass.relaxedPods.at(-1)?.spread ?? []))
  const spreadFirst = [0, 1, 2].flatMap((rank) => own.filter((each) => rankOf(each, demanded) === rank))
  return (
    isThereAnOrder(own, toBase, plan) ||
    isThereAnOrder(spreadFirst, toBase, plan) ||
    (own.length <= MOST_EAGER && isBoundEagerly(spreadFirst, toBase, plan))
  )
}

/** Binds one pod at a time, always the first pod that can be bound: some pods can only be bound between two others. Returns true if all are bound. */
function isBoundEagerly(order: readonly Placement[], toBase: Restore, plan: Spending): boolean {
  toBase()
  const waiting = order.map((placement) => ({ placement, count: placement.count }))
  while (!isSpent(plan)) {
    const at = waiting.findIndex(({ placement }) => bind(placement, 1, plan.work) > 0)
    const next = waiting[at]
    if (next === undefined) return waiting.length === 0
    if (--next.count === 0) waiting.splice(at, 1)
  }
  return false
}

function isThereAnOrder(log: readonly Placement[], toBase: Restore, plan: Spending): boolean {
  let order = log
  for (let tried = 0; tried < MOST_ORDERS && !isSpent(plan); tried++) {
    toBase()
    const late = lateIn(order, plan)
    if (late.size === 0) return true
    order = [...order.filter((each) => late.has(each)), ...order.filter((each) => !late.has(each))]
  }
  return false
}

/** The required rules: those that remain when all preferences are given up. */
export function demandsOf({ podClass, relaxedPod }: Pick<Placement, 'podClass' | 'relaxedPod'>): readonly DomainFilter[] {
  return domainFilters(podClass, podClass.relaxedPods.at(-1) ?? relaxedPod)
}

/** Pods that cannot be bound in this order, although they are tried again after the other pods. */
function lateIn(order: readonly Placement[], plan: Spending): ReadonlySet<Placement> {
  let waiting = order.map((placement) => ({ placement, count: placement.count }))
  for (let progress = true; progress && waiting.length > 0 && !isSpent(plan); ) {
    progress = false
    for (const each of waiting) {
      const bound = bind(each.placement, each.count, plan.work)
      each.count -= bound
      if (bound > 0) progress = true
    }
    waiting = waiting.filter(({ count }) => count > 0)
  }
  return new Set(waiting.map(({ placement }) => placement))
}

/** Binds as many pods of the placement as can be bound now, at most `count`. Returns their number. */
function bind(placement: Placement, count: number, work: Work): number {
  const { host, podClass, relaxedPod } = placement
  const rules = demandsOf(placement)
  work.domains += reachOf(rules)
  if (rules.length === 0) {
    record(host, podClass, relaxedPod, count)
    return count
  }
  let bound = 0
  for (; bound < count && mayCome(placement); bound++) record(host, podClass, relaxedPod)
  work.domains += bound * reachOf(rules)
  return bound
}

function mayCome(placement: Placement): boolean {
  const { host } = placement
  return demandsOf(placement).every((rule) => {
    const { group, allows } = rule
    const domain = group.isHost ? host.name : host.domainOf(group.key)
    return domain === undefined ? holdsAnyway(rule, host) : allows(domain)
  })
}

/**
 * 0 for pods with a required spread, 2 for pods that only count in such a spread, 1 for all others. Pods that count can come after the spread pods,
 * and pods that the spread pods must be near come before the counting pods.
 */
function rankOf({ podClass }: Placement, demanded: ReadonlySet<TopologyGroup>): 0 | 1 | 2 {
  if (podClass.relaxedPods.at(-1)?.spread.length !== 0) return 0
  return podClass.counted.some((group) => demanded.has(group)) ? 2 : 1
}
