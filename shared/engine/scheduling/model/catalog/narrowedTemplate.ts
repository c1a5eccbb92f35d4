/** A template narrowed by the constraints that share a claim: their requirements met together, and what each size then costs. */
import type { ObjectKey } from '../../../../model/ids.ts'
import { UNDEFINED_ALLOWED_LABELS } from '../../../../model/labels.ts'
import { conflicts, meets, overlapConflicts } from '../../../../model/requirementConflict.ts'
import { admitsAbsence, has, intersect, type Requirement, type Requirements } from '../../../../model/requirements.ts'
import { maxOf, NO_RESOURCES, type Resources } from '../../../../model/resources.ts'
import { untolerated } from '../../../../model/taint.ts'
import type { WeighedOffering } from '../../../offering/usableOfferings.ts'
import { portsClash } from '../pods/admission.ts'
import type { Constraint } from '../pods/constraint.ts'
import { type Amounts, type Bits, bitsOf, both, hasBit, membersOf } from '../quantities/amounts.ts'
import { isTooLong } from './limits.ts'
import type { InstanceTypeOption, Template } from './template.ts'

export type NarrowedTemplate = {
  readonly template: Template
  readonly requirements: Requirements
  readonly types: Bits
  readonly offerings: Bits
  /** The sizes that serve, cheapest first. */
  readonly order: readonly InstanceTypeOption[]
  /** The preferred offering of each size, by its place in `order`. */
  readonly best: readonly WeighedOffering[]
  /** The most that any size has free, on each axis. Amounts beyond it fit no size. */
  readonly largest: Float64Array
  /** See `largestCapacityOf`. A cache, filled when it is first asked. */
  largestCapacity?: Resources
  /** See `pricedPlaces`. A cache as well. */
  priced?: readonly number[]
  /** See `priceOf`. A cache as well. */
  prices?: Float64Array
  /** See `paretoFront`. A cache as well. */
  paretoFront?: readonly Priced[]
  /** How a claim opens with a pod of these amounts where no limit binds. A cache as well. */
  readonly openings: WeakMap<Amounts, Opening>
  /** The result of adding a constraint, by the id of the constraint. A cache as well. */
  readonly added: Map<number, NarrowedTemplate | undefined>
  /** See `domainsIn`. A cache as well. */
  readonly domains: Map<string, readonly string[]>
  /** See `valuesOn`. A cache as well. */
  readonly values: Map<string, (readonly string[] | undefined)[]>
  /** The result of pinning a label to values. A cache as well. */
  readonly pinned: Map<string, Map<string, NarrowedTemplate | undefined>>
}

/** A place in the order of sizes, and the price of a machine that holds as much as this size. */
export type Priced = { readonly place: number; readonly price: number }

export type Opening = {
  /** True if its sizes have too few values for the `minValues` of the pool. */
  readonly isShort: boolean
  readonly minimums: ReadonlyMap<string, number>
  readonly charge: Resources
}

export function initialTemplate(template: Template): NarrowedTemplate {
  return narrowedTemplateOf(template, template.requirements, template.types, template.offerings)
}

/**
 * Adds a constraint. Takes an alternative that the claim meets already, or else the alternative that leaves the cheapest size, the first of equals.
 * Undefined if the constraint cannot share this claim.
 */
export function withConstraint(narrowedTemplate: NarrowedTemplate, constraint: Constraint): NarrowedTemplate | undefined {
  const known = narrowedTemplate.added.get(constraint.id)
  if (known !== undefined || narrowedTemplate.added.has(constraint.id)) return known
  const result = combine(narrowedTemplate, constraint)
  narrowedTemplate.added.set(constraint.id, result)
  // Adding the same constraint again changes nothing.
  result?.added.set(constraint.id, result)
  return result
}

/** Pins the label to one value. Undefined if no size serves with it. */
export function withValue(narrowedTemplate: NarrowedTemplate, key: string, value: string): NarrowedTemplate | undefined {
  return withValues(narrowedTemplate, { key, complement: false, values: [value] })
}

/** Narrows one label to a set of values. Undefined if no size serves with them. */
export function withValues(narrowedTemplate: NarrowedTemplate, wanted: Requirement): NarrowedTemplate | undefined {
  const { key } = wanted
  const text = wanted.values.join(' ')
  const ofKey = narrowedTemplate.pinned.get(key) ?? new Map<string, NarrowedTemplate | undefined>()
  narrowedTemplate.pinned.set(key, ofKey)
  if (ofKey.has(text)) return ofKey.get(text)
  const present = narrowedTemplate.requirements.get(key)
  const isPossible = present === undefined ? UNDEFINED_ALLOWED_LABELS.has(key) : meets(present, wanted)
  const result = isPossible ? narrow(narrowedTemplate, new Map([[key, wanted]])) : undefined
  ofKey.set(text, result)
  return result
}

