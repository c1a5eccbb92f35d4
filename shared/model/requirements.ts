import { byText } from '../base/lists.ts'
import { ownValue } from '../base/values.ts'
import { LABEL, type Labels } from './labels.ts'

/**
 * The canonical form of a requirement on one label key: a set of values or its complement, with optional integer bounds. The algebra follows
 * Karpenter's requirement semantics.
 */
export type Requirement = {
  readonly key: string
  /** True: every value except `values`. */
  readonly complement: boolean
  /** Distinct and sorted. */
  readonly values: readonly string[]
  /** Only with `complement`. */
  readonly gte?: number
  /** Only with `complement`. */
  readonly lte?: number
  readonly minValues?: number
  /**
   * The label must exist, although the values alone admit its absence: NotIn intersected with Exists, or disjoint value sets. Disjoint sets leave a
   * requirement that nothing meets.
   */
  readonly mustExist?: true
}

/** At most one requirement for each key. */
export type Requirements = ReadonlyMap<string, Requirement>

/** Returns the canonical form of a requirement as a user wrote it. Key and values are normalized. A bound that is not a number counts as 0. */
export function requirementFrom(spec: RequirementSpec): Requirement {
  const key = normaliseKey(spec.key)
  const minValues = spec.minValues === undefined ? NOTHING : { minValues: spec.minValues }
  const bound = parseInteger(spec.values[0] ?? '') ?? 0
  switch (spec.operator) {
    case 'In':
      return { key, complement: false, values: normalised(key, spec.values), ...minValues }
    case 'NotIn':
      return { key, complement: true, values: normalised(key, spec.values), ...minValues }
    case 'Exists':
      return { key, complement: true, values: [], ...minValues }
    case 'DoesNotExist':
      return { key, complement: false, values: [], ...minValues }
    case 'Gt':
      // Nothing is above the largest integer.
      if (bound === Number.MAX_SAFE_INTEGER) return { key, complement: false, values: [], mustExist: true }
      return { key, complement: true, values: [], gte: bound + 1, ...minValues }
    case 'Lt':
      if (bound === Number.MIN_SAFE_INTEGER) return { key, complement: false, values: [], mustExist: true }
      return { key, complement: true, values: [], lte: bound - 1, ...minValues }
    case 'Gte':
      return { key, complement: true, values: [], gte: bound, ...minValues }
    case 'Lte':
      return { key, complement: true, values: [], lte: bound, ...minValues }
  }
}

/** Returns the canonical label key for an alias. */
export function normaliseKey(key: string): string {
  return ownValue(ALIASES, key) ?? key
}

/** Returns the operator that describes a requirement. With bounds only it is Exists, with an empty set DoesNotExist. */
export function operatorOf(requirement: Requirement): Operator {
  if (requirement.complement) return requirement.values.length > 0 ? 'NotIn' : 'Exists'
  return requirement.values.length > 0 ? 'In' : 'DoesNotExist'
}

/** Reports whether a node without the label meets the requirement. */
export function admitsAbsence(requirement: Requirement): boolean {
  return requirement.mustExist !== true && absenceByForm(requirement)
}

/** Reports whether a node whose label has this value meets the requirement. */
export function has(requirement: Requirement, value: string): boolean {
  return isWithin(requirement, value) && includes(requirement.values, value) !== requirement.complement
}

/** Returns the requirement that a value meets if it meets both. Both must have the same key. */
export function intersect(a: Requirement, b: Requirement): Requirement {
  const complement = a.complement && b.complement
  const bounds = intersectBounds(a, b)
  const minValues = larger(a.minValues, b.minValues)
  const tail = minValues === undefined ? NOTHING : { minValues }
  const absence = admitsAbsence(a) && admitsAbsence(b)
  const isEmpty = (bounds.gte ?? Number.NEGATIVE_INFINITY) > (bounds.lte ?? Number.POSITIVE_INFINITY)
  const values = isEmpty ? NO_VALUES : within(bounds, intersectValues(a, b))
  const form =
    complement && !isEmpty ? { key: a.key, complement, values, ...bounds, ...tail } : { key: a.key, complement: false, values, ...tail }
  return absence || !absenceByForm(form) ? form : { ...form, mustExist: true }
}

/**
 * Reports whether some value meets both. Detects exclusions that leave nothing of a finite range. There, integers count in their plain decimal
 * spelling.
 */
export function intersects(a: Requirement, b: Requirement): boolean {
  if (a.complement && b.complement) return isOpen(a, b)
  if (a.complement) return b.values.some((value) => has(a, value))
  if (b.complement) return a.values.some((value) => has(b, value))
  return a.values.some((value) => includes(b.values, value))
}

/** Returns the specs as a set of requirements. Specs of the same key are intersected. */
export function requirementsFrom(specs: Iterable<RequirementSpec>): Requirements {
  const result = new Map<string, Requirement>()
  for (const spec of specs) put(result, requirementFrom(spec))
  return result
}

/** Returns the labels as requirements with one value each. `asked`: only labels whose keys are in it. */
export function requirementsFromLabels(labels: Labels, asked?: Requirements): Requirements {
  const result = new Map<string, Requirement>()
  for (const key in labels)
    if (asked === undefined || asked.has(normaliseKey(key)))
      put(result, requirementFrom({ key, operator: 'In', values: [ownValue(labels, key) ?? ''] }))
  return result
}

export function withRequirement(requirements: Requirements, requirement: Requirement): Requirements {
  const result = new Map(requirements)
  put(result, requirement)
  return result
}

export function intersectAll(a: Requirements, b: Requirements): Requirements {
  if (b.size === 0) return a
  const result = new Map(a)
  for (const requirement of b.values()) put(result, requirement)
  return result
}

