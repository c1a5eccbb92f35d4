/**
 * A plan in Karpenter's way leaves domains open that rules count by. Settles them where they cost least, and looks whether the scheduler
 * can carry the plan out then.
 */
import { type Combination, withValue } from '../catalog/combination.ts'
import { type Bin, cheapestOf, fitsAs, isBin } from '../hosts/bin.ts'
import { domainsIn } from '../hosts/domains.ts'
import type { Placement, Plan } from '../plan.ts'
import { type Allowance, allowances, record } from '../topology/rules.ts'
import type { Restore } from './restorePoint.ts'

/** True when the plan holds. `toBase` puts the counts back to what was before the plan; afterwards they are those of the settled plan. */
export function settleLate(plan: Plan, toBase: Restore): boolean {
  // What was promised before is part of what was there.
  const log = plan.log.filter((each) => each.isPromise !== true)
  toBase()
  const open = new Set<Bin>()
  for (const placement of log) {
    if (isBin(placement.host) && openKeys(placement.host).length > 0) open.add(placement.host)
    else take(placement)
  }
  for (const bin of open) if (!settleBin(bin)) return false
  toBase()
  if (canComeAbout(log)) return true
  toBase()
  return canComeAbout([...log.filter(isSpread), ...log.filter((each) => !isSpread(each))])
}

/** Others that count can come after those that must be level with them. */
function isSpread({ podClass }: Placement): boolean {
  return podClass.variants.at(-1)?.spread.length !== 0
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

/** Where its pods have what they like, or else what they demand. */
function settleBin(bin: Bin): boolean {
  for (const key of openKeys(bin)) {
    const liked = bin.contents.flatMap(({ podClass, variant }) => allowances(podClass, variant))
    const settled = cheapestWith(bin, key, liked) ?? cheapestWith(bin, key, bin.contents.flatMap(demandsOf))
    if (settled === undefined) return false
    bin.combination = settled
    bin.cursor = 0
  }
  for (const content of bin.contents) take({ ...content, host: bin })
  return true
}

function cheapestWith(bin: Bin, key: string, rules: readonly Allowance[]): Combination | undefined {
  const ofKey = rules.filter(({ group }) => group.key === key)
  let best: { combination: Combination; price: number } | undefined
  for (const domain of domainsIn(bin.combination, key)) {
    const combination = ofKey.every((rule) => rule.allows(domain)) ? withValue(bin.combination, key, domain) : undefined
    if (combination === undefined || !fitsAs(bin, combination)) continue
    const price = cheapestOf({ ...bin, combination, cursor: 0 })?.offering.price ?? Number.MAX_SAFE_INTEGER
    if (best === undefined || price < best.price) best = { combination, price }
  }
  return best?.combination
}

/** True when the pods can be bound one after another, in the order of the plan or another, with every demand kept each time. */
function canComeAbout(log: readonly Placement[]): boolean {
  let waiting = log
  while (waiting.length > 0) {
    const left = waiting.filter((placement) => {
      const may = mayCome(placement)
      if (may) take(placement)
      return !may
    })
    if (left.length === waiting.length) return false
    waiting = left
  }
  return true
}

function mayCome(placement: Placement): boolean {
  const { host } = placement
  return demandsOf(placement).every(({ group, allows }) => {
    const domain = group.isHost ? host.name : host.domainOf(group.key)
    return domain === undefined ? group.kind === 'antiAffinity' : allows(domain)
  })
}

/** Rules that stand when everything has been given up that can be. */
function demandsOf({ podClass, variant }: Pick<Placement, 'podClass' | 'variant'>): readonly Allowance[] {
  return allowances(podClass, podClass.variants.at(-1) ?? variant)
}

function take({ host, podClass, variant, count }: Placement): void {
  record(host, podClass, variant, count)
}