/** The narrowed template with only these of its offerings. */
export function withOfferings({ template, requirements, types }: NarrowedTemplate, offerings: Bits): NarrowedTemplate {
  return narrowedTemplateOf(template, requirements, types, offerings)
}

/** The narrowed template with only these of its sizes. */
export function withSizes({ template, requirements, offerings }: NarrowedTemplate, sizes: readonly InstanceTypeOption[]): NarrowedTemplate {
  const kept = new Set(sizes.map((size) => size.index))
  return narrowedTemplateOf(
    template,
    requirements,
    bitsOf(template.catalog.types.length, (index) => kept.has(index)),
    offerings,
  )
}

/** The offerings of the size that meet the requirements, preferred first. */
export function offeringsOf({ template, offerings }: NarrowedTemplate, { index }: InstanceTypeOption): readonly WeighedOffering[] {
  const { catalog } = template
  return (catalog.offeringsOf[index] ?? []).flatMap((at) => (hasBit(offerings, at) ? (catalog.offerings[at]?.offering ?? []) : []))
}

/** The values that the label may have on a machine of the size here: those of its offerings, or else of the size itself. */
export function valuesOn(narrowedTemplate: NarrowedTemplate, size: InstanceTypeOption, key: string): readonly string[] {
  const ofKey = narrowedTemplate.values.get(key) ?? []
  narrowedTemplate.values.set(key, ofKey)
  const known = ofKey[size.index]
  if (known !== undefined) return known
  const own = narrowedTemplate.requirements.get(key)
  const offered = offeringsOf(narrowedTemplate, size).flatMap(({ requirements }) => requirements.find((each) => each.key === key) ?? [])
  const listed = offered.length > 0 ? offered.flatMap(({ values }) => values) : (size.requirements.get(key)?.values ?? [])
  const values = [...new Set(own === undefined ? listed : listed.filter((value) => has(own, value)))]
  ofKey[size.index] = values
  return values
}

/** The largest capacity of any size, by resource. While limits leave that much, sizes need not be compared with them one by one. */
export function largestCapacityOf(narrowedTemplate: NarrowedTemplate): Resources {
  narrowedTemplate.largestCapacity ??= narrowedTemplate.order.map((size) => size.type.capacity).reduce(maxOf, NO_RESOURCES)
  return narrowedTemplate.largestCapacity
}

/** Reports whether a machine meets the requirement since it will not have the label: a label of the user that nothing defines for it. */
export function isMetByAbsence(requirement: Requirement, isDefined: (key: string) => boolean): boolean {
  const { key } = requirement
  return !isDefined(key) && !UNDEFINED_ALLOWED_LABELS.has(key) && admitsAbsence(requirement)
}

function combine(narrowedTemplate: NarrowedTemplate, constraint: Constraint): NarrowedTemplate | undefined {
  const { template, requirements } = narrowedTemplate
  if (untolerated(template.pool.template.taints, constraint.tolerations).length > 0) return undefined
  if (constraint.refusals.some(({ pool }) => pool === template.pool.name)) return undefined
  const beside = typesBesideDaemons(template, constraint)
  let cheapest: NarrowedTemplate | undefined
  for (const wanted of constraint.alternatives) {
    // A label that the pool leaves undefined stays undefined: a pod that asks for it does not give it to the next pod.
    if (conflicts(template.requirements, wanted, UNDEFINED_ALLOWED_LABELS).length > 0) continue
    if (overlapConflicts(requirements, wanted).length > 0) continue
    const relevant = withoutAbsent(wanted, template.requirements)
    if (beside === undefined && isCovered(relevant, requirements)) return narrowedTemplate
    const combined = joined(narrowedTemplate, relevant, beside)
    if (combined !== undefined && (cheapest === undefined || leastPriceOf(combined) < leastPriceOf(cheapest))) cheapest = combined
  }
  return cheapest
}

/** Undefined if no size serves, or if a claim could not name all requirements of its pods. What one pod asks for alone is checked with its claim. */
function joined(narrowedTemplate: NarrowedTemplate, wanted: Requirements, beside: Bits | undefined): NarrowedTemplate | undefined {
  const combined = narrow(narrowedTemplate, wanted, beside)
  const isFirst = narrowedTemplate.requirements === narrowedTemplate.template.requirements
  return combined === undefined || isFirst || !isTooLong(combined.requirements) ? combined : undefined
}

