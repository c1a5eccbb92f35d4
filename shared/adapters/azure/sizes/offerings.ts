import { type Quota, quotasOf, type Usage, usageOf } from '../../../model/askedCores.ts'
import type { ZoneName } from '../../../model/ids.ts'
import type { CapacityType, Offering, QuotaShortage } from '../../../model/instanceType.ts'
import { LABEL } from '../../../model/labels.ts'
import type { Requirement } from '../../../model/requirements.ts'
import { type MicroUsdPerHour, microUsdPerHour } from '../../../model/units.ts'
import type { SizePrice } from '../../../wire/azure/catalogBlob.ts'
import { AZURE_LABEL } from '../azureLabels.ts'
import { isTrue, type Size } from './size.ts'
import { oneOf } from './typeRequirements.ts'
import { placementScope, REGIONAL, zoneLabel } from './zones.ts'

type Usages = Readonly<Record<string, Usage>>

/** `disk`: the price of the managed OS disk. Undefined if the disk is ephemeral. */
type Prices = { readonly machine: SizePrice | undefined; readonly disk: MicroUsdPerHour | undefined }

/** A way to buy a size, without its price. */
type Way = Pick<Offering, 'zone' | 'requirements'> & { readonly capacityType: 'on-demand' | 'spot' }

/**
 * Returns a function that lists all offerings of a size: in each zone and without a zone, on demand and spot. The price is that of the
 * machine and its disk, and is absent if none is published. Equal requirement lists share one object, since a region has thousands of offerings.
 */
export function createOfferings(location: string): (size: Size, prices: Prices, usages: Usages) => readonly Offering[] {
  const waysOf = createWays(location)
  return (size, prices, usages) => {
    const shortages = shortagesOf(size, usages, location)
    const isSpotSold = isTrue(size.record, 'LowPriorityCapable')
    return waysOf(size).map((way): Offering => {
      const isSpot = way.capacityType === 'spot'
      const price = billOf(isSpot ? prices.machine?.spot : prices.machine?.onDemand, prices.disk)
      const isSold = !isSpot || isSpotSold
      const shortOf = isSold ? shortages[way.capacityType] : undefined
      const { zone, capacityType, requirements } = way
      const available = isSold && shortOf === undefined
      if (shortOf === undefined) return { zone, capacityType, ...price, available, requirements }
      return { zone, capacityType, ...price, available, shortOf, requirements }
    })
  }
}

/** The bill of a machine. Unknown if only the price of the disk is known. */
function billOf(machine: number | undefined, disk: MicroUsdPerHour | undefined): Pick<Offering, 'price' | 'diskPrice'> {
  if (machine === undefined) return {}
  return disk === undefined ? { price: microUsdPerHour(machine) } : { price: microUsdPerHour(machine + disk), diskPrice: disk }
}

/** Most sizes of a region are sold in the same places. The ways of each set of places are made once. */
function createWays(location: string): (size: Size) => readonly Way[] {
  const known = new Map<string, readonly Way[]>()
  const lists = new Map<string, readonly Requirement[]>()
  const requirements = (zone: ZoneName, capacityType: CapacityType, hasUltraSsd: boolean): readonly Requirement[] => {
    const key = `${zone} ${capacityType} ${hasUltraSsd}`
    const made = lists.get(key) ?? requirementsOf(zone, capacityType, hasUltraSsd)
    lists.set(key, made)
    return made
  }
  return ({ record }) => {
    const isUltra = isTrue(record, 'UltraSSDAvailable')
    const key = `${record.zones.join(' ')}|${record.ultraSsdZones.join(' ')}|${isUltra}`
    const found = known.get(key)
    if (found !== undefined) return found
    const ultraZones = new Set(record.ultraSsdZones.map((zone) => zoneLabel(location, zone)))
    const hasUltra = (zone: ZoneName) => (zone === REGIONAL ? isUltra : ultraZones.has(zone))
    const ways = [...record.zones.map((zone) => zoneLabel(location, zone)), REGIONAL].flatMap((zone) =>
      (['on-demand', 'spot'] as const).map((capacityType): Way => {
        return { zone, capacityType, requirements: requirements(zone, capacityType, hasUltra(zone)) }
      }),
    )
    known.set(key, ways)
    return ways
  }
}

type Shortages = { readonly [Type in 'on-demand' | 'spot']: QuotaShortage | undefined }

function shortagesOf(size: Size, usages: Usages, region: string): Shortages {
  const family = size.record.family ?? ''
  const short = ({ quota, code }: Quota): readonly QuotaShortage[] => {
    const usage = usageOf({ usages }, quota)
    // An offering counts as available if the limit is not known. Azure itself refuses a launch beyond the limit.
    if (usage === undefined || size.cpus <= usage.limit - usage.used) return []
    return [{ code, quota, region, limit: usage.limit, used: usage.used }]
  }
  const shortOf = (capacityType: 'on-demand' | 'spot') => quotasOf({ family, capacityType }).flatMap(short)[0]
  return { 'on-demand': shortOf('on-demand'), spot: shortOf('spot') }
}

function requirementsOf(zone: ZoneName, capacityType: CapacityType, hasUltraSsd: boolean): readonly Requirement[] {
  const priority = capacityType === 'spot' ? 'spot' : 'regular'
  return [
    oneOf(AZURE_LABEL.placementScope, [placementScope(zone)]),
    oneOf(AZURE_LABEL.ultraSsd, hasUltraSsd ? ['false', 'true'] : ['false']),
    oneOf(LABEL.capacityType, [capacityType]),
    oneOf(AZURE_LABEL.priority, [priority]),
    oneOf(AZURE_LABEL.scaleSetPriority, [priority]),
    oneOf(LABEL.zone, [zone]),
  ]
}
