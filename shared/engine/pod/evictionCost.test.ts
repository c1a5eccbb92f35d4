import { describe, expect, it } from 'vitest'
import { ago, HOUR, NOW } from '../../../test/builders/clock.ts'
import { nodeClaim } from '../../../test/builders/nodeClaim.ts'
import { type PodShape, pod } from '../../../test/builders/pod.ts'
import { PLANNED_DELETION_COST } from '../../model/labels.ts'
import { type DurationMs, durationMs, type EpochMs } from '../../model/units.ts'
import { evictionCost, lifetimeRemaining } from './evictionCost.ts'

const withCost = (cost: string): PodShape => ({ annotations: { 'controller.kubernetes.io/pod-deletion-cost': cost } })

const COSTS: { readonly [sentence: string]: { readonly of: PodShape; readonly want: number } } = {
  'EC-01 a plain pod': { of: {}, want: 1 },
  'EC-05 a pod of a higher priority': { of: { priority: 2 ** 25 }, want: 2 },
  'EC-06 a pod of a lower priority': { of: { priority: -(2 ** 26) }, want: -1 },
  'EC-02 a pod with a deletion cost': { of: withCost('134217728'), want: 2 },
  'EC-03 a pod with a negative deletion cost': { of: withCost('-134217728'), want: 0 },
  'a pod of a system priority': { of: { priority: 2_000_001_000 }, want: 10 },
  'a pod that anybody may lose': { of: { priority: -2_000_000_000 }, want: -10 },
  'a pod with a deletion cost that is no number': { of: withCost('much'), want: 1 },
  'a pod with the deletion cost of nodes that are planned to go': { of: withCost(PLANNED_DELETION_COST), want: 1 },
  'a pod with a deletion cost that is no whole number': { of: withCost('134217728.5'), want: 1 },
}

describe('what it costs to move a pod', () => {
  for (const [sentence, { of, want }] of Object.entries(COSTS)) {
    it(`${sentence}: ${want}`, () => expect(evictionCost(pod(of))).toBe(want))
  }
})

const priced = (deletionCost: string, priority = 0) =>
  evictionCost(pod({ annotations: { 'controller.kubernetes.io/pod-deletion-cost': deletionCost }, priority }))

describe('the cost of evicting a pod', () => {
  it('EC-04 rises with the deletion cost, and with the priority', () => {
    expect([priced('-100'), priced('0'), priced('100')]).toEqual([...[priced('-100'), priced('0'), priced('100')]].sort((a, b) => a - b))
    expect(priced('100')).toBe(1 + 100 / 2 ** 27)
    expect(priced('0', 1000)).toBe(1 + 1000 / 2 ** 25)
    expect(priced('0', -1000)).toBeLessThan(1)
  })

  it('EC-07 lies between -10 and 10', () => {
    expect(priced('2147483647')).toBe(10)
    expect(priced('-2147483647')).toBe(-10)
    expect(priced('0', 2_000_000_000)).toBe(10)
  })

  it('takes an annotation that is no number for none', () => {
    expect(priced('cheap')).toBe(1)
    expect(priced('1.5')).toBe(1)
  })
})

const LIVES: { readonly [sentence: string]: { readonly after: DurationMs | 'Never'; readonly born: EpochMs; readonly want: number } } = {
  'a machine that never expires': { after: 'Never', born: ago(HOUR), want: 1 },
  'a machine that was just made': { after: durationMs(HOUR), born: NOW, want: 1 },
  'a machine that has lived three quarters of its life': { after: durationMs(4 * HOUR), born: ago(3 * HOUR), want: 0.25 },
  'a machine past its age': { after: durationMs(HOUR), born: ago(3 * HOUR), want: 0 },
  'a machine that may not live at all': { after: durationMs(0), born: NOW, want: 0 },
}

describe('what is left of the life of a machine', () => {
  for (const [sentence, { after, born, want }] of Object.entries(LIVES)) {
    it(`${sentence}: ${want}`, () =>
      expect(lifetimeRemaining(nodeClaim({ meta: { createdAt: born }, spec: { expireAfter: after } }), NOW)).toBe(want))
  }
})
