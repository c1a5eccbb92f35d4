import { ANNOTATION } from '../../../model/labels.ts'
import type { Pod } from '../../../model/pod.ts'
import type { EpochMs } from '../../../model/units.ts'
import type { PodDisruptionBudget } from '../../../model/workloads.ts'
import { blockingBudgets } from '../../pod/eviction.ts'
import { isDoNotDisrupt } from '../../pod/podPredicates.ts'
import type { Hold } from './explanation.ts'

/** What keeps the pod from being evicted now. The eviction API refuses every pod that several PodDisruptionBudgets select. */
export function heldBy(pod: Pod, budgets: readonly PodDisruptionBudget[], now: EpochMs): readonly Hold[] {
  const holding = blockingBudgets(pod, budgets)
  return [
    ...holding.map(({ key }): Hold => ({ kind: holding.length > 1 ? 'oneOfSeveralBudgets' : 'budget', name: key })),
    ...(isDoNotDisrupt(pod, now) ? [{ kind: 'annotation', name: ANNOTATION.doNotDisrupt } as const] : []),
  ]
}
