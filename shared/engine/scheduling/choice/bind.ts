/** Binds the pods of a plan as the scheduler does: a pod is bound only if its required rules hold with the pods that were bound before. */

import type { Placement } from '../candidates/plan.ts'
import { type DomainFilter, domainFilters, holdsAnyway, reachOf, record } from '../model/neighbours/domainFilters.ts'
import type { Work } from '../model/quantities/work.ts'

/** The required rules: those that remain when all preferences are given up. */
export function demandsOf({ podClass, relaxedPod }: Pick<Placement, 'podClass' | 'relaxedPod'>): readonly DomainFilter[] {
  return domainFilters(podClass, podClass.relaxedPods.at(-1) ?? relaxedPod)
}

/** Binds as many pods of the placement as can be bound now, at most `count`. Returns their number. */
export function bind(placement: Placement, count: number, work: Work): number {
  const { host, podClass, relaxedPod } = placement
  const rules = demandsOf(placement)
  work.domains += reachOf(rules)
  if (rules.length === 0) {
    record(host, podClass, relaxedPod, count)
    return count
  }
  let bound = 0
  let now = rules
  while (bound < count && brokenBy(placement, now) === undefined) {
    record(host, podClass, relaxedPod)
    bound++
    // A pod that is bound changes what the rules allow.
    if (bound < count) now = demandsOf(placement)
  }
  work.domains += bound * reachOf(rules)
  return bound
}

/** The first rule that does not let one more pod of the placement come now. */
export function brokenBy({ host }: Pick<Placement, 'host'>, rules: readonly DomainFilter[]): DomainFilter | undefined {
  return rules.find((rule) => {
    const domain = rule.group.isHost ? host.name : host.domainOf(rule.group.key)
    return domain === undefined ? !holdsAnyway(rule, host) : !rule.allows(domain)
  })
}
