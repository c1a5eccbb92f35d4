/** Which offerings can be bought now, and their order of preference. Prices are compared only here. */
import { byText, inOrder, type Order } from '../../base/order.ts'
import type { CapacityType, InstanceType, Offering } from '../../model/instanceType.ts'
import { REGIONAL_ZONE } from '../../model/inWords.ts'
import type { UnavailableOffering } from '../../model/unavailableOffering.ts'
import type { EpochMs, MicroUsdPerHour } from '../../model/units.ts'

const CAPACITY_TYPE_ORDER: readonly CapacityType[] = ['reserved', 'spot', 'on-demand']

/** The offerings of a size that Azure has and did not refuse lately, preferred first. */
export function usableOfferings(type: InstanceType, unavailable: readonly UnavailableOffering[], now: EpochMs): readonly Offering[] {
  const blocks = unavailable.filter((each) => each.until > now && concernsSize(each, type))
  return type.offerings.filter((offering) => isThere(offering) && !blocks.some((each) => isBlockedBy(each, offering))).sort(byPreference)
}

/** Why Azure is not asked for the offering now: the recent refusal that stands longest. Undefined if there is none. */
export function blockOf(
  type: InstanceType,
  offering: Offering,
  unavailable: readonly UnavailableOffering[],
  now: EpochMs,
): UnavailableOffering | undefined {
  const blocks = unavailable.filter((each) => each.until > now && concernsSize(each, type) && isBlockedBy(each, offering))
  return blocks.reduce<UnavailableOffering | undefined>(
    (longest, each) => (longest === undefined || each.until > longest.until ? each : longest),
    undefined,
  )
}

/** Reports whether Azure has the offering. A reservation that is used up pays for nothing. */
function isThere({ available, reservation }: Offering): boolean {
  return available && (reservation === undefined || reservation.remaining > 0)
}

/** Cheaper first, then reserved, spot, on demand, then zonal before regional. */
export const byWorth: Order<Offering> = (first, second) => comparePrices(first.price, second.price) || byKind(first, second)

const byKind = inOrder<Offering>(
  (first, second) => CAPACITY_TYPE_ORDER.indexOf(first.capacityType) - CAPACITY_TYPE_ORDER.indexOf(second.capacityType),
  (first, second) => Number(first.zone === REGIONAL_ZONE) - Number(second.zone === REGIONAL_ZONE),
)

/** By worth, then by zone. */
export const byPreference: Order<Offering> = (first, second) => byWorth(first, second) || byText(first.zone, second.zone)

/** An unknown price comes after every known one. */
function comparePrices(first: MicroUsdPerHour | undefined, second: MicroUsdPerHour | undefined): number {
  if (first === undefined || second === undefined) return Number(first === undefined) - Number(second === undefined)
  return first - second
}

/** Reports whether the scope contains the offering of the size. */
export function contains(blocked: UnavailableOffering, type: InstanceType, offering: Pick<Offering, 'zone' | 'capacityType'>): boolean {
  return concernsSize(blocked, type) && isBlockedBy(blocked, offering)
}

function concernsSize({ scope }: UnavailableOffering, type: InstanceType): boolean {
  switch (scope.kind) {
    case 'offering':
      return scope.size === type.name
    case 'family':
      return scope.family === type.family && type.cpus >= scope.minCpus
    case 'capacityType':
      return type.cpus >= (scope.minCpus ?? 0)
  }
}

function isBlockedBy({ scope }: UnavailableOffering, offering: Pick<Offering, 'zone' | 'capacityType'>): boolean {
  if (scope.capacityType !== undefined && scope.capacityType !== offering.capacityType) return false
  return scope.kind === 'capacityType' || scope.zone === undefined || scope.zone === offering.zone
}
