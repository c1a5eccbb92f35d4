import type { Plan } from '../candidates/plan.ts'
import { isWithinSkew } from '../model/neighbours/domainFilters.ts'
import { isBin } from '../model/nodes/bin.ts'

/**
 * Reports whether the finished plan keeps the skew of all spreads over domains wider than a machine. It checks plans whose pods were not followed one
 * by one.
 */
export function keepsSkew({ log }: Plan): boolean {
  const seen = new Set<string>()
  for (const { host, relaxedPod } of log) {
    if (!isBin(host)) continue
    for (const group of relaxedPod.spread) {
      if (group.isHost) continue
      const domain = host.domainOf(group.key)
      const text = `${relaxedPod.id} ${group.id} ${domain}`
      if (seen.has(text)) continue
      seen.add(text)
      if (domain === undefined || !isWithinSkew(group, domain)) return false
    }
  }
  return true
}
