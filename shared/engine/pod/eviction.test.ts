import { describe, expect, it } from 'vitest'
import { ago, HOUR, NOW } from '../../../test/builders/clock.ts'
import { nodeClaim } from '../../../test/builders/nodeClaim.ts'
import { type PodShape, pod } from '../../../test/builders/pod.ts'
import { objectKey, uid } from '../../model/ids.ts'
import { PLANNED_DELETION_COST } from '../../model/labels.ts'
import type { Pod } from '../../model/pod.ts'
import { type DurationMs, durationMs, type EpochMs, epochMs } from '../../model/units.ts'
import type { PodDisruptionBudget } from '../../model/workloads.ts'
import { blockingBudgets, evictionCost, isHeldForGood, lifetimeRemaining } from './eviction.ts'

const ONE: PodDisruptionBudget = {
  key: objectKey('default', 'one'),
  uid: uid('one'),
  selector: { matchLabels: { app: 'web' }, matchExpressions: [] },
  disruptionsAllowed: 0,
  unhealthyPodEvictionPolicy: 'IfHealthyBudget',
  conditions: [],
}
const WEB = pod({ name: 'web', labels: { app: 'web' }, phase: 'Running' })

const CASES: { readonly [sentence: string]: { readonly budgets: readonly PodDisruptionBudget[]; readonly held: boolean } } = {
  'no budget': { budgets: [], held: false },
  'a budget that has nothing left just now': { budgets: [{ ...ONE, maxUnavailable: '1' }], held: false },
  'a budget that lets none be away': { budgets: [{ ...ONE, maxUnavailable: '0' }], held: true },
  'a budget that lets no share be away': { budgets: [{ ...ONE, maxUnavailable: '0%' }], held: true },
  'a budget that wants all to stay': { budgets: [{ ...ONE, minAvailable: '100%' }], held: true },
  'a budget of one replica that wants one': { budgets: [{ ...ONE, minAvailable: '1', desiredHealthy: 1, expectedPods: 1 }], held: true },
  'a budget of two replicas that wants one, while one is away': {
    budgets: [{ ...ONE, minAvailable: '1', desiredHealthy: 1, expectedPods: 2 }],
    held: false,
  },
  'a budget that nobody has counted yet': { budgets: [{ ...ONE, minAvailable: '1' }], held: false },
  'two budgets that would each allow it': {
    budgets: [
      { ...ONE, maxUnavailable: '1' },
      { ...ONE, maxUnavailable: '1' },
    ],
    held: true,
  },
  'a budget of another namespace': { budgets: [{ ...ONE, key: objectKey('other', 'one'), maxUnavailable: '0' }], held: false },
  'a budget without selector': { budgets: [{ ...without(ONE), maxUnavailable: '0' }], held: false },
}

describe('what holds a pod for good', () => {
  for (const [sentence, { budgets, held }] of Object.entries(CASES)) {
    it(`${sentence}: ${held ? 'yes' : 'no'}`, () => expect(isHeldForGood(WEB, budgets)).toBe(held))
  }
})

const UNREADY = { ...WEB, isUnready: true } as const
const ALWAYS = { ...ONE, unhealthyPodEvictionPolicy: 'AlwaysAllow' } as const
const ENOUGH = { ...ONE, currentHealthy: 2, desiredHealthy: 2 }

const BLOCKING: {
  readonly [sentence: string]: { readonly of: Pod; readonly budgets: readonly PodDisruptionBudget[]; readonly blocks: boolean }
} = {
  'PB-03 no budget': { of: WEB, budgets: [], blocks: false },
  'a budget with something left': { of: WEB, budgets: [{ ...ONE, disruptionsAllowed: 1 }], blocks: false },
  'a budget with nothing left': { of: WEB, budgets: [ONE], blocks: true },
  'PB-01 a pod that is not ready, and a budget that lets those go': { of: UNREADY, budgets: [ALWAYS], blocks: false },
  'a pod that is ready, and a budget that lets the others go': { of: WEB, budgets: [ALWAYS], blocks: true },
  'a pod that is not ready, while enough others are healthy': { of: UNREADY, budgets: [ENOUGH], blocks: false },
  'PB-02 a pod that is not ready, while too few are healthy': { of: UNREADY, budgets: [{ ...ENOUGH, currentHealthy: 1 }], blocks: true },
  'a pod that is ready, while enough are healthy': { of: WEB, budgets: [ENOUGH], blocks: true },
  'a pod that does not run yet': { of: { ...WEB, phase: 'Pending' }, budgets: [ONE], blocks: false },
  'a pod that ends already': { of: { ...WEB, deletedAt: epochMs(1) }, budgets: [ONE], blocks: false },
  'a pod that is not ready, with two budgets': { of: UNREADY, budgets: [ALWAYS, ALWAYS], blocks: true },
}

describe('what blocks an eviction now', () => {
  for (const [sentence, { of, budgets, blocks }] of Object.entries(BLOCKING)) {
    it(`${sentence}: ${blocks ? 'blocked' : 'free'}`, () => expect(blockingBudgets(of, budgets)).toEqual(blocks ? budgets : []))
  }
})

function without(budget: PodDisruptionBudget): PodDisruptionBudget {
  const { selector: _, ...rest } = budget
  return rest
}

const withCost = (cost: string): PodShape => ({ annotations: { 'controller.kubernetes.io/pod-deletion-cost': cost } })
const withOwnCost = (own: string, cost = '134217728'): PodShape => ({
  annotations: { ...withCost(cost).annotations, 'karpenter.sh/disruption-cost': own },
})

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
  'DK-01 a pod with a disruption cost, whatever its deletion cost': { of: withOwnCost('268435456'), want: 3 },
  'DK-01 a pod with a disruption cost, and the deletion cost of nodes that are planned to go': {
    of: withOwnCost('268435456', PLANNED_DELETION_COST),
    want: 3,
  },
  'a pod with a disruption cost that is no number: its deletion cost does not count either': { of: withOwnCost('much'), want: 1 },
  'DK-03 a pod with a deletion cost alone': { of: withCost('-268435456'), want: -1 },
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

  const key = ['karpenter.sh/disruption-cost', 'controller.kubernetes.io/pod-deletion-cost'] as const
  it.each(key)('DK-04 takes a whole number of 32 bits of %s, and anything else for none', (annotation) => {
    const costOf = (text: string): number => evictionCost(pod({ annotations: { [annotation]: text } }))
    for (const text of ['-2147483648', '2147483647', '+5', '-0', '007', '00000000000012']) {
      expect({ text, cost: costOf(text) }).toEqual({ text, cost: Math.max(-10, Math.min(10, 1 + Number(text) / 2 ** 27)) })
    }
    for (const text of ['', 'cheap', '1.5', '1e3', '1_000', ' 5', '5 ', '0x10', '+', '--1', '2147483648', '-2147483649', '9999999999']) {
      expect({ text, cost: costOf(text) }).toEqual({ text, cost: 1 })
    }
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
