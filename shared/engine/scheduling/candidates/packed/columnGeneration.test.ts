import { describe, expect, it } from 'vitest'
import { instanceType } from '../../../../../test/builders/instanceType.ts'
import { packing } from '../../../../../test/builders/packing.ts'
import { pods } from '../../../../../test/builders/pod.ts'
import type { Budget } from '../../model/quantities/work.ts'
import { createColumnGeneration } from './columnGeneration.ts'
import { columnSpaceOf } from './columns.ts'
import { createNeighbours } from './hostRules.ts'

const SIZES = [instanceType({ name: 'size', cpus: 4, memoryGib: 16, overhead: {}, price: 1, spotPrice: null })]
const PODS = 40
const NO_DUAL_VALUES = new Float64Array()

/** The cost of the mix with these machines of a layout, whose items get new ids. */
function costWith(idOf: (id: number) => number): number {
  const { plan, items, binTypes, layouter } = packing({ types: SIZES, objects: { pod: pods(PODS, { cpus: 2 }) } })
  const { uses } = layouter.layoutBy(['dotProduct'])
  const cheaper = uses.map((use) => {
    const contents = use.pattern.contents.map(({ item, count }) => ({ item: { ...item, id: idOf(item.id) }, count }))
    return { ...use, pattern: { ...use.pattern, contents, price: 1 } }
  })
  const space = columnSpaceOf(binTypes, items, PODS)
  const columns = space && createColumnGeneration(space, { items, uses: cheaper, dualValue: NO_DUAL_VALUES }, createNeighbours(0), plan)
  columns?.improve()
  return columns?.cost() ?? Number.NaN
}

describe('the columns of a layout', () => {
  it('are part of the mix', () => {
    expect(costWith((id) => id)).toBeCloseTo(PODS / 2)
  })

  it('are left out where they hold pods that no row has', () => {
    expect(costWith((id) => id + 1_000)).toBeCloseTo((PODS / 2) * 1e6)
  })
})

describe('a mix', () => {
  it('is not made once the budget is spent: its first columns hold one kind of pods each', () => {
    const { plan, items, binTypes } = packing({ types: SIZES, objects: { pod: pods(PODS, { cpus: 2 }) } })
    const space = columnSpaceOf(binTypes, items, PODS)
    const columnsWith = (budget: Budget) =>
      space &&
      createColumnGeneration(space, { items, uses: [], dualValue: NO_DUAL_VALUES }, createNeighbours(0), { work: plan.work, budget })
    expect(columnsWith(plan.budget)).toBeDefined()
    expect(columnsWith({ ...plan.budget, better: 0 })).toBeUndefined()
  })
})
