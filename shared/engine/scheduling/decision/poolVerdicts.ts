/** Why each NodePool makes no machine for a pod. */
import { LABEL, UNDEFINED_ALLOWED_LABELS } from '../../../model/labels.ts'
import type { NodePool } from '../../../model/nodePool.ts'
import { conflicts } from '../../../model/requirementConflict.ts'
import { untolerated } from '../../../model/taint.ts'
import type { Plan } from '../candidates/plan.ts'
import type { RefusedPool } from '../model/catalog/pools.ts'
import { requirementsOfPool } from '../model/catalog/template.ts'
import type { PodClass, RelaxedPod } from '../model/pods/constraint.ts'
import type { Axes } from '../model/quantities/amounts.ts'
import { poolVerdict } from './poolVerdict.ts'
import { mostTellingOfPools, type PoolVerdict } from './verdictOrder.ts'

/** One verdict for each NodePool that has no place for the pods of the class, once the plan has been made. */
export function poolVerdicts(
  podClass: PodClass,
  relaxedPod: RelaxedPod | undefined,
  plan: Plan,
  refusedPools: readonly RefusedPool[],
  axes: Axes,
): readonly PoolVerdict[] {
  const asking = { podClass, plan, axes }
  const own = plan.poolOptions.map((poolOption): PoolVerdict => {
    const { name } = poolOption.narrowedTemplate.template.pool
    const verdict = poolVerdict(poolOption, relaxedPod, asking)
    return { pool: name, verdict, ...(isNamed(name, relaxedPod) ? { isAskedFor: true } : {}) }
  })
  const out = refusedPools.map(
    ({ pool, reason: { code, message, fields } }): PoolVerdict => ({
      pool: pool.name,
      verdict: { kind: 'pool', code, message, ...(fields === undefined ? {} : { fields }) },
      ...(isAskedFor(pool, relaxedPod) ? { isAskedFor: true } : {}),
    }),
  )
  return [...mostTellingOfPools(own), ...out]
}

function isAskedFor(pool: NodePool, relaxedPod: RelaxedPod | undefined): boolean {
  if (isNamed(pool.name, relaxedPod)) return true
  if (relaxedPod === undefined || untolerated(pool.template.taints, relaxedPod.constraint.tolerations).length > 0) return false
  const requirements = requirementsOfPool(pool)
  return relaxedPod.constraint.alternatives.some((wanted) => conflicts(requirements, wanted, UNDEFINED_ALLOWED_LABELS).length === 0)
}

/** Reports whether the pod selects the NodePool by name. It does so even if it does not tolerate the taints of the NodePool. */
function isNamed(pool: string, relaxedPod: RelaxedPod | undefined): boolean {
  const named = (relaxedPod?.constraint.alternatives ?? []).map((wanted) => wanted.get(LABEL.nodePool))
  return named.some((each) => each !== undefined && !each.complement && each.values.includes(pool))
}
