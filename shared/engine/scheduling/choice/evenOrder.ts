/** Makes a binding order pod by pod, for plans in which some pods can only be bound between two others. */

import type { Placement } from '../candidates/plan.ts'
import { globalMinimum, reachOf, record } from '../model/neighbours/domainFilters.ts'
import { isSpent, type Spending } from '../model/quantities/work.ts'
import { countOf, type TopologyGroup } from '../model/topology/topologyGroup.ts'
import { brokenBy, demandsOf } from './bind.ts'

/** The domain of pods in a spread that counts the pods. `isOwn`: the pods themselves ask for the spread. */
type Share = { readonly group: TopologyGroup; readonly domain: string; readonly isOwn: boolean }

/** Placements whose pods count in the same domains of the same spreads. `least`: 1 if pods of a spread over host names should come before. */
type DomainClass = { readonly shares: readonly Share[]; readonly least: number; readonly waiting: Waiting[] }

/**
 * A placement. Buffers: `count` is the number of its pods that are not bound. `broken` is the group of the rule that stopped the placement last, and
 * `since` is how many pods the group had counted then.
 */
type Waiting = { readonly placement: Placement; count: number; broken?: TopologyGroup; since: number }

/**
 * Binds one pod at a time: of the pods that can be bound, a pod whose domains are least ahead in the spreads that count the pod. So no domain runs ahead
 * of the others, and pods that no rule holds up remain to be last. Returns true if all pods are bound, and false as well if the budget is spent.
 *
 * `order`: pods of one domain are bound in this order. `demanded`: the spreads that some pod asks for.
 */
export function isBoundEvenly(order: readonly Placement[], demanded: ReadonlySet<TopologyGroup>, plan: Spending): boolean {
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

  function mayCome(waiting: Waiting): boolean {
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
    nextOf: ({ waiting }: DomainClass): Waiting | undefined => waiting.find(mayCome),
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
