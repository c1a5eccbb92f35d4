/** Constraints that share a claim: their requirements met together, and what each size then costs. */
import type { ObjectKey } from '../../../../model/ids.ts'
import type { Offering } from '../../../../model/instanceType.ts'
import { UNDEFINED_ALLOWED_LABELS } from '../../../../model/labels.ts'
import { conflicts, meets, overlapConflicts } from '../../../../model/requirementConflict.ts'
import { admitsAbsence, intersect, type Requirement, type Requirements } from '../../../../model/requirements.ts'
import { maxOf, NO_RESOURCES, type Resources } from '../../../../model/resources.ts'
import { untolerated } from '../../../../model/taint.ts'
import type { Constraint } from '../pods/constraint.ts'
import { portsClash } from '../pods/hostPorts.ts'
import type { Amounts } from '../quantities/amounts.ts'
import { type Bits, bitsOf, both, hasBit, membersOf } from '../quantities/bits.ts'
import type { Minimums } from './minValues.ts'
import type { InstanceTypeOption, Template } from './template.ts'

export type NarrowedTemplate = {
  readonly template: Template
  readonly requirements: Requirements
  readonly types: Bits
  readonly offerings: Bits
  /** Sizes that serve, cheapest first. */
  readonly order: readonly InstanceTypeOption[]
  /** The preferred offering by place in the order. */
  readonly best: readonly Offering[]
  /** The most any of them has, on each axis: what exceeds it fits none. */
  readonly largest: Float64Array
  /** See `largestCapacityOf`. A buffer: filled when first asked. */
  largestCapacity?: Resources
  /** See `pricedPlaces`. A buffer, likewise. */
  priced?: readonly number[]
  /** See `priceOf`. A buffer, likewise. */
  prices?: Float64Array
  /** See `paretoFront`. A buffer, likewise. */
  paretoFront?: readonly Priced[]
  /** Which sizes stay below a ceiling. A buffer, likewise. */
  readonly ceilings: WeakMap<Resources, Uint8Array>
  /** How a claim begins with a pod of these amounts, where no limit binds. A buffer, likewise. */
  readonly openings: WeakMap<Amounts, Opening>
  /** What adding a constraint gave, by its id. A buffer: filled as it is asked. */
  readonly added: Map<number, NarrowedTemplate | undefined>
  /** See `domainsIn`. A buffer, likewise. */
  readonly domains: Map<string, readonly string[]>
  /** What one value of a label leaves. A buffer, likewise. */
  readonly pinned: Map<string, Map<string, NarrowedTemplate | undefined>>
}

/** A size as what it holds, and what a machine that holds so much costs. */
export type Priced = { readonly place: number; readonly price: number }

export type Opening = {
  /** Its sizes have too few values of what the pool asks most of. */
  readonly isShort: boolean
  readonly minimums: Minimums
  readonly charge: Resources
}

export function initialTemplate(template: Template): NarrowedTemplate {
  return narrowedTemplateOf(template, template.requirements, template.types, template.offerings)
}

/**
 * Adds a constraint: an alternative that the claim meets already, or else the one that leaves the cheapest size; of equals the first.
 * Undefined: it cannot share this claim.
 */
export function withConstraint(narrowedTemplate: NarrowedTemplate, constraint: Constraint): NarrowedTemplate | undefined {
  const known = narrowedTemplate.added.get(constraint.id)
  if (known !== undefined || narrowedTemplate.added.has(constraint.id)) return known
  const result = combine(narrowedTemplate, constraint)
  narrowedTemplate.added.set(constraint.id, result)
  // Adding it again changes nothing.
  result?.added.set(constraint.id, result)
  return result
}

/** Leaves the label one value of several. Undefined: no size serves with it. */
export function withValue(narrowedTemplate: NarrowedTemplate, key: string, value: string): NarrowedTemplate | undefined {
  return withValues(narrowedTemplate, { key, complement: false, values: [value] })
}

/** Narrows one label to a set of values. */
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

/** The same with these of its offerings alone. */
export function withOfferings({ template, requirements, types }: NarrowedTemplate, offerings: Bits): NarrowedTemplate {
  return narrowedTemplateOf(template, requirements, types, offerings)
}

/** The same with these of its sizes alone. */
export function withSizes({ template, requirements, offerings }: NarrowedTemplate, sizes: readonly InstanceTypeOption[]): NarrowedTemplate {
  const kept = new Set(sizes.map((size) => size.index))
  return narrowedTemplateOf(
    template,
    requirements,
    bitsOf(template.catalog.types.length, (index) => kept.has(index)),
    offerings,
  )
}

