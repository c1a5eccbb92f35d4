/** Which rules about neighbours keep a pod from all new machines of a pool. */
import { byText } from '../../../base/order.ts'
import type { Requirement, Requirements } from '../../../model/requirements.ts'
import { type Combination, withConstraint } from '../catalog/combination.ts'
import { openBin } from '../hosts/bin.ts'
import { domainsIn } from '../hosts/domains.ts'
import type { Plan } from '../plan.ts'
import type { PodClass, Variant } from '../pods/podClass.ts'
import { countOf, type Group, mostIn } from '../topology/group.ts'
import { allowances } from '../topology/rules.ts'
import type { NeighbourVerdict, Verdict } from './verdict.ts'

/** A rule, and where it lets one more pod go of all the places a new machine may be. */
export type Ruled = { readonly group: Group; readonly domains: readonly string[]; readonly allowed: readonly string[] }

export function ruledDomains(combination: Combination, podClass: PodClass, variant: Variant, plan: Plan): readonly Ruled[] {
  const narrowed = withConstraint(combination, variant.constraint)
  if (narrowed === undefined) return []
  const bin = openBin(plan.bins.length, { combination: narrowed, minimums: new Map(), ceiling: undefined, charge: {} }, plan.axes)
  return allowances(podClass, variant).map(({ group, allows }) => {
    const domains = group.isHost ? [bin.name] : domainsIn(narrowed, group.key)
    return { group, domains, allowed: domains.filter((domain) => allows(domain)) }
  })
}

/** The rule that no domain meets; or those that no domain meets together. */
export function neighbourVerdict(ruled: readonly Ruled[]): Verdict | undefined {
  const alone = ruled.find(({ allowed }) => allowed.length === 0)
  if (alone !== undefined) return neighboursOf(alone.group, alone.domains)
  for (const [label, rules] of byLabel(ruled)) {
    if (allowedBy(rules).length > 0) continue
    const shares = rules.filter(narrows).map(({ group, domains, allowed }) => {
      const refused = domains.filter((domain) => !allowed.includes(domain))
      return { rule: neighboursOf(group, refused).rule, domains: allowed }
    })
    return { kind: 'neighboursTogether', label, rules: shares }
  }
  return undefined
}

/** What the rules leave of labels that a machine could have otherwise. */
export function leftByNeighbours(ruled: readonly Ruled[]): Requirements {
  const left = new Map<string, Requirement>()
  for (const [key, rules] of byLabel(ruled)) {
    if (rules.some(({ group, ...rule }) => !group.isHost && narrows(rule)))
      left.set(key, { key, complement: false, values: allowedBy(rules) })
  }
  return left
}

/** The rule as it stands, for domains where it lets nobody go. */
export function neighboursOf(group: Group, domains: readonly string[]): NeighbourVerdict {
  const { kind, key: label, maxSkew, minDomains, selected, perhaps, owners } = group
  const isTheirs = kind === 'antiAffinity' && domains.length > 0 && domains.every((domain) => countOf(selected, domain) === 0)
  const counted = isTheirs
    ? [...owners]
    : [...new Set([...selected.keys(), ...perhaps.keys()])].map((each) => [each, mostIn(group, each)] as const)
  const counts = counted.filter(([, count]) => count > 0).sort(([first], [second]) => byText(first, second))
  const bounds = kind === 'spread' ? { maxSkew, ...(minDomains > 1 ? { minDomains } : {}) } : {}
  return { kind: 'neighbours', rule: isTheirs ? 'repelled' : kind, label, ...bounds, domains, counts }
}

function byLabel(ruled: readonly Ruled[]): ReadonlyMap<string, readonly Ruled[]> {
  return Map.groupBy(ruled, ({ group }) => group.key)
}

function allowedBy([first, ...others]: readonly Ruled[]): readonly string[] {
  return first?.allowed.filter((domain) => others.every(({ allowed }) => allowed.includes(domain))) ?? []
}

function narrows({ domains, allowed }: Pick<Ruled, 'domains' | 'allowed'>): boolean {
  return allowed.length < domains.length
}
