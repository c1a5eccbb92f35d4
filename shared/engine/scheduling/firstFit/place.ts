/** Whether one more pod may go to one place, and what that does to the place: resources, labels, ports and neighbours together. */
import { type Combination, withConstraint, withValue, withValues } from '../catalog/combination.ts'
import { type Bin, type Fit, fitIn } from '../hosts/bin.ts'
import { domainsIn } from '../hosts/domains.ts'
import { roomOn, type Target } from '../hosts/target.ts'
import type { PodClass, Variant } from '../pods/podClass.ts'
import { countOf } from '../topology/group.ts'
import type { Allowance } from '../topology/rules.ts'

/** A refusal that stands for the rest of the plan, or one that another placement may lift. */
export type No = 'never' | 'notNow'

/** When a machine that may still be in one of several domains is held to one. */
export type Commitment =
  /** Only when a rule leaves one: Karpenter's way. */
  | 'late'
  /** As soon as anything counts by it: what is planned is then what will be. */
  | 'early'

export function tryTarget(target: Target, podClass: PodClass, variant: Variant, rules: readonly Allowance[]): 'fits' | No {
  if (roomOn(target, podClass, variant.constraint, 1) === 0) return 'never'
  for (const rule of rules) {
    const { key, isHost } = rule.group
    const domain = isHost ? target.name : target.domainOf(key)
    if (domain === undefined ? !standsApart(rule, target) : !rule.allows(domain)) return 'notNow'
  }
  return 'fits'
}

/** Without the label there is nobody to keep away from; a domain that is not decided must allow every outcome. */
function standsApart({ group, allows }: Allowance, target: Target): boolean {
  return group.kind === 'antiAffinity' && target.domainsOf(group.key).every(allows)
}

export function tryBin(bin: Bin, podClass: PodClass, variant: Variant, rules: readonly Allowance[], commitment: Commitment): Fit | No {
  const combination = withConstraint(bin.combination, variant.constraint)
  if (combination === undefined) return 'never'
  const fit = fitIn(bin, combination, podClass)
  if (fit === undefined) return 'never'
  if (rules.length === 0 && (commitment === 'late' || podClass.counted.length === 0)) return fit
  for (const { group, allows } of rules) if (group.isHost && !allows(bin.name)) return 'notNow'
  return narrowed(bin, fit, podClass, rules, commitment) ?? 'notNow'
}

/** Settles the domains the rules speak of, one label after another; a choice that leaves a later label nothing is taken back. */
function narrowed(bin: Bin, fit: Fit, podClass: PodClass, rules: readonly Allowance[], commitment: Commitment): Fit | undefined {
  const settlings = [...keysOf(rules, podClass, commitment)].map((key) => ({
    key,
    rules: rules.filter(({ group }) => group.key === key),
    commitment,
  }))
  return settleAll(bin, fit, podClass, settlings)
}

function settleAll(bin: Bin, fit: Fit, podClass: PodClass, [first, ...others]: readonly Settling[]): Fit | undefined {
  if (first === undefined) return fit
  for (const settled of settle(bin, fit, podClass, first)) {
    const found = settleAll(bin, settled, podClass, others)
    if (found !== undefined) return found
  }
  return undefined
}

function keysOf(rules: readonly Allowance[], { counted }: PodClass, commitment: Commitment): ReadonlySet<string> {
  const keys = new Set<string>()
  for (const { group } of rules) if (!group.isHost) keys.add(group.key)
  if (commitment === 'early') for (const group of counted) if (!group.isHost) keys.add(group.key)
  return keys
}

type Settling = { readonly key: string; readonly rules: readonly Allowance[]; readonly commitment: Commitment }

/** Ways to settle one label, preferred first. */
function settle(bin: Bin, fit: Fit, podClass: PodClass, { key, rules, commitment }: Settling): readonly Fit[] {
  const { combination } = fit
  const decided = decidedIn(combination, key)
  if (decided !== undefined) return rules.every((rule) => rule.allows(decided)) ? [fit] : []
  const possible = domainsIn(combination, key)
  // A machine that will not have the label is nobody's neighbour, which anti-affinity does not mind.
  if (possible.length === 0) return rules.every(({ group }) => group.kind === 'antiAffinity') ? [fit] : []
  const domains = possible.filter((domain) => rules.every((rule) => rule.allows(domain)))
  if (domains.length === 0) return []
  const picksOne = commitment === 'early' || rules.some(({ group }) => group.kind === 'spread')
  const choices = picksOne
    ? byCount(domains, rules, podClass, key, commitment).map((domain) => withValue(combination, key, domain))
    : [withValues(combination, { key, complement: false, values: [...domains].sort() })]
  return choices.flatMap((left) => (left === undefined ? [] : (fitIn(bin, left, podClass) ?? [])))
}

function decidedIn({ requirements }: Combination, key: string): string | undefined {
  const own = requirements.get(key)
  return own !== undefined && !own.complement && own.values.length === 1 ? own.values[0] : undefined
}

/** Where fewest are, as rules or else those that merely count see it; of equals the cheapest, or by name where Karpenter goes by name. */
function byCount(
  domains: readonly string[],
  rules: readonly Allowance[],
  { counted }: PodClass,
  key: string,
  commitment: Commitment,
): readonly string[] {
  const ruling =
    rules.find(({ group }) => group.kind === 'spread')?.group ?? counted.find((group) => group.key === key && group.kind === 'spread')
  const ordered = commitment === 'late' ? [...domains].sort() : domains
  if (ruling === undefined) return ordered
  return [...ordered].sort((first, second) => countOf(ruling.selected, first) - countOf(ruling.selected, second))
}