/** Returns the smallest value that meets the requirement, always the same one. Undefined if no value does. */
export function anyValue(requirement: Requirement): string | undefined {
  if (!requirement.complement) return requirement.values[0]
  const { gte, lte, values } = requirement
  const start = gte ?? Math.min(0, lte ?? 0)
  for (let value = start; value <= start + values.length && (lte === undefined || value <= lte); value++) {
    if (!includes(values, String(value))) return String(value)
  }
  // All values from the start to the bound are excluded, so a remaining value is below the start.
  for (let value = start - 1; gte === undefined; value--) {
    if (!includes(values, String(value))) return String(value)
  }
  return undefined
}

/** Parses an integer label value, clamped to the safe range. Undefined if it is not an integer or exceeds 64 bits. */
export function parseInteger(text: string): number | undefined {
  if (!INTEGER.test(text)) return undefined
  const value = Number(text)
  if (Number.isSafeInteger(value)) return value
  const exact = BigInt(text.replace('+', ''))
  if (exact > MAX_INT64 || exact < MIN_INT64) return undefined
  return value > 0 ? Number.MAX_SAFE_INTEGER : Number.MIN_SAFE_INTEGER
}

type Bounds = { readonly gte?: number; readonly lte?: number }

const NOTHING = {}
const NO_VALUES: readonly string[] = []
const INTEGER = /^[+-]?[0-9]{1,40}$/
const MAX_INT64 = 2n ** 63n - 1n
const MIN_INT64 = -(2n ** 63n)

const ALIASES: { readonly [key: string]: string } = {
  'failure-domain.beta.kubernetes.io/zone': LABEL.zone,
  'failure-domain.beta.kubernetes.io/region': LABEL.region,
  'beta.kubernetes.io/arch': LABEL.arch,
  'beta.kubernetes.io/os': LABEL.os,
  'beta.kubernetes.io/instance-type': LABEL.instanceType,
  'topology.disk.csi.azure.com/zone': LABEL.zone,
}

/** The disk driver writes an empty zone for nodes without a zone, whose label is `0`. */
function normalised(key: string, values: readonly string[]): readonly string[] {
  const mapped = key === LABEL.zone ? values.map((value) => (value === '' ? '0' : value)) : values
  return mapped.length < 2 ? mapped : [...new Set(mapped)].sort(byText)
}

function put(requirements: Map<string, Requirement>, requirement: Requirement): void {
  const present = requirements.get(requirement.key)
  requirements.set(requirement.key, present ? intersect(present, requirement) : requirement)
}

function absenceByForm({ complement, values, gte, lte }: Requirement): boolean {
  return complement ? values.length > 0 && gte === undefined && lte === undefined : values.length === 0
}

function isWithin({ gte, lte }: Bounds, value: string): boolean {
  if (gte === undefined && lte === undefined) return true
  const integer = parseInteger(value)
  return integer !== undefined && (gte === undefined || integer >= gte) && (lte === undefined || integer <= lte)
}

function within(bounds: Bounds, values: readonly string[]): readonly string[] {
  if (bounds.gte === undefined && bounds.lte === undefined) return values
  return values.filter((value) => isWithin(bounds, value))
}

/** Both are complements. Reports whether any value between the bounds is not excluded. */
function isOpen(a: Requirement, b: Requirement): boolean {
  const { gte, lte } = intersectBounds(a, b)
  if (gte === undefined || lte === undefined) return true
  // There are more integers than exclusions, so one remains.
  if (lte - gte >= a.values.length + b.values.length) return true
  for (let value = gte; value <= lte; value++) {
    const text = String(value)
    if (!includes(a.values, text) && !includes(b.values, text)) return true
  }
  return false
}

function intersectBounds(a: Requirement, b: Requirement): Bounds {
  const gte = larger(a.gte, b.gte)
  const lte = smaller(a.lte, b.lte)
  return { ...(gte === undefined ? NOTHING : { gte }), ...(lte === undefined ? NOTHING : { lte }) }
}

/** Returns the value list of the intersection, before bounds: the union of exclusions, or the remaining part of the concrete set. */
function intersectValues(a: Requirement, b: Requirement): readonly string[] {
  if (a.complement && b.complement) return union(a.values, b.values)
  if (a.complement) return b.values.filter((value) => !includes(a.values, value))
  if (b.complement) return a.values.filter((value) => !includes(b.values, value))
  return a.values.filter((value) => includes(b.values, value))
}

function union(a: readonly string[], b: readonly string[]): readonly string[] {
  if (a.length === 0) return b
  if (b.length === 0) return a
  return [...new Set([...a, ...b])].sort(byText)
}

/** Binary search, since lists of instance types have hundreds of entries. */
function includes(sorted: readonly string[], value: string): boolean {
  let low = 0
  let high = sorted.length - 1
  while (low <= high) {
    const middle = (low + high) >> 1
    const found = sorted[middle] ?? ''
    if (found === value) return true
    if (found < value) low = middle + 1
    else high = middle - 1
  }
  return false
}

function larger(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined ? b : b === undefined ? a : Math.max(a, b)
}

function smaller(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined ? b : b === undefined ? a : Math.min(a, b)
}

export type Operator = 'In' | 'NotIn' | 'Exists' | 'DoesNotExist' | 'Gt' | 'Lt' | 'Gte' | 'Lte'

/** A requirement as a user writes it, in a NodePool, a node selector term or a NodeClaim. */
export type RequirementSpec = {
  readonly key: string
  readonly operator: Operator
  readonly values: readonly string[]
  /** The least number of distinct values that must stay available. Undefined: no such rule. */
  readonly minValues?: number
}
