/** Which pools may take a constraint: found by the labels that pools give their machines. */
import { createByLabel } from '../model/quantities/byLabel.ts'
import type { Plan, Start, StartsFor } from './plan.ts'

/** The same plan with these pools alone. */
export function withStarts(plan: Plan, starts: readonly Start[]): Plan {
  return { ...plan, starts, startsFor: createStartsFor(starts) }
}

export function createStartsFor(starts: readonly Start[]): StartsFor {
  const known = new Map<number, readonly Start[]>()
  const byLabel = createByLabel(starts, ({ combination }) => combination.template.requirements)
  return ({ id, alternatives: [wanted, ...others] }) => {
    if (wanted === undefined || others.length > 0) return starts
    const found = known.get(id) ?? byLabel(wanted)
    known.set(id, found)
    return found
  }
}
