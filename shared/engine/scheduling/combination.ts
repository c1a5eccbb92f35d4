/** Constraints that share a claim: their requirements met together, and what each size then costs. */
import { byText } from '../../base/order.ts'
import type { Offering } from '../../model/instanceType.ts'
import { UNDEFINED_ALLOWED_LABELS } from '../../model/labels.ts'
import { conflicts, overlapConflicts } from '../../model/requirementConflict.ts'
import { admitsAbsence, intersectAll, type Requirements } from '../../model/requirements.ts'
import { untolerated } from '../../model/taint.ts'
import { byPreference } from '../offering/usableOfferings.ts'
import type { Amounts } from './amounts.ts'
import type { Constraint } from './podGroups.ts'
import type { Size, Template } from './template.ts'

export type Combination = {
  readonly template: Template
  readonly requirements: Requirements
  /** The preferred offering by size index; undefined: the size does not serve. */
  readonly best: readonly (Offering | undefined)[]
  /** Offerings of a size that serve, preferred first, by size index. A buffer: filled as it is asked. */
  readonly serving: Map<number, readonly Offering[]>
  /** Sizes that serve, cheapest first. */
  readonly order: readonly Size[]
  /** The most any of them has, on each axis: what exceeds it fits none. */
  readonly largest: Amounts
  /** See `frontierOf`. A buffer: filled when first asked. */
  frontier?: readonly Size[]
  /** What adding a constraint gave, by its id. A buffer: filled as it is asked. */
  readonly added: Map<number, Combination | undefined>
}

export function startCombination(template: Template): Combination {
  return combinationOf(template, template.requirements, template.sizes)
}

/** Adds a constraint: its first alternative that leaves a size. Undefined: it cannot share this claim. */
export function withConstraint(combination: Combination, constraint: Constraint): Combination | undefined {
  const known = combination.added.get(constraint.id)
  if (known !== undefined || combination.added.has(constraint.id)) return known
  const result = combine(combination, constraint)
  combination.added.set(constraint.id, result)
  // Adding it again changes nothing.
  result?.added.set(constraint.id, result)
  return result
}

/** Every offering of the size that meets the requirements, preferred first. */
export function offeringsOf({ requirements, serving }: Combination, size: Size): readonly Offering[] {
  const known = serving.get(size.index)
  if (known !== undefined) return known
  const found = size.offerings
    .filter((each) => conflicts(requirements, each.requirements, UNDEFINED_ALLOWED_LABELS).length === 0)
    .map(({ offering }) => offering)
  serving.set(size.index, found)
  return found
}

/** Sizes with a known price that no cheaper one can stand in for. */
export function frontierOf(combination: Combination): readonly Size[] {
  if (combination.frontier !== undefined) return combination.frontier
  const kept: Size[] = []
  for (const size of combination.order) {
    const isDominated = kept.some((cheaper) => size.free.every((amount, axis) => amount <= (cheaper.free[axis] ?? 0)))
    if (combination.best[size.index]?.price !== undefined && !isDominated) kept.push(size)
  }
  combination.frontier = kept
  return kept
}

function combine(combination: Combination, constraint: Constraint): Combination | undefined {
  const { template, requirements } = combination
  if (untolerated(template.pool.template.taints, constraint.tolerations).length > 0) return undefined
  for (const wanted of constraint.alternatives) {
    // What the pool leaves undefined stays so: one pod asking for a label does not give it to the next.
    if (conflicts(template.requirements, wanted, UNDEFINED_ALLOWED_LABELS).length > 0) continue
    if (overlapConflicts(requirements, wanted).length > 0) continue
    const relevant = withoutAbsent(wanted, template.requirements)
    if (isCovered(relevant, requirements)) return combination
    const combined = combinationOf(template, intersectAll(requirements, relevant), combination.order)
    if (combined.order.length > 0) return combined
  }
  return undefined
}

function combinationOf(template: Template, requirements: Requirements, among: readonly Size[]): Combination {
  const best: (Offering | undefined)[] = template.sizes.map(() => undefined)
  for (const size of among) {
    if (!size.isUsable || overlapConflicts(size.requirements, requirements).length > 0) continue
    const found = size.offerings.find((each) => conflicts(requirements, each.requirements, UNDEFINED_ALLOWED_LABELS).length === 0)
    best[size.index] = found?.offering
  }
  const order = among.filter((size) => best[size.index] !== undefined).sort((first, second) => bySizeRank(best, first, second))
  const largest = (order[0]?.free ?? []).map((_, axis) => order.reduce((most, size) => Math.max(most, size.free[axis] ?? 0), 0))
  return { template, requirements, best, order, largest, serving: new Map(), added: new Map() }
}

function bySizeRank(best: readonly (Offering | undefined)[], first: Size, second: Size): number {
  const one = best[first.index]
  const other = best[second.index]
  return (one && other ? byPreference(one, other) : 0) || byText(first.type.name, second.type.name)
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