/** Offerings of the size that meet the requirements, preferred first. */
export function offeringsOf({ template, offerings }: NarrowedTemplate, { index }: InstanceTypeOption): readonly Offering[] {
  const { catalog } = template
  return (catalog.offeringsOf[index] ?? []).flatMap((at) => (hasBit(offerings, at) ? (catalog.offerings[at]?.offering ?? []) : []))
}

/** The most capacity of each resource that any of the sizes has: while limits leave that much, they need not be looked at. */
export function largestCapacityOf(narrowedTemplate: NarrowedTemplate): Resources {
  narrowedTemplate.largestCapacity ??= narrowedTemplate.order.map((size) => size.type.capacity).reduce(maxOf, NO_RESOURCES)
  return narrowedTemplate.largestCapacity
}

function combine(narrowedTemplate: NarrowedTemplate, constraint: Constraint): NarrowedTemplate | undefined {
  const { template, requirements } = narrowedTemplate
  if (untolerated(template.pool.template.taints, constraint.tolerations).length > 0) return undefined
  const beside = typesBesideDaemons(template, constraint)
  let cheapest: NarrowedTemplate | undefined
  for (const wanted of constraint.alternatives) {
    // What the pool leaves undefined stays so: one pod asking for a label does not give it to the next.
    if (conflicts(template.requirements, wanted, UNDEFINED_ALLOWED_LABELS).length > 0) continue
    if (overlapConflicts(requirements, wanted).length > 0) continue
    const relevant = withoutAbsent(wanted, template.requirements)
    if (beside === undefined && isCovered(relevant, requirements)) return narrowedTemplate
    const combined = narrow(narrowedTemplate, relevant, beside)
    if (combined !== undefined && (cheapest === undefined || leastPriceOf(combined) < leastPriceOf(cheapest))) cheapest = combined
  }
  return cheapest
}

/** Sizes come cheapest first, and those without a known price last. */
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
  const buffers = { ceilings: new WeakMap(), openings: new WeakMap(), added: new Map(), domains: new Map(), pinned: new Map() }
  return { template, requirements, types, offerings, order, best, largest, ...buffers }
}

/** Offerings come preferred first, so a size's first one is its best, and sizes come cheapest first. */
function orderOf({ catalog, sizes }: Template, types: Bits, offerings: Bits): Pick<NarrowedTemplate, 'order' | 'best'> {
  const order: InstanceTypeOption[] = []
  const best: Offering[] = []
  const seen = new Set<number>()
  for (const index of membersOf(offerings)) {
    const found = catalog.offerings[index]
    if (found === undefined || seen.has(found.type) || !hasBit(types, found.type)) continue
    seen.add(found.type)
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

/** Types whose daemons leave the constraint its ports and are none that it keeps apart from. Undefined: all of them. */
function typesBesideDaemons({ catalog, sizes, hasDaemonPorts }: Template, constraint: Constraint): Bits | undefined {
  const isConcerned = (hasDaemonPorts && constraint.hostPorts.length > 0) || constraint.apartFrom.length > 0
  if (!isConcerned) return undefined
  return bitsOf(catalog.types.length, (index) => {
    const size = sizes[index]
    return (
      size === undefined || (!portsClash(size.daemonPorts, constraint.hostPorts) && daemonAntiAffinityOn(size, constraint).length === 0)
    )
  })
}

/** DaemonSets of the size that the constraint keeps apart from. */
export function daemonAntiAffinityOn(
  { daemonSets }: InstanceTypeOption,
  { apartFrom }: Pick<Constraint, 'apartFrom'>,
): readonly ObjectKey[] {
  return apartFrom.length === 0 ? apartFrom : daemonSets.filter((key) => apartFrom.includes(key))
}

/** A label of the user's that the pool does not define will not be on the node, which is all that such a wish asks. */
function withoutAbsent(wanted: Requirements, defined: Requirements): Requirements {
  return new Map([...wanted].filter(([key, each]) => defined.has(key) || UNDEFINED_ALLOWED_LABELS.has(key) || !admitsAbsence(each)))
}

function isCovered(wanted: Requirements, requirements: Requirements): boolean {
  for (const [key, each] of wanted) {
    const present = requirements.get(key)
    if (present === undefined) return false
    const isPart = !present.complement && present.values.every((value) => !each.complement && each.values.includes(value))
    if (!isPart || present.values.length === 0) return false
  }
  return true
}
