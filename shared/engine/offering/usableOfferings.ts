/** Which offerings can be bought now, which ones requirements allow at all, and their order of preference. Prices are compared only here. */
import { byText, inOrder, type Order } from '../../base/lists.ts'
import { stableNumber } from '../../base/stableHash.ts'
import type { NodeClaimName, ZoneName } from '../../model/ids.ts'
import type { CapacityType, InstanceType, Offering } from '../../model/instanceType.ts'
import { REGIONAL_ZONE } from '../../model/inWords.ts'
import { UNDEFINED_ALLOWED_LABELS } from '../../model/labels.ts'
import { conflicts, overlapConflicts } from '../../model/requirementConflict.ts'
import type { Requirement, Requirements } from '../../model/requirements.ts'
import { DEMOTED_FACTOR, type DemotedSize, demotionOf } from '../../model/sizeReport.ts'
import type { UnavailableOffering } from '../../model/unavailableOffering.ts'
import { type EpochMs, type MicroUsdPerHour, microUsdPerHour } from '../../model/units.ts'

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

/**
 * An offering at the price at which decisions weigh it. `sold`: the offering as Azure sells it, if that differs. `isDemoted`: its machines are likely
 * to fail, and it is weighed at `DEMOTED_FACTOR` times its price.
 */
export type WeighedOffering = Offering & { readonly sold?: Offering; readonly isDemoted?: true }

/**
 * What is prepaid is weighed at this share of its price, and at one micro-USD an hour at least: a machine of a reservation adds nothing to the bill.
 * So reservations are used before anything is bought, none is used for nothing, and of two that serve the smaller one comes first.
 */
const PREPAID_SHARE = 1e-4

/** `nodeCost`: what one more node costs beside its price, in micro-USD an hour. An unknown price stays unknown. */
export function weighedOffering(
  { name }: Pick<InstanceType, 'name'>,
  offering: Offering,
  demoted: readonly DemotedSize[],
  nodeCost = 0,
): WeighedOffering {
  const { price, capacityType, reservation } = offering
  const isDemoted = reservation === undefined && demoted.length > 0 && demotionOf({ size: name, capacityType }, demoted) !== undefined
  if (!isDemoted && reservation === undefined && nodeCost === 0) return offering
  const weighed = price === undefined ? undefined : microUsdPerHour(weightOf(price, isDemoted, reservation !== undefined) + nodeCost)
  return { ...offering, ...(weighed === undefined ? {} : { price: weighed }), sold: offering, ...(isDemoted && { isDemoted }) }
}

function weightOf(price: number, isDemoted: boolean, isPrepaid: boolean): number {
  if (isPrepaid) return Math.max(1, Math.ceil(price * PREPAID_SHARE))
  return isDemoted ? price * DEMOTED_FACTOR : price
}

export function asSold(offering: WeighedOffering): Offering {
  return offering.sold ?? offering
}

/**
 * Returns a number for each zone: zones of equal worth are taken in the order of these numbers. Each claim has its own order, so that machines of one
 * price spread over the zones instead of all going to the first. The order of a claim never changes, so that a second try finds what the first try
 * made.
 */
export function zoneTurn(claim: NodeClaimName): (zone: ZoneName) => number {
  const turns = new Map<ZoneName, number>()
  return (zone) => {
    const known = turns.get(zone) ?? stableNumber(`${claim} ${zone}`)
    turns.set(zone, known)
    return known
  }
}

const typesByName = new WeakMap<readonly InstanceType[], ReadonlyMap<string, InstanceType>>()

/** The instance type with the name. The list is indexed at the first question, and must not change after it. */
export function typeNamed(types: readonly InstanceType[] | undefined, name: string | undefined): InstanceType | undefined {
  if (types === undefined || name === undefined) return undefined
  const named = typesByName.get(types) ?? new Map(types.map((type) => [type.name, type]))
  typesByName.set(types, named)
  return named.get(name)
}

const requirementMaps = new WeakMap<readonly Requirement[], Requirements>()

/** The requirements by key. A list of the catalog stays the same between decisions, and is made into a map once. It must not change after it. */
export function requirementMap(requirements: readonly Requirement[]): Requirements {
  const map = requirementMaps.get(requirements) ?? new Map(requirements.map((each) => [each.key, each]))
  requirementMaps.set(requirements, map)
  return map
}

/** The offerings of the size that the requirements allow, even if they cannot be bought now. Empty if the requirements do not allow the size. */
export function admittedOfferings(requirements: Requirements, type: InstanceType): readonly Offering[] {
  if (overlapConflicts(requirementMap(fixedLabels(type)), requirements).length > 0) return []
  return type.offerings.filter((each) => admitsOffering(requirements, each))
}

/** Reports whether the requirements allow the offering. */
export function admitsOffering(requirements: Requirements, offering: Offering): boolean {
  return conflicts(requirements, requirementMap(offering.requirements), UNDEFINED_ALLOWED_LABELS).length === 0
}

/** The labels of a machine of this size, made by this offering. */
export function labelsOfMachine(type: InstanceType, offering: Offering): Requirements {
  return requirementMap([...fixedLabels(type), ...offering.requirements])
}

const fixed = new WeakMap<InstanceType, readonly Requirement[]>()

/** The labels that no offering has. Zone and capacity type of a size cover only what can be bought now, so its offerings count instead. */
function fixedLabels(type: InstanceType): readonly Requirement[] {
  const known = fixed.get(type)
  if (known !== undefined) return known
  const offered = new Set(type.offerings.flatMap((each) => each.requirements.map(({ key }) => key)))
  const labels = type.requirements.filter(({ key }) => !offered.has(key))
  fixed.set(type, labels)
  return labels
}
