import { describe, expect, it } from 'vitest'
import { testSet } from '../testing/objects.ts'
import { newSetReplicas, oldSetReplicas } from './rollout.ts'

const limits = (desired: number, maxSurge: number, maxUnavailable: number) => ({ desired, maxSurge, maxUnavailable })

describe('newSetReplicas', () => {
  it('starts with what surge allows', () => {
    const next = testSet('new', 0, 0)
    expect(newSetReplicas(limits(10, 3, 2), next, [next, testSet('old', 10, 10)])).toBe(3)
  })
  it('waits while there is no room', () => {
    const next = testSet('new', 3, 0)
    expect(newSetReplicas(limits(10, 3, 2), next, [next, testSet('old', 10, 10)])).toBe(3)
  })
  it('never passes the wish', () => {
    const next = testSet('new', 9, 9)
    expect(newSetReplicas(limits(10, 3, 2), next, [next])).toBe(10)
  })
  it('shrinks to the wish', () => {
    const next = testSet('new', 10, 10)
    expect(newSetReplicas(limits(4, 1, 1), next, [next])).toBe(4)
  })
})

describe('oldSetReplicas', () => {
  const sizes = (...args: Parameters<typeof oldSetReplicas>) =>
    oldSetReplicas(...args).map(({ set, replicas }) => [set.metadata.name, replicas])
  it('gives up as many as may be missing', () => {
    expect(sizes(limits(10, 3, 2), testSet('new', 3, 0), [testSet('old', 10, 10)])).toEqual([['old', 8]])
  })
  it('gives up nothing while the new pods do not work yet', () => {
    expect(sizes(limits(10, 3, 0), testSet('new', 3, 0), [testSet('old', 10, 10)])).toEqual([])
  })
  it('gives up broken pods first', () => {
    expect(sizes(limits(4, 1, 1), testSet('new', 1, 0), [testSet('broken', 2, 0), testSet('old', 2, 2)])).toEqual([['broken', 1]])
  })
  it('gives up the rest when the new set is complete', () => {
    expect(sizes(limits(4, 1, 1), testSet('new', 4, 4), [testSet('old', 1, 1)])).toEqual([['old', 0]])
  })
})
