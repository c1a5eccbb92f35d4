import { describe, expect, it } from 'vitest'
import { pod } from '../../../test/builders/pod.ts'
import { objectKey, uid } from '../../model/ids.ts'
import type { PodDisruptionBudget } from '../../model/workloads.ts'
import { isHeldForGood } from './heldForGood.ts'

const ONE: PodDisruptionBudget = {
  key: objectKey('default', 'one'),
  uid: uid('one'),
  selector: { matchLabels: { app: 'web' }, matchExpressions: [] },
  disruptionsAllowed: 0,
  unhealthyPodEvictionPolicy: 'IfHealthyBudget',
  conditions: [],
}
const WEB = pod({ name: 'web', labels: { app: 'web' } })

const CASES: { readonly [sentence: string]: { readonly budgets: readonly PodDisruptionBudget[]; readonly held: boolean } } = {
  'no budget': { budgets: [], held: false },
  'a budget that has nothing left just now': { budgets: [{ ...ONE, maxUnavailable: '1' }], held: false },
  'a budget that lets none be away': { budgets: [{ ...ONE, maxUnavailable: '0' }], held: true },
  'a budget that lets no share be away': { budgets: [{ ...ONE, maxUnavailable: '0%' }], held: true },
  'a budget that wants all to stay': { budgets: [{ ...ONE, minAvailable: '100%' }], held: true },
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

function without(budget: PodDisruptionBudget): PodDisruptionBudget {
  const { selector: _, ...rest } = budget
  return rest
}
