import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { catalog } from '../../../test/builders/catalog.ts'
import { instanceType } from '../../../test/builders/instanceType.ts'
import { nodePool } from '../../../test/builders/nodePool.ts'
import { pod, pods } from '../../../test/builders/pod.ts'
import { snapshot } from '../../../test/builders/snapshot.ts'
import type { InstanceType } from '../../model/instanceType.ts'
import type { Pod } from '../../model/pod.ts'
import { axesOf } from './amounts.ts'
import { groundMaker } from './ground.ts'
import { costOf, plainFirstFit, planBins } from './planBins.ts'
import { groupPods } from './podGroups.ts'
import { poolsOf } from './pools.ts'

function costs(wanted: readonly Pod[], types: readonly InstanceType[] = catalog(), limits = {}) {
  const before = snapshot({ types, objects: { nodePool: [nodePool({ limits })] } })
  const axes = axesOf(wanted.map((each) => each.requests))
  const { templates } = poolsOf({ snapshot: before, daemons: [], axes })
  const newGround = groundMaker({ templates, usage: new Map(), axes: axes.names.length, isStrict: true })
  const demand = new Map(groupPods(wanted, axes).map((group) => [group, group.pods.length]))
  return { planned: costOf(planBins(newGround, demand)), literal: costOf(plainFirstFit(newGround(), demand)) }
}

const aPod = fc.record({ cpus: fc.integer({ min: 1, max: 70 }), memory: fc.integer({ min: 1, max: 200 }) })

describe('a plan', () => {
  it('is never dearer than first fit', () => {
    fc.assert(
      fc.property(fc.array(aPod, { minLength: 1, maxLength: 60 }), (shapes) => {
        const wanted = shapes.map(({ cpus, memory }, index) => pod({ name: `p${index}`, cpus: cpus / 10, memoryGib: memory / 10 }))
        const { planned, literal } = costs(wanted)
        expect(planned.unplaced).toBeLessThanOrEqual(literal.unplaced)
        expect(planned.microUsdPerHour).toBeLessThanOrEqual(literal.microUsdPerHour)
      }),
      { numRuns: 60 },
    )
  })

  it('places no fewer pods than first fit within limits', () => {
    fc.assert(
      fc.property(fc.array(aPod, { minLength: 1, maxLength: 30 }), fc.constantFrom(4000, 16_000, 40_000), (shapes, cpu) => {
        const wanted = shapes.map(({ cpus, memory }, index) => pod({ name: `p${index}`, cpus: cpus / 10, memoryGib: memory / 10 }))
        const { planned, literal } = costs(wanted, catalog(), { cpu })
        expect(planned.unplaced).toBeLessThanOrEqual(literal.unplaced)
      }),
      { numRuns: 40 },
    )
  })

  it('for pods that are alike is the cheapest there is', () => {
    const types = [
      instanceType({ name: 'two', cpus: 2, memoryGib: 8, price: 3, spotPrice: null }),
      instanceType({ name: 'four', cpus: 4, memoryGib: 16, price: 5, spotPrice: null }),
      instanceType({ name: 'eight', cpus: 8, memoryGib: 32, price: 11, spotPrice: null }),
    ]
    // 1 pod for 3, 3 for 5, 7 for 11: seven are 5 + 5 + 3 = 13 apart, 11 together; eight are 11 + 3.
    const want: readonly (readonly [count: number, dollars: number])[] = [
      [1, 3],
      [2, 5],
      [3, 5],
      [4, 8],
      [6, 10],
      [7, 11],
      [8, 14],
      [10, 16],
    ]
    for (const [count, dollars] of want) expect([count, costs(pods(count), types).planned.microUsdPerHour]).toEqual([count, dollars * 1e6])
  })

  it('puts pods that complete each other on one machine', () => {
    const wanted = [...pods(4, { name: 'cpu', cpus: 3, memoryGib: 1 }), ...pods(4, { name: 'memory', cpus: 0.4, memoryGib: 12 })]
    const types = [instanceType({ name: 'four', cpus: 4, memoryGib: 16, price: 1, spotPrice: null })]
    expect(costs(wanted, types).planned).toMatchObject({ microUsdPerHour: 4e6, claims: 4 })
  })
})
