import { describe, expect, it } from 'vitest'
import { compare } from './ranges.ts'

const TOLERANCE = { nodes: 0.2, price: 0.05, steps: 0.2 }
const RECORDED = { unplaced: 10, nodes: 100, price: 50, steps: { fits: 1_000 } }

describe('compare', () => {
  const cases = {
    'the same figures are in range': { now: {}, problems: 0, notes: 0 },
    'a fifth more steps are in range': { now: { steps: { fits: 1_200 } }, problems: 0, notes: 0 },
    'more than a fifth more steps are not': { now: { steps: { fits: 1_201 } }, problems: 1, notes: 0 },
    'far fewer steps are worth a note': { now: { steps: { fits: 500 } }, problems: 0, notes: 1 },
    'steps that are not counted any more are worth a note': { now: { steps: undefined }, problems: 0, notes: 1 },
    'a dearer plan is out of range': { now: { price: 52.6 }, problems: 1, notes: 0 },
    'each figure is told': { now: { price: 60, nodes: 121 }, problems: 2, notes: 0 },
    'one more pod without a place is out of range, however cheap': { now: { unplaced: 11, price: 1 }, problems: 1, notes: 0 },
    'a plan that places more may be dearer': { now: { unplaced: 9, price: 500, nodes: 500 }, problems: 0, notes: 1 },
  }
  it.each(Object.entries(cases))('%s', (_sentence, { now, problems, notes }) => {
    const found = compare(RECORDED, { ...RECORDED, ...now }, TOLERANCE)
    expect([found.problems.length, found.notes.length]).toEqual([problems, notes])
  })
})
