/** Whether the scheduler can carry a plan out: it binds pods one after another, and keeps every demand each time. */

import type { Placement, Plan } from '../candidates/plan.ts'
import type { Restore } from '../candidates/restorePoint.ts'
import { type DomainFilter, domainFilters, holdsAnyway, reachOf, record } from '../model/neighbours/domainFilters.ts'
import { MOST_EAGER, MOST_ORDERS } from '../model/quantities/tuning.ts'
import { isSpent, type Spending, type Work } from '../model/quantities/work.ts'
import type { TopologyGroup } from '../model/topology/topologyGroup.ts'

/**
 * True when there is an order in which all pods of the plan can be bound: its own, or that of those first who must be level with others, or
 * one of these in which those come earlier who came too late. False as well when the budget is spent before one is found. `toBase` puts the counts back to what was before the plan; when it is true,
 * they are those of the plan afterwards.
 */
export function hasBindingOrder(plan: Plan, toBase: Restore): boolean {
  // What was promised before is part of what was there.
  const own = plan.log.filter((each) => each.isNominated !== true)
  const demanded = new Set(own.flatMap(({ podClass }) => podClass.relaxedPods.at(-1)?.spread ?? []))
  const spreadFirst = [0, 1, 2].flatMap((rank) => own.filter((each) => rankOf(each, demanded) === rank))
  return (
    isThereAnOrder(own, toBase, plan) ||
    isThereAnOrder(spreadFirst, toBase, plan) ||
    (own.length <= MOST_EAGER && isBoundEagerly(spreadFirst, toBase, plan))
  )
}

/** True when all can be bound if after each pod the first that still waits is asked again: some may come only between two others. */
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

/** Rules that stand when everything has been given up that can be. */
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

/** Counts those of so many pods of the placement that may come now, and says how many they are. */
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

/** Others that count can come after those that must be level with them, and whoever these want to be near before. */
function rankOf({ podClass }: Placement, demanded: ReadonlySet<TopologyGroup>): 0 | 1 | 2 {
  if (podClass.relaxedPods.at(-1)?.spread.length !== 0) return 0
  return podClass.counted.some((group) => demanded.has(group)) ? 2 : 1
}
