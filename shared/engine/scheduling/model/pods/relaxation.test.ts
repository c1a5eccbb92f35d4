import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Labels } from '../../../../model/labels.ts'
import { type RequirementSpec, type Requirements, requirementsFrom } from '../../../../model/requirements.ts'
import { labelsMeet } from '../quantities/byLabel.ts'
import { both, merged, withoutNarrower } from './relaxation.ts'

const KEYS = ['zone', 'size']
const VALUES = ['1', '2', '3', '4']

const aSpec: fc.Arbitrary<RequirementSpec> = fc.oneof(
  fc.record({
    key: fc.constantFrom(...KEYS),
    operator: fc.constantFrom('In' as const, 'In' as const, 'In' as const, 'NotIn' as const),
    values: fc.subarray(VALUES, { minLength: 1 }),
  }),
  fc.record({
    key: fc.constantFrom(...KEYS),
    operator: fc.constantFrom('Gt' as const, 'Lt' as const),
    values: fc.constantFrom(['1'], ['2'], ['4']),
  }),
  fc.record({
    key: fc.constantFrom(...KEYS),
    operator: fc.constantFrom('Exists' as const, 'DoesNotExist' as const),
    values: fc.constant([]),
  }),
)
const alternatives = fc.array(fc.array(aSpec, { maxLength: 3 }).map(requirementsFrom), { minLength: 1, maxLength: 6 })

/** Every possible node: with each value of each label, and without the label. */
const NODES: readonly Labels[] = [undefined, ...VALUES].flatMap((zone) =>
  [undefined, ...VALUES].map((size) => ({ ...(zone === undefined ? {} : { zone }), ...(size === undefined ? {} : { size }) })),
)

function nodesFor(list: readonly Requirements[]): readonly Labels[] {
  return NODES.filter((labels) => list.some((each) => labelsMeet(labels, each)))
}

describe('alternatives', () => {
  it('that are merged are met by the very same nodes, and are no more', () => {
    fc.assert(
      fc.property(alternatives, (list) => {
        for (const fewer of [merged(list), withoutNarrower(list)]) {
          expect(nodesFor(fewer)).toEqual(nodesFor(list))
          expect(fewer.length).toBeLessThanOrEqual(list.length)
        }
      }),
      { numRuns: 1_000 },
    )
  })

  it('of two volumes are met by the nodes that meet one of each', () => {
    fc.assert(
      fc.property(alternatives, alternatives, (first, second) => {
        const ofSecond = new Set(nodesFor(second))
        expect(nodesFor(both(first, second))).toEqual(nodesFor(first).filter((node) => ofSecond.has(node)))
      }),
      { numRuns: 1_000 },
    )
  })

  it('of many volumes stay as few as there are zones', () => {
    const zones = VALUES.map((value) => requirementsFrom([{ key: 'zone', operator: 'In', values: [value] }]))
    let all: readonly Requirements[] = [new Map()]
    for (let volumes = 0; volumes < 100; volumes++) {
      all = both(all, zones)
      expect(all.length).toBe(zones.length)
    }
    expect(merged(all)).toEqual([requirementsFrom([{ key: 'zone', operator: 'In', values: VALUES }])])
  })

  it('over ever more labels are bounded', () => {
    const over = (key: string) => ['1', '2', '3'].map((value) => requirementsFrom([{ key, operator: 'In', values: [value] }]))
    let all: readonly Requirements[] = [new Map()]
    for (let volumes = 0; volumes < 12; volumes++) {
      all = both(all, over(`label-${volumes}`))
      expect(all.length).toBeLessThanOrEqual(64)
    }
    expect(all[0]?.size).toBe(12)
  })
})
