/**
 * A plan with late commitment leaves domains open that rules count by. Picks the cheapest domains, and checks whether the scheduler can carry out the
 * plan then.
 */

import type { Plan } from '../candidates/plan.ts'
import type { Restore } from '../candidates/restorePoint.ts'
import { type NarrowedTemplate, withValue } from '../model/catalog/narrowedTemplate.ts'
import { type DomainFilter, domainFilters, record } from '../model/neighbours/domainFilters.ts'
import { type Bin, cheapestOf, dropTooSmall, fitsAs, isBin } from '../model/nodes/bin.ts'
import { domainsIn } from '../model/nodes/domains.ts'
import { looksAtLabels, type TopologyGroup } from '../model/topology/topologyGroup.ts'
import { demandsOf } from './bind.ts'
import { hasBindingOrder } from './hasBindingOrder.ts'

/**
 * Returns true if the scheduler can carry out the plan. `toBase` puts the counts back to what they were before the plan. Afterwards the counts are
 * those of the settled plan.
 */
export function fixOpenDomains(plan: Plan, toBase: Restore): boolean {
  toBase()
  const asked = groupsAskedBy(plan)
  if ([...asked].some(looksAtLabels)) for (const bin of plan.bins) dropTooSmall(bin)
  const open = new Set<Bin>()
  for (const { host, podClass, relaxedPod, count, isNominated } of plan.log) {
    if (isNominated === true) continue
    if (isBin(host) && openKeys(host, asked).length > 0) open.add(host)
    else record(host, podClass, relaxedPod, count)
  }
  for (const bin of open) if (!settleBin(bin, asked)) return false
  return hasBindingOrder(plan, toBase)
}

/**
 * The rules that need to know the domains of pods: spread and affinity of placed pods. Anti-affinity counts a pod in every domain where it may come
 * to be, and rules of pods without a place need not be kept.
 */
function groupsAskedBy({ log }: Plan): ReadonlySet<TopologyGroup> {
  return new Set(log.flatMap(({ relaxedPod }) => [...relaxedPod.spread, ...relaxedPod.affinity]))
}

/** Labels that rules of its pods, or rules that count them, ask about and that are not decided. */
function openKeys(bin: Bin, asked: ReadonlySet<TopologyGroup>): readonly string[] {
  const keys = new Set<string>()
  for (const { podClass, relaxedPod } of bin.contents) {
    for (const group of [...relaxedPod.spread, ...relaxedPod.affinity, ...podClass.counted]) {
      if (
        asked.has(group) &&
        !group.isHost &&
        bin.domainOf(group.key) === undefined &&
        domainsIn(bin.narrowedTemplate, group.key).length > 0
      )
        keys.add(group.key)
    }
  }
  return [...keys]
}

/** Picks domains that meet the preferences of its pods, or else the domains that meet their requirements. Returns false if there are none. */
function settleBin(bin: Bin, asked: ReadonlySet<TopologyGroup>): boolean {
  for (const key of openKeys(bin, asked)) {
    const liked = bin.contents.flatMap(({ podClass, relaxedPod }) => domainFilters(podClass, relaxedPod))
    const settled = cheapestWith(bin, key, liked) ?? cheapestWith(bin, key, bin.contents.flatMap(demandsOf))
    if (settled === undefined) return false
    bin.narrowedTemplate = settled
    bin.cursor = 0
  }
  for (const { podClass, relaxedPod, count } of bin.contents) record(bin, podClass, relaxedPod, count)
  return true
}

function cheapestWith(bin: Bin, key: string, rules: readonly DomainFilter[]): NarrowedTemplate | undefined {
  const ofKey = rules.filter(({ group }) => group.key === key)
  let best: { narrowedTemplate: NarrowedTemplate; price: number } | undefined
  for (const domain of domainsIn(bin.narrowedTemplate, key)) {
    const narrowedTemplate = ofKey.every((rule) => rule.allows(domain)) ? withValue(bin.narrowedTemplate, key, domain) : undefined
    if (narrowedTemplate === undefined || !fitsAs(bin, narrowedTemplate)) continue
    const price =
      cheapestOf({ narrowedTemplate, total: bin.total, ceiling: bin.ceiling, cursor: 0 })?.offering.price ?? Number.MAX_SAFE_INTEGER
    if (best === undefined || price < best.price) best = { narrowedTemplate, price }
  }
  return best?.narrowedTemplate
}
