import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Column, createRestrictedMaster, dualValuesOf } from './restrictedMaster.ts'

const ROWS = 5
const PRECISION = 4

const aCount = fc.integer({ min: 1, max: 9 })
const aPrice = fc.integer({ min: 1, max: 40 })
const aColumn = fc.record({
  price: aPrice,
  counts: fc
    .array(fc.integer({ min: 0, max: 6 }), { minLength: ROWS, maxLength: ROWS })
    .map((all) => all.flatMap((count, row) => (count > 0 ? [[row, count] as const] : []))),
})
const aProgramme = fc.record({
  demand: fc.array(fc.integer({ min: 1, max: 200 }), { minLength: ROWS, maxLength: ROWS }),
  alone: fc
    .array(fc.tuple(aPrice, aCount), { minLength: ROWS, maxLength: ROWS })
    .map((all) => all.map(([price, count], row): Column => ({ price, counts: [[row, count]] }))),
  others: fc.array(aColumn, { maxLength: 40 }),
})

describe('the cheapest mix of columns', () => {
  it('covers the demand, at a price that no mix can be below', () => {
    fc.assert(
      fc.property(aProgramme, ({ demand, alone, others }) => {
        const master = createRestrictedMaster(demand, alone)
        // A column that left the basis may enter it again.
        while ([...alone, ...others].some((column) => master.offer(column)));
        const solution = master.solution()
        const covered = new Float64Array(ROWS)
        let price = 0
        for (const [column, times] of solution) {
          expect(times).toBeGreaterThanOrEqual(0)
          price += column.price * times
          for (const [row, count] of column.counts) covered[row] = (covered[row] ?? 0) + count * times
        }
        for (const [row, asked] of demand.entries()) expect(covered[row]).toBeGreaterThan(asked - 1e-6)
        // At dual values at which no column is worth more than it costs, the demand is a lower bound of what covers it.
        for (const column of [...alone, ...others])
          expect(dualValuesOf(column.counts, master.dualValue)).toBeLessThan(column.price * (1 + 1e-5))
        for (const each of master.dualValue) expect(each).toBeGreaterThan(-1e-5)
        const bound = demand.reduce((sum, asked, row) => sum + asked * (master.dualValue[row] ?? 0), 0)
        expect(price).toBeCloseTo(bound, PRECISION)
        expect(master.cost()).toBeCloseTo(price, PRECISION)
      }),
    )
  })

  it('buys pods nobody asked for where that is cheaper', () => {
    const alone: Column[] = [
      { price: 5, counts: [[0, 1]] },
      { price: 5, counts: [[1, 1]] },
    ]
    const master = createRestrictedMaster([3, 1], alone)
    const both: Column = {
      price: 6,
      counts: [
        [0, 3],
        [1, 2],
      ],
    }
    expect(master.cost()).toBe(20)
    expect(master.offer(both)).toBe(true)
    expect(master.cost()).toBe(6)
    expect(master.solution()).toEqual([[both, 1]])
    expect(master.offer(both)).toBe(false)
  })
})
