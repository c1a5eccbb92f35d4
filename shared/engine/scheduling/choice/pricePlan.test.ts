import { describe, expect, it } from 'vitest'
import { instanceType } from '../../../../test/builders/instanceType.ts'
import { node } from '../../../../test/builders/node.ts'
import { pods } from '../../../../test/builders/pod.ts'
import { snapshot } from '../../../../test/builders/snapshot.ts'
import type { Node } from '../../../model/node.ts'
import { MOST_FOLLOWED } from '../model/quantities/tuning.ts'
import { loadPlanning } from '../planningState.ts'

/** One size, whose cores decide the price: ten of them. */
const TEN_CPUS = 10
const SIZES = [instanceType({ name: 'ten', cpus: TEN_CPUS, memoryGib: 100, overhead: {}, price: 1, spotPrice: null })]

/** Two fit on a machine that has cores for 2.4: the packed plan costs 1.2 times the least cost. */
const WASTEFUL_CPUS = 4.2
const FULL_CPUS = 5

/** The searches for a place that a decision made. Only first fit searches place by place. */
function attemptsFor(count: number, cpus: number, nodes: readonly Node[] = []): number {
  const given = snapshot({ types: SIZES, objects: { pod: pods(count, { cpus }), node: nodes } })
  const planning = loadPlanning(given.objects)
  const { actions, reasons } = planning.decide(given)
  expect(reasons).toEqual([])
  expect(actions.filter(({ kind }) => kind === 'createClaim').length).toBeGreaterThan(0)
  return planning.work().attempts
}

describe('first fit beside the packed plan', () => {
  it('is left out where the packed plan has the least cost', () => {
    expect(attemptsFor(100, FULL_CPUS)).toBe(0)
  })

  it('is made where the packed plan is not close to the least cost', () => {
    expect(attemptsFor(100, WASTEFUL_CPUS)).toBeGreaterThan(0)
  })

  it('is left out further above the least cost for many pods', () => {
    expect(attemptsFor(MOST_FOLLOWED, WASTEFUL_CPUS)).toBe(0)
  })

  it('is made in a cluster with nodes', () => {
    const tooSmall = node({ name: 'too-small' })
    expect(attemptsFor(100, FULL_CPUS, [tooSmall])).toBeGreaterThanOrEqual(100)
  })
})
