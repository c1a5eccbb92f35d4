/** Checks whether the scheduler can carry out a plan: it binds pods one after another, and keeps every required rule each time. */
import type { Placement, Plan } from '../candidates/plan.ts'
import { type Restore } from '../candidates/restorePoint.ts'
import { globalMinimum, reachOf, record } from '../model/neighbours/domainFilters.ts'
import { MOST_ORDERS, SHARE_FOR_ORDER } from '../model/quantities/tuning.ts'
import { isSpent, type Spending, spentOn } from '../model/quantities/work.ts'
import { countOf, type TopologyGroup } from '../model/topology/topologyGroup.ts'
import { bind, brokenBy, demandsOf } from './newPlan.ts'

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

/** The domain of pods in a spread that counts the pods. `isOwn`: the pods themselves ask for the spread. */
type Share = { readonly group: TopologyGroup; readonly domain: string; readonly isOwn: boolean }

/** Placements whose pods count in the same domains of the same spreads. `least`: 1 if pods of a spread over host names should come before. */
type DomainClass = { readonly shares: readonly Share[]; readonly least: number; readonly waiting: StoppedByRule[] }

/** `broken`: the group of the rule that stopped the placement last. `since`: how many pods the group had counted then. Both are buffers. */
type StoppedByRule = Waiting & { broken?: TopologyGroup; since: number }

/**
 * Binds one pod at a time: of the pods that can be bound, a pod whose domains are least ahead in the spreads that count the pod. So no domain runs
 * ahead of the others, and pods that no rule holds up remain to be last. Returns true if all pods are bound, and false as well if the budget is
 * spent.
 *
 * `order`: pods of one domain are bound in this order. `demanded`: the spreads that some pod asks for.
 */
function isBoundEvenly(order: readonly Placement[], demanded: ReadonlySet<TopologyGroup>, plan: Spending): boolean {
  const { nextOf, leadOf, bindNext } = createBinding(plan)
  let classes = domainClassesOf(order, demanded)
  while (classes.length > 0 && !isSpent(plan)) {
    let best: DomainClass | undefined
    let least = Number.POSITIVE_INFINITY
    for (const each of classes) {
      for (; leadOf(each) === 0 && nextOf(each) !== undefined; least = 0) bindNext(each)
      const lead = leadOf(each)
      if (lead >= least || nextOf(each) === undefined) continue
      best = each
      least = lead
    }
    if (least > 0) {
      if (best === undefined) return false
      bindNext(best)
    }
    classes = classes.filter(({ waiting }) => waiting.length > 0)
  }
  return classes.length === 0
}

function createBinding({ work }: Spending) {
  // By the id of the group: how many pods it has counted, and its global minimum once asked.
  const counted: number[] = []
  const minimums: (number | undefined)[] = []

  function minimumOf(group: TopologyGroup): number {
    const minimum = minimums[group.id] ?? globalMinimum(group)
    minimums[group.id] = minimum
    return minimum
  }

  function mayCome(waiting: StoppedByRule): boolean {
    const { placement, broken, since } = waiting
    // A broken rule stays broken until its group counts one more pod.
    if (broken !== undefined && since === (counted[broken.id] ?? 0)) return false
    const rules = demandsOf(placement)
    work.domains += reachOf(rules)
    const rule = brokenBy(placement, rules)
    if (rule === undefined) return true
    waiting.broken = rule.group
    waiting.since = counted[rule.group.id] ?? 0
    return false
  }

  return {
    nextOf: ({ waiting }: DomainClass): StoppedByRule | undefined => waiting.find(mayCome),
    /** How far the domains are ahead. Pods that ask for a spread come before other pods of the same domain. */
    leadOf({ shares, least }: DomainClass): number {
      let lead = least
      work.domains += shares.length
      for (const { group, domain, isOwn } of shares)
        lead = Math.max(lead, 2 * (countOf(group.selected, domain) - minimumOf(group)) + (isOwn ? 0 : 1))
      return lead
    },
    bindNext({ waiting }: DomainClass): void {
      const at = waiting.findIndex(mayCome)
      const next = waiting[at]
      if (next === undefined) return
      const { host, podClass, relaxedPod } = next.placement
      record(host, podClass, relaxedPod)
      next.count--
      if (next.count === 0) waiting.splice(at, 1)
      for (const { id } of podClass.counted) {
        counted[id] = (counted[id] ?? 0) + 1
        minimums[id] = undefined
      }
    },
  }
}

/** Pods that ask for a spread and other pods are in classes of their own, so that the order holds between these. */
function domainClassesOf(order: readonly Placement[], demanded: ReadonlySet<TopologyGroup>): readonly DomainClass[] {
  const classes = new Map<string, DomainClass>()
  for (const placement of order) {
    const { host, podClass, relaxedPod, count } = placement
    const own = podClass.relaxedPods.at(-1)?.spread ?? relaxedPod.spread
    const groups = podClass.counted.filter((group) => demanded.has(group))
    const least = groups.some((group) => group.isHost && !own.includes(group)) ? 1 : 0
    const shares = groups.flatMap((group): readonly Share[] => {
      const domain = group.isHost ? undefined : host.domainOf(group.key)
      return domain === undefined ? [] : [{ group, domain, isOwn: own.includes(group) }]
    })
    const text = JSON.stringify([own.length > 0, least, ...shares.map(({ group, domain, isOwn }) => [group.id, domain, isOwn])])
    const each = classes.get(text) ?? { shares, least, waiting: [] }
    classes.set(text, each)
    each.waiting.push({ placement, count, since: 0 })
  }
  return [...classes.values()]
}
