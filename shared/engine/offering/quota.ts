import { byText } from '../../base/lists.ts'
import { type AskedCores, coresInFlight, type Quota, type QuotaUsages, quotasOf, shortUntil, usageOf } from '../../model/askedCores.ts'
import type { InstanceType, QuotaShortage } from '../../model/instanceType.ts'
import type { ProblemCode } from '../../model/problem.ts'
import type { Requirements } from '../../model/requirements.ts'
import type { UnavailableOffering, UnavailableScope } from '../../model/unavailableOffering.ts'
import type { EpochMs } from '../../model/units.ts'
import { admittedOfferings } from './usableOfferings.ts'

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

export type OutOfQuota = {
  readonly code: ProblemCode
  readonly message: string
  readonly fields: { readonly quota: string; readonly region: string; readonly limit: number; readonly used: number }
}

/** The most quotas that a message names. */
const NAMED = 3

/** Why nothing can be bought, if only quota prevents everything that the requirements allow. Undefined if it is not. */
export function outOfQuota(types: readonly InstanceType[], requirements: Requirements): OutOfQuota | undefined {
  if (!types.some(isShort)) return undefined
  const offerings = types.flatMap((type) => admittedOfferings(requirements, type))
  const short = new Map(offerings.flatMap(({ shortOf }) => (shortOf === undefined ? [] : [[shortOf.quota, shortOf] as const])))
  const [first, ...others] = [...short.values()].sort((one, other) => byText(one.quota, other.quota))
  if (first === undefined || offerings.some((each) => each.available || each.shortOf === undefined)) return undefined
  const { code, region, quota, limit, used } = first
  const named = [first, ...others.slice(0, NAMED - 1)].map(inWords).join(', ')
  const more = others.length >= NAMED ? ` and ${others.length - NAMED + 1} more` : ''
  const message = `quota in ${region} leaves no room for any instance type that the nodepool allows: ${named}${more}; raise the quota in Azure, or allow other families or capacity types`
  return { code, message, fields: { quota, region, limit, used } }
}

function isShort({ offerings }: InstanceType): boolean {
  return offerings.some(({ shortOf }) => shortOf !== undefined)
}

function inWords({ quota, limit, used }: QuotaShortage): string {
  return `${quota} has ${used} of ${limit} cores in use`
}
