import { type AskedCores, coresInFlight, type Quota, type QuotaUsages, quotasOf, shortUntil, usageOf } from '../../model/askedCores.ts'
import type { UnavailableOffering, UnavailableScope } from '../../model/unavailableOffering.ts'
import type { EpochMs } from '../../model/units.ts'

/** More cores than any size has. A quota with so many left is not short of anything. */
const LARGEST_SIZE = 2_000

/**
 * The offerings for which a quota has no room beside the cores in flight. A launch would be refused, as by the quota itself. Quotas without cores in
 * flight are left out: the instance types know the usage.
 */
export function shortages(quota: QuotaUsages, asked: readonly AskedCores[], now: EpochMs): readonly UnavailableOffering[] {
  const quotas = new Map(asked.flatMap(quotasOf).map((each) => [each.quota.toLowerCase(), each] as const))
  return [...quotas.values()].flatMap((each) => shortageOf(each, quota, asked, now))
}

function shortageOf(each: Quota, usages: QuotaUsages, asked: readonly AskedCores[], now: EpochMs): readonly UnavailableOffering[] {
  const usage = usageOf(usages, each.quota)
  const inFlight = coresInFlight(asked, usages, each.quota)
  if (usage === undefined || inFlight === 0) return []
  const room = Math.max(0, usage.limit - usage.used - inFlight)
  if (room >= LARGEST_SIZE) return []
  const message = `${each.quota} has ${usage.used} of ${usage.limit} cores in use, and machines with ${inFlight} more cores are on their way`
  return [{ scope: scopeOf(each, room + 1), until: shortUntil(usages, now), code: each.code, message }]
}

function scopeOf({ code, quota }: Quota, minCpus: number): UnavailableScope {
  switch (code) {
    case 'AZURE.QUOTA.FAMILY':
      return { kind: 'family', family: quota, minCpus, capacityType: 'on-demand' }
    case 'AZURE.QUOTA.REGION':
      return { kind: 'capacityType', capacityType: 'on-demand', minCpus }
    case 'AZURE.QUOTA.SPOT':
      return { kind: 'capacityType', capacityType: 'spot', minCpus }
  }
}
