import { budgetsOf } from '../../../model/budgets.ts'
import { ANNOTATION } from '../../../model/labels.ts'
import type { Pod } from '../../../model/pod.ts'
import type { EpochMs } from '../../../model/units.ts'
import type { PodDisruptionBudget } from '../../../model/workloads.ts'
import { isDoNotDisrupt } from '../../pod/podPredicates.ts'
import type { Hold } from './explanation.ts'

/** What keeps a pod from being evicted now. More than one budget makes every eviction an error. */
export function heldBy(pod: Pod, budgets: readonly PodDisruptionBudget[], now: EpochMs): readonly Hold[] {
  const own = budgetsOf(pod, budgets)
  const holding = own.length > 1 ? own : own.filter(({ disruptionsAllowed }) => disruptionsAllowed <= 0)
  return [
    ...holding.map(({ key }): Hold => ({ kind: own.length > 1 ? 'oneOfSeveralBudgets' : 'budget', name: key })),
    ...(isDoNotDisrupt(pod, now) ? [{ kind: 'annotation', name: ANNOTATION.doNotDisrupt } as const] : []),
  ]
}
