import { has } from '../../../model/requirements.ts'
import { isBin } from '../hosts/bin.ts'
import type { Plan } from '../plan.ts'
import type { PodClass, Variant } from '../pods/podClass.ts'
import { countOf, type Group, isMeant } from '../topology/group.ts'

/** Whether the finished plan holds what pods demand of their neighbours, wherever a plan did not look at them one by one. */
export function keepsSkew({ log }: Plan, groups: readonly Group[]): boolean {
  if (groups.length === 0) return true
  const seen = new Set<string>()
  for (const { host, podClass, variant } of log) {
    if (!isBin(host)) continue
    for (const group of variant.spread) {
      if (group.isHost) continue
      const domain = host.domainOf(group.key)
      const text = `${variant.id} ${group.id} ${domain}`
      if (seen.has(text)) continue
      seen.add(text)
      if (domain === undefined || !isLevel(group, podClass, variant, domain)) return false
    }
  }
  return true
}

/** The last of the pods to come was allowed here. */
function isLevel(group: Group, podClass: PodClass, { required }: Variant, domain: string): boolean {
  const counts = [...group.known]
    .filter((each) => required.some((own) => !own.has(group.key) || hasValue(own.get(group.key), each)))
    .map((each) => countOf(group.selected, each))
  const floor = counts.length < group.minDomains ? 0 : Math.min(...counts)
  const self = isMeant(group, podClass) ? 0 : 1
  return countOf(group.selected, domain) - floor <= group.maxSkew + self
}

function hasValue(requirement: Parameters<typeof has>[0] | undefined, value: string): boolean {
  return requirement === undefined || has(requirement, value)
}
