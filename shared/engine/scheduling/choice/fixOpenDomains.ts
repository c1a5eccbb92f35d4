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
  return openAmong(
    bin,
    bin.contents
      .flatMap(({ podClass, relaxedPod }) => [...relaxedPod.spread, ...relaxedPod.affinity, ...podClass.counted])
      .filter((group) => asked.has(group)),
  )
}

/** The same for rules that its pods require, and for affinity that counts them. Pods that only count in a spread can be bound after its own pods. */
function neededKeys(bin: Bin, asked: ReadonlySet<TopologyGroup>): readonly string[] {
  const isFollowed = (group: TopologyGroup): boolean => group.kind === 'affinity' && asked.has(group)
  return openAmong(
    bin,
    bin.contents.flatMap(({ podClass, relaxedPod }) => {
      const { spread, affinity } = podClass.relaxedPods.at(-1) ?? relaxedPod
      return [...spread, ...affinity, ...podClass.counted.filter(isFollowed)]
    }),
  )
}

function openAmong(bin: Bin, groups: readonly TopologyGroup[]): readonly string[] {
  const isOpen = ({ key, isHost }: TopologyGroup): boolean =>
    !isHost && bin.domainOf(key) === undefined && domainsIn(bin.narrowedTemplate, key).length > 0
  return [...new Set(groups.filter(isOpen).map(({ key }) => key))]
}

/**
 * Picks domains that meet the preferences of its pods, or else the domains that meet their requirements. Returns false if there are none, and one is
 * needed. Otherwise the label stays open then: `minValues` can keep a claim from being held to one domain.
 */
function settleBin(bin: Bin, asked: ReadonlySet<TopologyGroup>): boolean {
  const needed = neededKeys(bin, asked)
  for (const key of openKeys(bin, asked)) {
    const liked = bin.contents.flatMap(({ podClass, relaxedPod }) => domainFilters(podClass, relaxedPod))
    const settled = cheapestWith(bin, key, liked) ?? cheapestWith(bin, key, bin.contents.flatMap(demandsOf))
    if (settled === undefined && !needed.includes(key)) continue
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
