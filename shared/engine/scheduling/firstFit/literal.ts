/**
 * How Karpenter holds an open claim to domains: every rule for itself, by what is counted. Whether anything can be bought there is seen
 * after.
 */

import { has, type Requirement } from '../../../model/requirements.ts'
import { withValues } from '../catalog/combination.ts'
import { type Bin, type Fit, fitIn } from '../hosts/bin.ts'
import type { Plan } from '../plan.ts'
import { isCounted, type PodClass, type Variant } from '../pods/podClass.ts'
import { countOf, type Group, type NodeFilter } from '../topology/group.ts'
import type { TopologyHost } from '../topology/host.ts'
import type { Allowance } from '../topology/rules.ts'

/** Undefined: two rules chose what has nothing in common, or no size serves there. Another choice is not looked for. */
export function chosenByEach(bin: Bin, { combination, cursor }: Fit, podClass: PodClass, rules: readonly Allowance[]): Fit | undefined {
  let narrowed = combination
  for (const key of new Set(rules.flatMap(({ group }) => (group.isHost ? [] : [group.key])))) {
    const own = combination.requirements.get(key)
    const [first = [], ...others] = rules.filter(({ group }) => group.key === key).map((rule) => choiceOf(rule, own))
    const values = first.filter((domain) => others.every((each) => each.includes(domain)))
    const left = values.length === 0 ? undefined : withValues(narrowed, { key, complement: false, values: values.sort() })
    if (left === undefined) return undefined
    narrowed = left
  }
  return narrowed === combination ? { combination, cursor } : fitIn(bin, narrowed, podClass)
}

/** One domain where the next pod could not go to any other: that with the fewest pods, of equals the first by name. */
function choiceOf({ group, picksOne, known, perhaps = NONE, allows }: Allowance, own: Requirement | undefined): readonly string[] {
  const allowed = [...known].filter((domain) => (own === undefined || has(own, domain)) && allows(domain))
  if (!picksOne) return allowed
  const countAt = (domain: string): number => countOf(group.selected, domain) + countOf(perhaps, domain)
  return allowed.sort((first, second) => countAt(first) - countAt(second) || (first < second ? -1 : 1)).slice(0, 1)
}

/** Pods whose domain is not decided, or whether their place is looked at, count for a spread wherever they may come to be: nobody knows who is bound first. */
export function withUndecided({ log }: Plan, rules: readonly Allowance[]): readonly Allowance[] {
  return rules.map((rule) => {
    if (rule.group.kind !== 'spread') return rule
    const perhaps = undecidedIn(rule.group, log)
    return { ...rule, perhaps, allows: (domain) => rule.allows(domain, countOf(perhaps, domain)) }
  })
}

function undecidedIn(group: Group, log: Plan['log']): ReadonlyMap<string, number> {
  const found = new Map<string, number>()
  for (const { host, podClass, variant, count } of log) {
    if (!isCounted(podClass, group)) continue
    const domain = group.isHost ? host.name : host.domainOf(group.key)
    const isOpen = domain === undefined ? looksAtOthers(podClass, variant) : !passes(host, group.filter)
    if (!isOpen || !mayPass(host, group.filter)) continue
    for (const each of domain === undefined ? host.domainsOf(group.key) : [domain]) found.set(each, countOf(found, each) + count)
  }
  return found
}

function passes(host: TopologyHost, filter: NodeFilter | undefined): boolean {
  return filter === undefined || host.passes(filter)
}

/** Whether some machine that the place may become passes. */
function mayPass(host: TopologyHost, filter: NodeFilter | undefined): boolean {
  if (filter === undefined || host.passes(filter)) return true
  const mayMeet = ([key, wish]: readonly [string, Requirement]): boolean => host.domainsOf(key).some((value) => has(wish, value))
  return host.passes({ ...filter, required: undefined }) && filter.required?.some((each) => [...each].every(mayMeet)) !== false
}

/** Others can be bound after all that look at them. */
function looksAtOthers({ pod }: PodClass, { spread }: Variant): boolean {
  return spread.length > 0 || pod.podAffinity.required.length > 0
}

const NONE: ReadonlyMap<string, number> = new Map()
