import { describe, expect, it } from 'vitest'
import { type Goal, judge, rowsOf } from './goals.ts'
import type { PartialRow } from './row.ts'

const rows: readonly PartialRow[] = [
  { name: 'adversarial-a', medianMs: 100, slowestMs: 900, price: 10 },
  { name: 'adversarial-b', medianMs: 300, slowestMs: 400, price: 11 },
  { name: 'adversarial-c', medianMs: 9_000, slowestMs: 9_500, price: 10.5 },
  { name: 'other', medianMs: 1, price: 1 },
]
const goal = (figure: Goal['figure'], gate: number): Goal => ({ workload: 'adversarial-*', figure, gate, aim: gate / 2 })
const judged = (each: Goal, from = rows) => judge(each, rowsOf(each, from))

describe('a goal about several workloads', () => {
  it('takes the worst of them', () => {
    expect(judged(goal('ms, slowest decision', 5_000))).toMatchObject({ measured: 9_500, isGateMet: false })
    expect(judged(goal('ms, median', 10_000))).toMatchObject({ measured: 9_000, isGateMet: true, isAimMet: false })
  })

  it('takes the median of them where it says so', () => {
    expect(judged(goal('ms, median of medians', 2_000))).toMatchObject({ measured: 300, isGateMet: true, isAimMet: true })
  })

  it('takes how far they lie apart where it says so', () => {
    const { measured, isGateMet } = judged(goal('price, % apart', 2))
    expect([measured?.toFixed(6), isGateMet]).toEqual(['10.000000', false])
  })

  it('compares the first decision of a process with the later ones', () => {
    const figure = 'first decision, times the median'
    const goalOf: Goal = { workload: 'other', figure, gate: 2, aim: 1.5 }
    const row = { name: 'other', coldMs: 190, medianMs: 100 }
    expect(judge(goalOf, [row])).toMatchObject({ measured: 1.9, isGateMet: true, isAimMet: false })
    expect(judge(goalOf, [{ ...row, coldMs: 210 }])).toMatchObject({ isGateMet: false })
  })

  it('is not met while one of them was not measured, or pods have no place that could have one', () => {
    expect(judged(goal('ms, median', 10_000), [...rows, { name: 'adversarial-d' }])).toMatchObject({
      measured: undefined,
      isGateMet: false,
    })
    const missing = [...rows, { name: 'adversarial-d', medianMs: 1, unplaced: 3 }]
    expect(judged(goal('ms, median', 10_000), missing)).toMatchObject({ missing: 3, isGateMet: false })
  })
})
