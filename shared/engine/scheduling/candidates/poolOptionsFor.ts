/** Finds the pools that may take a constraint, by the labels and the taints that pools give their machines. */
import { formatTaint, type Taint, type Toleration, tolerates, untolerated } from '../../../model/taint.ts'
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
  const toleratedBy = createToleratedBy(poolOptions)
  function find(constraint: Constraint): readonly NodePoolOption[] {
    const [wanted, ...others] = constraint.alternatives
    const found = wanted === undefined || others.length > 0 ? poolOptions : byLabel(wanted)
    const tolerated = toleratedBy?.(constraint)
    if (tolerated === undefined && constraint.refusals.length === 0) return found
    return found.filter((poolOption) => (tolerated?.(poolOption) ?? true) && !refusesClaim(constraint, poolOption.narrowedTemplate))
  }
  return (constraint) => {
    const found = known.get(constraint.id) ?? find(constraint)
    known.set(constraint.id, found)
    return found
  }
}

/** Finds the pool options whose taints are all tolerated. Each toleration is compared once with each distinct taint. Undefined without taints. */
function createToleratedBy(
  poolOptions: readonly NodePoolOption[],
): ((constraint: Pick<Constraint, 'tolerations'>) => (poolOption: NodePoolOption) => boolean) | undefined {
  const taints = new Map<string, Taint>()
  const ownOf = new Map<NodePoolOption, readonly string[]>()
  for (const poolOption of poolOptions) {
    const own = poolOption.narrowedTemplate.template.pool.template.taints
    for (const taint of own) taints.set(formatTaint(taint), taint)
    ownOf.set(poolOption, own.map(formatTaint))
  }
  if (taints.size === 0) return undefined
  const known = new Map<string, readonly string[]>()
  const taintsOf = (toleration: Toleration): readonly string[] => {
    const text = JSON.stringify([toleration.operator, toleration.key, toleration.effect, toleration.value])
    const found = known.get(text) ?? [...taints].flatMap(([name, taint]) => (tolerates(toleration, taint) ? [name] : []))
    known.set(text, found)
    return found
  }
  return ({ tolerations }) => {
    const tolerated = new Set(tolerations.flatMap(taintsOf))
    return (poolOption) => ownOf.get(poolOption)?.every((name) => tolerated.has(name)) ?? true
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
