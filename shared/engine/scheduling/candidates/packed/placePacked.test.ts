import { expect, it } from 'vitest'
import { nodePool } from '../../../../../test/builders/nodePool.ts'
import { emptyPlan } from '../../../../../test/builders/packing.ts'
import { pod } from '../../../../../test/builders/pod.ts'
import { snapshot } from '../../../../../test/builders/snapshot.ts'
import type { PodClass } from '../../model/pods/constraint.ts'
import { spentOn } from '../../model/quantities/work.ts'
import type { Plan } from '../plan.ts'
import { takersAmong } from './assignDomains.ts'
import { placePacked } from './placePacked.ts'

const CLASSES = 20
const POOLS = 50

function planOf(pools: number): Plan {
  const nodePools = Array.from({ length: pools }, (_, at) => nodePool({ name: `pool-${at}` }))
  const pods = Array.from({ length: CLASSES }, (_, at) => pod({ name: `p${at}`, cpus: 1 + at / 10 }))
  return emptyPlan(snapshot({ objects: { nodePool: nodePools, pod: pods } }))
}

it('each pool that is asked for a class of pods is a step', () => {
  const steps = [1, POOLS].map((pools) => {
    const plan = planOf(pools)
    const [podClass]: readonly PodClass[] = [...plan.left.keys()]
    const before = spentOn(plan.work)
    for (const { constraint } of podClass?.relaxedPods ?? []) takersAmong(plan)(podClass?.amounts ?? new Float64Array(), constraint)
    return spentOn(plan.work) - before
  })
  expect((steps[1] ?? 0) / (steps[0] ?? Number.NaN)).toBe(POOLS)
})

it('no pool is asked for a class once the budget is spent', () => {
  const plan = planOf(2)
  let asked = 0
  const poolOptionsFor: Plan['poolOptionsFor'] = (constraint) => {
    asked++
    return plan.poolOptionsFor(constraint)
  }
  const spent = spentOn(plan.work)
  placePacked({ ...plan, poolOptionsFor, budget: { better: spent + 1, most: spent + 1 } }, [], [])
  expect(plan.left.size).toBe(CLASSES)
  expect(asked).toBe(1)
})
