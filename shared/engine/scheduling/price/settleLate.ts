/**
 * A plan in Karpenter's way leaves domains open that rules count by. Settles them, and looks whether what everybody demands of the others
 * holds once they are: then the plan is one that the scheduler can carry out.
 */
import { withValue } from '../catalog/combination.ts'
import { type Bin, fitsAs, isBin } from '../hosts/bin.ts'
import { domainsIn } from '../hosts/domains.ts'
import type { Placement, Plan } from '../plan.ts'
import { isCounted, type PodClass, type Variant } from '../pods/podClass.ts'
import { countOf, type Group } from '../topology/group.ts'
import { allowances, isLevel, record } from '../topology/rules.ts'
import type { Restore } from './restorePoint.ts'

/** True when the plan holds. `toBase` puts the counts back to what ran before the plan; afterwards they are those of the settled plan. */
export function settleLate({ log }: Plan, toBase: Restore): boolean {
  toBase()
  const before = new Map<Group, ReadonlyMap<string, number>>()
  for (const { variant } of log) for (const group of variant.affinity) if (!before.has(group)) before.set(group, new Map(group.selected))
  const open = new Set<Bin>()
  for (const placement of log) {
    if (isBin(placement.host) && openKeys(placement.host).length > 0) open.add(placement.host)
    else record(placement.host, placement.podClass, placement.variant, placement.count)
  }
  for (const bin of open) if (!settleBin(bin)) return false
  return log.every(holds) && areTogether(log, before)
}

/** Labels that rules of its pods, or rules that count them, ask about and that are not decided. */
function openKeys(bin: Bin): readonly string[] {
  const keys = new Set<string>()
  for (const { podClass, variant } of bin.contents) {
    for (const group of [...variant.spread, ...variant.affinity, ...variant.antiAffinity, ...podClass.counted]) {
      if (!group.isHost && bin.domainOf(group.key) === undefined && domainsIn(bin.combination, group.key).length > 0) keys.add(group.key)
    }
  }
  return [...keys]
}

function settleBin(bin: Bin): boolean {
  for (const key of openKeys(bin)) {
    const rules = bin.contents.flatMap(({ podClass, variant }) => allowances(podClass, variant).filter(({ group }) => group.key === key))
    const settled = domainsIn(bin.combination, key)
      .filter((domain) => rules.every((rule) => rule.allows(domain)))
      .map((domain) => withValue(bin.combination, key, domain))
      .find((combination) => combination !== undefined && fitsAs(bin, combination))
    if (settled === undefined) return false
    bin.combination = settled
    bin.cursor = 0
  }
  for (const { podClass, variant, count } of bin.contents) record(bin, podClass, variant, count)
  return true
}

/** Everything but affinity, which is looked at as a whole. */
function holds({ host, podClass, variant }: Placement): boolean {
  const domainIn = (group: Group): string | undefined => (group.isHost ? host.name : host.domainOf(group.key))
  for (const group of variant.spread) {
    const domain = domainIn(group)
    if (domain === undefined || !isLevel(group, podClass, variant, domain)) return false
  }
  return isApart(podClass, variant, domainIn)
}

function isApart(podClass: PodClass, variant: Variant, domainIn: (group: Group) => string | undefined): boolean {
  for (const group of variant.antiAffinity) {
    const domain = domainIn(group)
    const self = isCounted(podClass, group) ? 1 : 0
    if (domain !== undefined && countOf(group.selected, domain) > self) return false
  }
  for (const group of podClass.repelledBy) {
    const domain = domainIn(group)
    const own = variant.owned.includes(group) ? 1 : 0
    if (domain !== undefined && countOf(group.owners, domain) > own) return false
  }
  return true
}

/** Pods that want to be near others have them there; a series that nobody was before begins in one domain only. */
function areTogether(log: readonly Placement[], before: ReadonlyMap<Group, ReadonlyMap<string, number>>): boolean {
  const begun = new Map<Group, string>()
  return log.every(({ host, podClass, variant }) =>
    variant.affinity.every((group) => {
      const domain = group.isHost ? host.name : host.domainOf(group.key)
      if (domain === undefined || countOf(group.selected, domain) === 0) return false
      const known = before.get(group) ?? NOBODY
      if (!isCounted(podClass, group) || countOf(known, domain) > 0) return true
      const first = begun.get(group) ?? domain
      begun.set(group, first)
      return known.size === 0 && first === domain
    }),
  )
}

const NOBODY: ReadonlyMap<string, number> = new Map()
