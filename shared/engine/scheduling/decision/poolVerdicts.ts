/** Why each pool makes no machine for a pod, and which of them says most. */
import { LABEL, UNDEFINED_ALLOWED_LABELS } from '../../../model/labels.ts'
import type { NodePool } from '../../../model/nodePool.ts'
import type { ProblemCode } from '../../../model/problem.ts'
import { conflicts } from '../../../model/requirementConflict.ts'
import { untolerated } from '../../../model/taint.ts'
import type { Plan } from '../candidates/plan.ts'
import type { RefusedPool } from '../model/catalog/pools.ts'
import { requirementsOfPool } from '../model/catalog/template.ts'
import type { PodClass, RelaxedPod } from '../model/pods/podClass.ts'
import type { Axes } from '../model/quantities/amounts.ts'
import { poolVerdict } from './poolVerdict.ts'
import { codeOf, type Verdict } from './verdict.ts'

/** A pool, and why it makes no machine for some pod. */
export type PoolVerdict = {
  readonly pool: string
  readonly verdict: Verdict
  /** The pod names it, or it takes no part and is one that the pod's labels and tolerations mean: it is what has to be put right. */
  readonly isAskedFor?: true
}

/** Of every pool the first stage that refuses the class with these wishes, once the plan has been made. */
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
  return [...ofPools(own), ...out]
}

function isAskedFor(pool: NodePool, relaxedPod: RelaxedPod | undefined): boolean {
  if (isNamed(pool.name, relaxedPod)) return true
  if (relaxedPod === undefined || untolerated(pool.template.taints, relaxedPod.constraint.tolerations).length > 0) return false
  const requirements = requirementsOfPool(pool)
  return relaxedPod.constraint.alternatives.some((wanted) => conflicts(requirements, wanted, UNDEFINED_ALLOWED_LABELS).length === 0)
}

/** The pod selects the pool by its name. A taint of the pool does not change that. */
function isNamed(pool: string, relaxedPod: RelaxedPod | undefined): boolean {
  const named = (relaxedPod?.constraint.alternatives ?? []).map((wanted) => wanted.get(LABEL.nodePool))
  return named.some((each) => each !== undefined && !each.complement && each.values.includes(pool))
}

/** A pool that appears more than once, for its reservations and without them, says one thing. Of equals the later: the rest of it. */
function ofPools(verdicts: readonly PoolVerdict[]): readonly PoolVerdict[] {
  return [...Map.groupBy(verdicts, ({ pool }) => pool).values()].map((own) =>
    own.reduce((best, each) => (telling(each) >= telling(best) ? each : best)),
  )
}

/** The most telling first; those of equals in their order. */
export function byTelling(verdicts: readonly PoolVerdict[]): readonly PoolVerdict[] {
  return [...verdicts].sort((one, other) => telling(other) - telling(one))
}

/** The larger, the earlier. A pool that the pod asks for ranks just above `SCHEDULING.REQUIREMENT`, or by its own verdict where that ranks higher. */
function telling({ verdict, isAskedFor }: PoolVerdict): number {
  const rank = TELLING.indexOf(codeOf(verdict))
  const ofAsked = TELLING.indexOf('SCHEDULING.REQUIREMENT') + (rank + 1) / (TELLING.length + 1)
  return isAskedFor === true ? Math.max(rank, ofAsked) : rank
}

/** From least to most telling: a pool that came further says more about what to change. */
export const TELLING: readonly ProblemCode[] = [
  'POOL.STATIC',
  'NODECLASS.NOT_FOUND',
  'NODECLASS.NOT_READY',
  'POOL.NOT_READY',
  'POOL.PAUSED',
  'POOL.NO_INSTANCE_TYPE',
  'SCHEDULING.TAINT',
  'SCHEDULING.REQUIREMENT',
  'SCHEDULING.OFFERING',
  'AZURE.QUOTA.SPOT',
  'AZURE.QUOTA.FAMILY',
  'AZURE.QUOTA.REGION',
  'SCHEDULING.VOLUME',
  'SCHEDULING.PORT',
  'SCHEDULING.RESOURCES',
  'SCHEDULING.RESERVATION',
  'POOL.LIMIT',
  'SCHEDULING.MIN_VALUES',
  'SCHEDULING.ANTI_AFFINITY',
  'SCHEDULING.AFFINITY',
  'SCHEDULING.SPREAD',
]
