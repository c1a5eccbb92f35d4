import type { Condition } from '../../shared/model/condition.ts'
import { ago, MINUTE } from './clock.ts'

/** A condition that has been True for five minutes. */
export function condition(type: string, overrides: Partial<Condition> = {}): Condition {
  return {
    type,
    status: 'True',
    reason: type,
    message: '',
    lastTransitionAt: ago(5 * MINUTE),
    observedGeneration: 1,
    ...overrides,
  }
}
