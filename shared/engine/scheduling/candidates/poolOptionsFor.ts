/** Finds the pools that may take a constraint, by the labels that pools give their machines. */
import { createByLabel } from '../model/quantities/byLabel.ts'
import type { NodePoolOption, Plan, PoolOptionsFor } from './plan.ts'

/** The same plan with these pools alone. */
export function withPoolOptions(plan: Plan, poolOptions: readonly NodePoolOption[]): Plan {
  return { ...plan, poolOptions, poolOptionsFor: createPoolOptionsFor(poolOptions) }
}

export function createPoolOptionsFor(poolOptions: readonly NodePoolOption[]): PoolOptionsFor {
  const known = new Map<number, readonly NodePoolOption[]>()
  const byLabel = createByLabel(poolOptions, ({ narrowedTemplate }, key) => narrowedTemplate.template.requirements.get(key))
  return ({ id, alternatives: [wanted, ...others] }) => {
    if (wanted === undefined || others.length > 0) return poolOptions
    const found = known.get(id) ?? byLabel(wanted)
    known.set(id, found)
    return found
  }
}
