import { type Quota, quotasOf, type Usage, usageOf } from '../../../model/askedCores.ts'
import type { ZoneName } from '../../../model/ids.ts'
import type { CapacityType, Offering, QuotaShortage } from '../../../model/instanceType.ts'
import { LABEL } from '../../../model/labels.ts'
import type { Requirement } from '../../../model/requirements.ts'
import { microUsdPerHour } from '../../../model/units.ts'
import type { SizePrice } from '../../../wire/azure/catalogBlob.ts'
import { AZURE_LABEL } from '../azureLabels.ts'
import { isTrue, type Size } from './size.ts'
import { oneOf } from './typeRequirements.ts'
import { placementScope, REGIONAL, zoneLabel } from './zones.ts'

type Usages = Readonly<Record<string, Usage>>

/**
 * Returns a function that lists all offerings of a size: in each zone and without a zone, on demand and spot. The price is absent if none is
 * published. Equal requirement lists share one object, since a region has thousands of offerings.
 */
export function createOfferings(location: string): (size: Size, price: SizePrice | undefined, usages: Usages) => readonly Offering[] {
  const known = new Map<string, readonly Requirement[]>()
  const requirements = (zone: ZoneName, capacityType: CapacityType, hasUltraSsd: boolean): readonly Requirement[] => {
    const key = `${zone} ${capacityType} ${hasUltraSsd}`
    const made = known.get(key) ?? requirementsOf(zone, capacityType, hasUltraSsd)
    known.set(key, made)
    return made
  }
  return (size, price, usages) => {
    const zones = [...size.record.zones.map((zone) => zoneLabel(location, zone)), REGIONAL]
    const ultraZones = new Set(size.record.ultraSsdZones.map((zone) => zoneLabel(location, zone)))
    const hasUltra = (zone: ZoneName) => (zone === REGIONAL ? isTrue(size.record, 'UltraSSDAvailable') : ultraZones.has(zone))
    const shortages = shortagesOf(size, usages, location)
    const isSold = { 'on-demand': true, spot: isTrue(size.record, 'LowPriorityCapable') }
    return zones.flatMap((zone) =>
      (['on-demand', 'spot'] as const).map((capacityType): Offering => {
        const amount = capacityType === 'spot' ? price?.spot : price?.onDemand
        const shortOf = isSold[capacityType] ? shortages[capacityType] : undefined
        return {
          zone,
          capacityType,
          ...(amount === undefined ? {} : { price: microUsdPerHour(amount) }),
          available: isSold[capacityType] && shortOf === undefined,
          ...(shortOf === undefined ? {} : { shortOf }),
          requirements: requirements(zone, capacityType, hasUltra(zone)),
        }
      }),
    )
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
