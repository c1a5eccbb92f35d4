import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { conflicts, meets, overlapConflicts } from '../../shared/model/requirementConflict.ts'
import {
  admitsAbsence,
  has,
  intersect,
  type Operator,
  type RequirementSpec,
  type Requirements,
  requirementFrom,
  requirementsFrom,
} from '../../shared/model/requirements.ts'
import { meetsExpression } from '../checker/kubernetesRules.ts'

/** Every value that a spec below can distinguish from others, and some that none can. Undefined stands for a missing label. */
const WORLD: readonly (string | undefined)[] = [undefined, '', 'a', 'b', 'other', ...Array.from({ length: 13 }, (_, at) => String(at - 3))]
const NOTHING: ReadonlySet<string> = new Set()

const word = fc.constantFrom('', 'a', 'b', '-1', '0', '1', '2', '3')
const bound = fc.integer({ min: -2, max: 8 }).map(String)

function specOf(key: string): fc.Arbitrary<RequirementSpec> {
  const listed = fc.record({ key: fc.constant(key), operator: fc.constantFrom<Operator>('In', 'NotIn'), values: fc.array(word, LISTED) })
  const bounded = fc.record({
    key: fc.constant(key),
    operator: fc.constantFrom<Operator>('Gt', 'Lt', 'Gte', 'Lte'),
    values: bound.map((each) => [each]),
  })
  const plain = fc.record({
    key: fc.constant(key),
    operator: fc.constantFrom<Operator>('Exists', 'DoesNotExist'),
    values: fc.constant<string[]>([]),
  })
  return fc.oneof(listed, bounded, plain)
}

const LISTED = { minLength: 1, maxLength: 4 }
const specs = fc.array(specOf('k'), { minLength: 1, maxLength: 4 })
const manyKeys = fc.array(fc.constantFrom('k', 'l', 'm').chain(specOf), { maxLength: 5 })

/** The values of the world that meet every spec by the rules of Kubernetes. */
function literal(list: readonly RequirementSpec[]): readonly (string | undefined)[] {
  return WORLD.filter((value) => list.every((spec) => meetsExpression(spec, value)))
}

function admitted(list: readonly RequirementSpec[]): readonly (string | undefined)[] {
  const requirement = list.map(requirementFrom).reduce(intersect)
  return WORLD.filter((value) => (value === undefined ? admitsAbsence(requirement) : has(requirement, value)))
}

describe('requirements and the sets of label values they stand for', () => {
  it('admit the same, whichever operators are met together', () => {
    fc.assert(
      fc.property(specs, (list) => void expect(admitted(list)).toEqual(literal(list))),
      { numRuns: 2_000 },
    )
  })

  it('can be met together exactly when some value, or none at all, meets both', () => {
    fc.assert(
      fc.property(specs, specs, (one, other) => {
        const [first, second] = [one, other].map((list) => list.map(requirementFrom).reduce(intersect))
        if (first === undefined || second === undefined) return
        // Values outside the world need no check: two sides that both admit such a value also share 'other' or a far number.
        expect(meets(first, second)).toBe(literal([...one, ...other]).length > 0)
      }),
      { numRuns: 2_000 },
    )
  })

  it('meet each other in both directions', () => {
    fc.assert(
      fc.property(manyKeys, manyKeys, (one, other) => {
        const [first, second]: [Requirements, Requirements] = [requirementsFrom(one), requirementsFrom(other)]
        expect(overlapConflicts(first, second).length).toBe(overlapConflicts(second, first).length)
        const keys = overlapConflicts(first, second).map(({ key }) => key)
        expect(
          conflicts(first, second, NOTHING)
            .map(({ key }) => key)
            .filter((key) => first.has(key))
            .sort(),
        ).toEqual([...keys].sort())
      }),
    )
  })
})
