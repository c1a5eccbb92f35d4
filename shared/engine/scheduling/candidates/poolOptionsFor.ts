/** Finds the pools that may take a constraint, by the labels and the taints that pools give their machines. */
import { untolerated } from '../../../model/taint.ts'
import type { NarrowedTemplate } from '../model/catalog/narrowedTemplate.ts'
import type { Constraint } from '../model/pods/constraint.ts'
import { createByLabel } from '../model/quantities/byLabel.ts'
import type { NodePoolOption, Plan, PoolOptionsFor } from './plan.ts'

/** The same plan with these pools alone. What they refuse, other pools may take. */
export function withPoolOptions(plan: Plan, poolOptions: readonly NodePoolOption[]): Plan {
  return { ...plan, poolOptions, poolOptionsFor: createPoolOptionsFor(poolOptions), refused: new Set() }
}

export function createPoolOptionsFor(poolOptions: readonly NodePoolOption[]): PoolOptionsFor {
  const known = new Map<number, readonly NodePoolOption[]>()
  const byLabel = createByLabel(poolOptions, ({ narrowedTemplate }, key) => narrowedTemplate.template.requirements.get(key))
  const isTainted = poolOptions.some(({ narrowedTemplate }) => narrowedTemplate.template.pool.template.taints.length > 0)
  function find(constraint: Constraint): readonly NodePoolOption[] {
    const [wanted, ...others] = constraint.alternatives
    const found = wanted === undefined || others.length > 0 ? poolOptions : byLabel(wanted)
    const isRefused = constraint.refusals.length > 0
    if (!isTainted && !isRefused) return found
    return found.filter(
      ({ narrowedTemplate }) => toleratesPool(constraint, narrowedTemplate) && !refusesClaim(constraint, narrowedTemplate),
    )
  }
  return (constraint) => {
    const found = known.get(constraint.id) ?? find(constraint)
    known.set(constraint.id, found)
    return found
  }
}

/** Reports whether the constraint tolerates all taints of the pool's machines. */
export function toleratesPool({ tolerations }: Pick<Constraint, 'tolerations'>, { template }: Pick<NarrowedTemplate, 'template'>): boolean {
  const { taints } = template.pool.template
  return taints.length === 0 || untolerated(taints, tolerations).length === 0
}

function refusesClaim({ refusals }: Constraint, { template }: NarrowedTemplate): boolean {
  return refusals.some(({ pool }) => pool === template.pool.name)
}
