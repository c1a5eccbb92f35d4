import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createWork } from '../../model/quantities/work.ts'
import { type Knapsack, type KnapsackRows, pricingKnapsack } from './pricingKnapsack.ts'
import { dualValuesOf } from './restrictedMaster.ts'

const MANY = 1_000_000

const aShape = fc.record({
  cpu: fc.integer({ min: 0, max: 6 }),
  memory: fc.integer({ min: 1, max: 6 }),
  demand: fc.integer({ min: 1, max: 4 }),
  dualValue: fc.integer({ min: 0, max: 30 }),
  isTaken: fc.boolean(),
})
type Shape = typeof aShape extends fc.Arbitrary<infer Value> ? Value : never
const aMachine = fc.record({
  cpu: fc.integer({ min: 0, max: 16 }),
  memory: fc.integer({ min: 1, max: 16 }),
  price: fc.integer({ min: 1, max: 90 }),
})

describe('the pods worth most that a machine holds', () => {
  it('are found, if they are worth more than it costs', () => {
    fc.assert(
      fc.property(fc.array(aShape, { minLength: 1, maxLength: 4 }), aMachine, (shapes, { cpu, memory, price }) => {
        const knapsack: Knapsack = { price, free: Float64Array.of(cpu, memory), takes: shapes.map(({ isTaken }) => isTaken) }
        const dualValue = Float64Array.from(shapes, (each) => each.dualValue)
        const best = mostValue(shapes, cpu, memory)
        const found = pricingKnapsack(knapsack, rowsOf(shapes), dualValue, MANY, createWork())
        if (found === undefined) expect(best).toBeLessThanOrEqual(price)
        else expect(dualValuesOf(found, dualValue)).toBe(best)
        for (const [row, count] of found ?? []) expect(count).toBeLessThanOrEqual(shapes[row]?.demand ?? 0)
      }),
      { numRuns: 2_000 },
    )
  })

  it('fit in it, however few sets are looked at', () => {
    fc.assert(
      fc.property(fc.array(aShape, { maxLength: 12 }), aMachine, fc.integer({ min: 1, max: 20 }), (shapes, { cpu, memory }, sets) => {
        const knapsack: Knapsack = { price: 1, free: Float64Array.of(cpu, memory), takes: shapes.map(() => true) }
        const dualValue = Float64Array.from(shapes, (each) => each.dualValue)
        for (let again = 0; again < 3; again++) {
          const found = pricingKnapsack(knapsack, rowsOf(shapes), dualValue, sets, createWork()) ?? []
          expect(found.reduce((sum, [row, count]) => sum + count * (shapes[row]?.cpu ?? 0), 0)).toBeLessThanOrEqual(cpu)
          expect(found.reduce((sum, [row, count]) => sum + count * (shapes[row]?.memory ?? 0), 0)).toBeLessThanOrEqual(memory)
        }
      }),
    )
  })
})

function rowsOf(shapes: readonly Shape[]): KnapsackRows {
  return { amounts: shapes.map(({ cpu, memory }) => Float64Array.of(cpu, memory)), most: shapes.map(({ demand }) => demand) }
}

/** Looks at every set. */
function mostValue([first, ...others]: readonly Shape[], cpu: number, memory: number): number {
  if (first === undefined) return 0
  let best = 0
  const most = first.isTaken ? first.demand : 0
  for (let count = 0; count <= most && count * first.cpu <= cpu && count * first.memory <= memory; count++) {
    best = Math.max(best, count * first.dualValue + mostValue(others, cpu - count * first.cpu, memory - count * first.memory))
  }
  return best
}
