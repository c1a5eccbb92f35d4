/** The sizes and offerings of a NodeClass as sets of numbers. What a requirement leaves of them is worked out once. */
import { byText, type Order } from '../../../../base/order.ts'
import type { InstanceType, Offering, QuotaShortage } from '../../../../model/instanceType.ts'
import { UNDEFINED_ALLOWED_LABELS } from '../../../../model/labels.ts'
import { meets } from '../../../../model/requirementConflict.ts'
import type { Requirement, Requirements } from '../../../../model/requirements.ts'
import type { DemotedSize } from '../../../../model/sizeReport.ts'
import type { UnavailableOffering } from '../../../../model/unavailableOffering.ts'
import type { EpochMs } from '../../../../model/units.ts'
import { byAmounts } from '../../../offering/byAmounts.ts'
import { blockOf, byPreference, usableOfferings } from '../../../offering/usableOfferings.ts'
import { type WeighedOffering, weighedOffering } from '../../../offering/weighedOffering.ts'
import { type Bits, bitsOf } from '../quantities/bits.ts'
import { type OfferingKind, offeringKinds } from './offeringKinds.ts'

export type Catalog = {
  /** Sorted by name. The position of a type is its number in type sets. A type is listed once for each set of amounts that its offerings bring. */
  readonly types: readonly CatalogType[]
  /** The offerings that can be bought now, preferred first. The position of an offering is its number in offering sets. */
  readonly offerings: readonly CatalogOffering[]
  /** The positions of each type's offerings, preferred first, indexed by the position of the type. */
  readonly offeringsOf: readonly (readonly number[])[]
  /** Counts the narrowed templates that were made of this catalog. It is changed in place. */
  readonly made: Made
  /** Why Azure is not asked for the offering now: a recent refusal, or the quota. Undefined if the offering can be asked for. */
  refusalOf(type: InstanceType, offering: Offering): UnavailableOffering | QuotaShortage | undefined
  /** Types that can meet the requirement: they share a value with it, or do not define the label. */
  typesFor(requirement: Requirement): Bits
  /** Offerings that can meet the requirement, by the same rule. */
  offeringsFor(requirement: Requirement): Bits
  /** Offerings whose labels are all known: each has a requirement here, or may be undefined. */
  offeringsDefinedBy(requirements: Requirements): Bits
  /** The offerings that can be bought now or soon, by their labels. */
  kinds(): readonly OfferingKind[]
}

export type Made = { narrowedTemplates: number }

export type CatalogType = { readonly index: number; readonly type: InstanceType; readonly requirements: Requirements }
export type CatalogOffering = { readonly type: number; readonly offering: WeighedOffering; readonly requirements: Requirements }

type Sale = {
  readonly unavailable: readonly UnavailableOffering[]
  readonly demoted?: readonly DemotedSize[]
  readonly takenAt: EpochMs
  /** What one more node costs beside its price, in micro-USD an hour. */
  readonly nodeCost?: number | undefined
}

/** What can be bought now, at the prices at which decisions weigh it. */
export function catalogOf(
  instanceTypes: readonly InstanceType[],
  { unavailable, demoted = [], takenAt: now, nodeCost }: Sale,
  made: Made,
): Catalog {
  const types = instanceTypes
    .flatMap(byAmounts)
    .sort((first, second) => byText(first.name, second.name))
    .map((type, index) => ({ index, type, requirements: byLabel(type.requirements) }))
  const labelsOfOffering = sharedByLabel()
  const offerings = types
    .flatMap(({ type, index }) =>
      usableOfferings(type, unavailable, now).map((offering) => ({
        type: index,
        offering: weighedOffering(type, offering, demoted, nodeCost),
        requirements: labelsOfOffering(offering.requirements),
      })),
    )
    .sort(byOffering)
  const offeringsOf = types.map((): number[] => [])
  for (const [index, { type }] of offerings.entries()) offeringsOf[type]?.push(index)
  const typeSets = new Map<string, Bits>()
  const offeringSets = new Map<string, Bits>()
  let kinds: readonly OfferingKind[] | undefined
  return {
    types,
    offerings,
    offeringsOf,
    made,
    refusalOf: (type, offering) => blockOf(type, offering, unavailable, now) ?? offering.shortOf,
    typesFor: (requirement) => memo(typeSets, requirement, () => setFor(types, requirement)),
    offeringsFor: (requirement) => memo(offeringSets, requirement, () => setFor(offerings, requirement)),
    offeringsDefinedBy: (requirements) =>
      bitsOf(offerings.length, (index) =>
        [...(offerings[index]?.requirements.keys() ?? [])].every((key) => UNDEFINED_ALLOWED_LABELS.has(key) || requirements.has(key)),
      ),
    kinds: () => {
      kinds ??= offeringKinds(types, unavailable, now, labelsOfOffering)
      return kinds
    },
  }
}

/** In the order of a launch. Equal offerings go by the name of their type. */
const byOffering: Order<CatalogOffering> = (first, second) => byPreference(first.offering, second.offering) || first.type - second.type

function byLabel(list: readonly Requirement[]): Requirements {
  return new Map(list.map((each) => [each.key, each]))
}

/** Sets of labels that are compared before their text is made: most offerings have one of a few sets. */
const RECENT_SETS = 16

/** Returns one shared map for equal sets of labels: thousands of offerings have only a few different sets. */
function sharedByLabel(): (list: readonly Requirement[]) => Requirements {
  const known = new Map<string, Requirements>()
  const recent: { readonly list: readonly Requirement[]; readonly shared: Requirements }[] = []
  return (list) => {
    for (const each of recent) if (isSameSet(each.list, list)) return each.shared
    let text = ''
    for (const { key, complement, values } of list) text += ` ${key}${complement ? '!' : '='}${values.join()}`
    const shared = known.get(text) ?? byLabel(list)
    known.set(text, shared)
    if (recent.length < RECENT_SETS) recent.push({ list, shared })
    return shared
  }
}

/** Reports whether the sets have the same labels in the same order, each with one equal value. */
function isSameSet(one: readonly Requirement[], other: readonly Requirement[]): boolean {
  if (one.length !== other.length) return false
  for (let at = one.length - 1; at >= 0; at--) if (!isSameValue(one[at], other[at])) return false
  return true
}

function isSameValue(one: Requirement | undefined, other: Requirement | undefined): boolean {
  if (one === other) return true
  if (one?.values.length !== 1 || other?.values.length !== 1) return false
  return one.values[0] === other.values[0] && one.key === other.key && one.complement === other.complement
}

function setFor(members: readonly { readonly requirements: Requirements }[], requirement: Requirement): Bits {
  const answers = new Map<Requirements, boolean>()
  return bitsOf(members.length, (index) => {
    const requirements = members[index]?.requirements
    if (requirements === undefined) return true
    const known = answers.get(requirements)
    if (known !== undefined) return known
    const own = requirements.get(requirement.key)
    const answer = own === undefined || meets(own, requirement)
    answers.set(requirements, answer)
    return answer
  })
}

function memo(sets: Map<string, Bits>, requirement: Requirement, make: () => Bits): Bits {
  const { key, complement, values, gte, lte, mustExist } = requirement
  const text = JSON.stringify([key, complement, values, gte, lte, mustExist])
  const known = sets.get(text)
  if (known !== undefined) return known
  const made = make()
  sets.set(text, made)
  return made
}
