import { describe, expect, it } from 'vitest'
import { catalog } from '../../../test/builders/catalog.ts'
import { NOW } from '../../../test/builders/clock.ts'
import { nodeClaim } from '../../../test/builders/nodeClaim.ts'
import type { LaunchCandidate } from '../../model/instance.ts'
import { otherKindsFirst } from './otherKindsFirst.ts'
import { planLaunch } from './planLaunch.ts'

const PLAN = planLaunch(nodeClaim({ stage: 'created', spec: { requirements: [] } }), catalog(), [], NOW)
const some = (holds: (each: LaunchCandidate) => boolean, count: number) => PLAN.candidates.filter(holds).slice(0, count)
const firstAfter = (refused: readonly LaunchCandidate[]) => {
  const left = { candidates: PLAN.candidates.filter((each) => !refused.includes(each)) }
  const { candidates } = otherKindsFirst(left, refused)
  expect(new Set(candidates)).toEqual(new Set(left.candidates))
  return candidates[0] ?? expect.fail('nothing is left')
}
const best = PLAN.candidates[0] ?? expect.fail('no plan')
const { zone, capacityType } = best.choice
const { family } = best.instanceType

describe('the next try of an attempt', () => {
  it('is the best one after few refusals of a kind', () => {
    const refused = PLAN.candidates.slice(0, 2)
    expect(firstAfter(refused)).toBe(PLAN.candidates[2])
  })

  it.each<[kind: string, count: number, holds: (each: LaunchCandidate) => boolean]>([
    ['capacity type', 5, ({ choice }) => choice.capacityType === capacityType],
    ['family', 3, ({ choice, instanceType }) => choice.capacityType === capacityType && instanceType.family === family],
    ['zone', 3, ({ choice }) => choice.capacityType === capacityType && choice.zone === zone],
  ])('is of another %s after %i refusals, and not before', (_kind, count, holds) => {
    expect(holds(firstAfter(some(holds, count)))).toBe(false)
    const { candidates } = otherKindsFirst({ candidates: some(holds, 9).slice(count - 1) }, some(holds, count - 1))
    expect(candidates[0]).toBe(some(holds, count)[count - 1])
  })

  it('is the best one if all kinds are refused alike', () => {
    expect(firstAfter(PLAN.candidates.slice(0, -2))).toBe(PLAN.candidates.at(-2))
  })
})
