import { describe, expect, it } from 'vitest'
import { NOW } from '../../../test/builders/clock.ts'
import { daemonPod, pod } from '../../../test/builders/pod.ts'
import { evictionCost, rescheduleCost } from './moveCost.ts'

const priced = (deletionCost: string, priority = 0) =>
  evictionCost(pod({ annotations: { 'controller.kubernetes.io/pod-deletion-cost': deletionCost }, priority }))

describe('what it costs to move a pod', () => {
  it('is one for a pod that says nothing', () => {
    expect(evictionCost(pod())).toBe(1)
  })

  it('rises with the deletion cost, and with the priority', () => {
    expect([priced('-100'), priced('0'), priced('100')]).toEqual([...[priced('-100'), priced('0'), priced('100')]].sort((a, b) => a - b))
    expect(priced('100')).toBe(1 + 100 / 2 ** 27)
    expect(priced('0', 1000)).toBe(1 + 1000 / 2 ** 25)
    expect(priced('0', -1000)).toBeLessThan(1)
  })

  it('lies between -10 and 10', () => {
    expect(priced('2147483647')).toBe(10)
    expect(priced('-2147483647')).toBe(-10)
    expect(priced('0', 2_000_000_000)).toBe(10)
  })

  it('takes an annotation that is no number for none', () => {
    expect(priced('cheap')).toBe(1)
    expect(priced('1.5')).toBe(1)
  })
})

describe('what it costs to move all of a machine', () => {
  it('is one, and what its pods cost that need another place', () => {
    expect(rescheduleCost([])).toBe(1)
    expect(rescheduleCost([pod(), pod({ name: 'other' }), daemonPod('n'), pod({ name: 'ending', deletedAt: NOW })])).toBe(3)
  })

  it('is no less for pods that gladly go', () => {
    expect(rescheduleCost([pod({ annotations: { 'controller.kubernetes.io/pod-deletion-cost': '-2147483647' } })])).toBe(1)
  })
})
