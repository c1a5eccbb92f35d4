/**
 * Cores of machines that were asked for and that the usage of the region may not count yet. Azure counts a machine from its acceptance on, but the
 * usage is read every few minutes only. Without these cores, a burst of launches asks for more than a quota has left.
 */
import { ownValue } from '../base/values.ts'
import type { ClusterId, NodeClaimName } from './ids.ts'
import type { CapacityType, QuotaShortage } from './instanceType.ts'
import type { SizeReport } from './sizeReport.ts'
import type { UnavailableOffering } from './unavailableOffering.ts'
import { durationMs, type EpochMs, epochMs, later } from './units.ts'

/** The machine that a claim asks for. A claim asks for one machine at a time. */
export type AskedCores = {
  readonly cluster: ClusterId
  readonly claim: NodeClaimName
  /** Quota family, as the size has it. */
  readonly family: string
  readonly capacityType: CapacityType
  readonly cpus: number
  readonly at: EpochMs
}

/** What the clusters of a subscription and region tell each other about its offerings. */
export type RegionOfferings = {
  readonly unavailable: readonly UnavailableOffering[]
  readonly asked: readonly AskedCores[]
  readonly reports: readonly SizeReport[]
}

export type AskingClaim = Pick<AskedCores, 'cluster' | 'claim'>

/** Cores in use and their limit. */
export type Usage = { readonly limit: number; readonly used: number }

/** The quotas of a subscription and region, as Azure told them at one time. The names are in lower case. */
export type QuotaUsages = { readonly readAt: EpochMs; readonly usages: Readonly<Record<string, Usage>> }

export type Quota = Pick<QuotaShortage, 'code' | 'quota'>

/** How long a machine may be missing in the usage after its request. */
const COUNTED_AFTER = durationMs(60_000)
/** How long cores are remembered if the usage cannot be read. It is not used for longer, either. */
const LONGEST = durationMs(15 * 60_000)

const SPOT: Quota = { code: 'AZURE.QUOTA.SPOT', quota: 'lowPriorityCores' }
const REGION: Quota = { code: 'AZURE.QUOTA.REGION', quota: 'cores' }

/** The quotas that a machine counts against. A machine of a reservation was counted when the reservation was made. */
export function quotasOf({ family, capacityType }: Pick<AskedCores, 'family' | 'capacityType'>): readonly Quota[] {
  switch (capacityType) {
    case 'spot':
      return [SPOT]
    case 'on-demand':
      return family === '' ? [REGION] : [{ code: 'AZURE.QUOTA.FAMILY', quota: family }, REGION]
    case 'reserved':
      return []
  }
}

/** The usage of a quota. Undefined if Azure did not tell it. */
export function usageOf({ usages }: Pick<QuotaUsages, 'usages'>, quota: string): Usage | undefined {
  return ownValue(usages, quota.toLowerCase())
}

/** Reports whether the usage that was read at this time may lack the machine. */
function mayBeUncounted({ at }: AskedCores, readAt: EpochMs): boolean {
  return readAt < later(at, COUNTED_AFTER)
}

/** Reports whether the cores have to be remembered. */
export function isAsked({ at }: Pick<AskedCores, 'at'>, now: EpochMs): boolean {
  return now < later(at, LONGEST)
}

/** The cores of a quota that are asked for and not counted. */
export function coresInFlight(asked: readonly AskedCores[], { readAt }: Pick<QuotaUsages, 'readAt'>, quota: string): number {
  let cores = 0
  for (const each of asked) if (mayBeUncounted(each, readAt) && countsAgainst(each, quota)) cores += each.cpus
  return cores
}

function countsAgainst(each: AskedCores, quota: string): boolean {
  return quotasOf(each).some((own) => own.quota.toLowerCase() === quota.toLowerCase())
}

/** Reports whether each quota of the machine has room for it beside all that is asked for. A quota that Azure did not tell has room. */
export function hasRoom(machine: AskedCores, asked: readonly AskedCores[], quota: QuotaUsages): boolean {
  const others = withoutClaim(asked, machine)
  return quotasOf(machine).every(({ quota: name }) => {
    const usage = usageOf(quota, name)
    return usage === undefined || machine.cpus <= usage.limit - usage.used - coresInFlight(others, quota, name)
  })
}

/** The cores with those of the machine, if its quotas have room for it. */
export function withAsked(asked: readonly AskedCores[], machine: AskedCores, quota: QuotaUsages): readonly AskedCores[] {
  return hasRoom(machine, asked, quota) ? [...withoutClaim(asked, machine), machine] : asked
}

/** The cores without those of the claim. */
export function withoutClaim(asked: readonly AskedCores[], { cluster, claim }: AskingClaim): readonly AskedCores[] {
  return asked.filter((each) => each.claim !== claim || each.cluster !== cluster)
}

/** When a shortage is looked at again at the latest. */
export function shortUntil({ readAt }: QuotaUsages, now: EpochMs): EpochMs {
  const nextRead = later(readAt, durationMs(10 * 60_000))
  return nextRead > now ? nextRead : epochMs(now + 60_000)
}
