import { describe, expect, it } from 'vitest'
import { pod } from '../../../test/builders/pod.ts'
import { objectKey, uid } from '../../model/ids.ts'
import type { Pod } from '../../model/pod.ts'
import { epochMs } from '../../model/units.ts'
import type { PodDisruptionBudget } from '../../model/workloads.ts'
import { blockingBudgets, isHeldForGood } from './eviction.ts'

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