/** The price of the first size. Sizes come cheapest first, and sizes without a known price last. */
function leastPriceOf({ best }: NarrowedTemplate): number {
  return best[0]?.price ?? Number.POSITIVE_INFINITY
}

function narrow(
  narrowedTemplate: NarrowedTemplate,
  wanted: Requirements,
  among: Bits = narrowedTemplate.types,
): NarrowedTemplate | undefined {
  const { template } = narrowedTemplate
  const { catalog } = template
  const requirements = new Map(narrowedTemplate.requirements)
  let types = among === narrowedTemplate.types ? among : both(narrowedTemplate.types, among)
  let { offerings } = narrowedTemplate
  for (const [key, requirement] of wanted) {
    const present = requirements.get(key)
    const met = present === undefined ? requirement : intersect(present, requirement)
    requirements.set(key, met)
    types = both(types, catalog.typesFor(met))
    offerings = both(offerings, catalog.offeringsFor(met))
  }
  const combined = narrowedTemplateOf(template, requirements, types, offerings)
  return combined.order.length === 0 ? undefined : combined
}

function narrowedTemplateOf(template: Template, requirements: Requirements, types: Bits, offerings: Bits): NarrowedTemplate {
  template.catalog.made.narrowedTemplates++
  const { order, best } = orderOf(template, types, offerings)
  const largest = largestOf(order)
  const buffers = { openings: new WeakMap(), added: new Map(), domains: new Map(), values: new Map(), pinned: new Map() }
  return { template, requirements, types, offerings, order, best, largest, ...buffers }
}

/** Offerings come preferred first. So the first offering of a size is its best, and sizes come out cheapest first. */
function orderOf({ catalog, sizes }: Template, types: Bits, offerings: Bits): Pick<NarrowedTemplate, 'order' | 'best'> {
  const order: InstanceTypeOption[] = []
  const best: WeighedOffering[] = []
  const isSeen = new Uint8Array(sizes.length)
  for (const index of membersOf(offerings)) {
    const found = catalog.offerings[index]
    if (found === undefined || isSeen[found.type] === 1 || !hasBit(types, found.type)) continue
    isSeen[found.type] = 1
    const size = sizes[found.type]
    if (!size?.isUsable) continue
    order.push(size)
    best.push(found.offering)
  }
  return { order, best }
}

function largestOf(sizes: readonly InstanceTypeOption[]): Float64Array {
  const largest = new Float64Array(sizes[0]?.free.length ?? 0)
  for (const { free } of sizes) {
    for (let axis = 0; axis < largest.length; axis++) largest[axis] = Math.max(largest[axis] ?? 0, free[axis] ?? 0)
  }
  return largest
}

/** Types whose daemons take no host port of the constraint and have no anti-affinity with it. Undefined if all types qualify. */
function typesBesideDaemons({ catalog, sizes, daemonPorts }: Template, constraint: Constraint): Bits | undefined {
  const isConcerned = constraint.apartFrom.length > 0 || portsClash(daemonPorts, constraint.hostPorts)
  if (!isConcerned) return undefined
  return bitsOf(catalog.types.length, (index) => {
    const size = sizes[index]
    return (
      size === undefined || (!portsClash(size.daemonPorts, constraint.hostPorts) && daemonAntiAffinityOn(size, constraint).length === 0)
    )
  })
}

/** DaemonSets of the machine that the constraint keeps apart from. */
export function daemonAntiAffinityOn(
  { daemonSets }: Pick<InstanceTypeOption, 'daemonSets'>,
  { apartFrom }: Pick<Constraint, 'apartFrom'>,
): readonly ObjectKey[] {
  return apartFrom.length === 0 ? apartFrom : daemonSets.filter((key) => apartFrom.includes(key))
}

function withoutAbsent(wanted: Requirements, defined: Requirements): Requirements {
  return new Map([...wanted].filter(([, each]) => !isMetByAbsence(each, (key) => defined.has(key))))
}

/** Reports whether everything that meets `requirements` also meets `wanted`, so that adding it changes nothing. */
function isCovered(wanted: Requirements, requirements: Requirements): boolean {
  for (const [key, each] of wanted) {
    const present = requirements.get(key)
    if (present === undefined || present.complement || present.values.length === 0) return false
    if (!present.values.every((value) => has(each, value))) return false
  }
  return true
}
