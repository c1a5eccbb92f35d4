/** Requirement algebra in two variants: Karpenter's to the letter, and Joiner's, which notices contradictions. */
import { conflicts, overlapConflicts } from '../../shared/model/requirementConflict.ts'
import { intersect, operatorOf, parseInteger, type Requirement, type Requirements } from '../../shared/model/requirements.ts'
import type { Quirks } from './oracleAnswer.ts'

export interface Algebra {
  intersect(first: Requirement, second: Requirement): Requirement
  merge(first: Requirements, second: Requirements): Requirements
  /** Reports whether something with `self` can meet `incoming`. A label that only `incoming` has must be in `undefinedAllowed`, or may be absent. */
  compatible(self: Requirements, incoming: Requirements, undefinedAllowed: ReadonlySet<string>): boolean
  /** As `compatible`, but only for the labels that both have. */
  overlaps(self: Requirements, incoming: Requirements): boolean
}

export const NO_LABELS_UNDEFINED: ReadonlySet<string> = new Set()

export function algebraOf(quirks: Quirks): Algebra {
  return quirks === 'upstream' ? UPSTREAM : FIXED
}

const FIXED: Algebra = {
  intersect,
  merge: mergeWith(intersect),
  compatible: (self, incoming, undefinedAllowed) => conflicts(self, incoming, undefinedAllowed).length === 0,
  overlaps: (self, incoming) => overlapConflicts(self, incoming).length === 0,
}

const UPSTREAM: Algebra = {
  intersect: intersectToTheLetter,
  merge: mergeWith(intersectToTheLetter),
  compatible: (self, incoming, undefinedAllowed) =>
    [...incoming].every(([key, each]) => self.has(key) || undefinedAllowed.has(key) || mayBeAbsent(each)) &&
    overlapToTheLetter(self, incoming),
  overlaps: overlapToTheLetter,
}

function mergeWith(meet: Algebra['intersect']): Algebra['merge'] {
  return (first, second) => {
    const result = new Map(first)
    for (const [key, each] of second) {
      const present = result.get(key)
      result.set(key, present === undefined ? each : meet(present, each))
    }
    return result
  }
}

function mayBeAbsent(requirement: Requirement): boolean {
  const operator = operatorOf(requirement)
  return operator === 'NotIn' || operator === 'DoesNotExist'
}

function overlapToTheLetter(self: Requirements, incoming: Requirements): boolean {
  return [...incoming].every(([key, wanted]) => {
    const present = self.get(key)
    return present === undefined || meetToTheLetter(present, wanted) || (mayBeAbsent(present) && mayBeAbsent(wanted))
  })
}

function meetToTheLetter(first: Requirement, second: Requirement): boolean {
  if (!first.complement || !second.complement) return intersectToTheLetter(first, second).values.length > 0
  // Karpenter does not notice that exclusions can empty a range.
  return (larger(first.gte, second.gte) ?? -Infinity) <= (smaller(first.lte, second.lte) ?? Infinity)
}

function intersectToTheLetter(first: Requirement, second: Requirement): Requirement {
  const { key } = first
  const gte = larger(first.gte, second.gte)
  const lte = smaller(first.lte, second.lte)
  const minValues = larger(first.minValues, second.minValues)
  const counted = minValues === undefined ? {} : { minValues }
  if ((gte ?? -Infinity) > (lte ?? Infinity)) return { key, complement: false, values: [], ...counted }
  const complement = first.complement && second.complement
  const values = valuesOfBoth(first, second).filter((value) => isWithin(value, gte, lte))
  const bounds = complement ? { ...(gte === undefined ? {} : { gte }), ...(lte === undefined ? {} : { lte }) } : {}
  return { key, complement, values, ...bounds, ...counted }
}

function valuesOfBoth(first: Requirement, second: Requirement): readonly string[] {
  if (first.complement && second.complement) return [...new Set([...first.values, ...second.values])].sort()
  const [listed, other] = first.complement ? [second, first] : [first, second]
  return listed.values.filter((value) => other.values.includes(value) !== other.complement)
}

function isWithin(value: string, gte: number | undefined, lte: number | undefined): boolean {
  if (gte === undefined && lte === undefined) return true
  const integer = parseInteger(value)
  return integer !== undefined && integer >= (gte ?? -Infinity) && integer <= (lte ?? Infinity)
}

function larger(first: number | undefined, second: number | undefined): number | undefined {
  return first === undefined ? second : second === undefined ? first : Math.max(first, second)
}

function smaller(first: number | undefined, second: number | undefined): number | undefined {
  return first === undefined ? second : second === undefined ? first : Math.min(first, second)
}
