/** Pods that are placed and of which it is not yet known where they will count. */
import type { Plan } from '../plan.ts'
import { isCounted, type PodClass, type Variant } from '../pods/podClass.ts'
import { countOf, type Group } from '../topology/group.ts'
import { isLookedAt, mayPass } from '../topology/host.ts'
import type { Allowance } from '../topology/rules.ts'

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
    const isOpen = domain === undefined ? looksAtOthers(podClass, variant) : !isLookedAt(host, group.filter)
    if (!isOpen || !mayPass(host, group.filter)) continue
    for (const each of domain === undefined ? host.domainsOf(group.key) : [domain]) found.set(each, countOf(found, each) + count)
  }
  return found
}

/** Others can be bound after all that look at them. */
function looksAtOthers({ pod }: PodClass, { spread }: Variant): boolean {
  return spread.length > 0 || pod.podAffinity.required.length > 0
}
