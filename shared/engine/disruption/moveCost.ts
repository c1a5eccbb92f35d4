/** The cost of moving the pods of a machine, in Karpenter's measure: a number without a unit. A larger cost is worse. */
import { POD_ANNOTATION } from '../../model/labels.ts'
import type { Pod } from '../../model/pod.ts'
import { isReschedulable } from '../pod/podPredicates.ts'

const DELETION_COST_SCALE = 2 ** 27
const PRIORITY_SCALE = 2 ** 25
const MOST = 10

/** The cost of evicting a pod, from -10 to 10. It is 1 without annotation and with priority 0. An annotation that is no number counts as absent. */
export function evictionCost({ annotations, priority }: Pick<Pod, 'annotations' | 'priority'>): number {
  const written = annotations[POD_ANNOTATION.deletionCost] ?? ''
  const deletionCost = INTEGER.test(written) ? Number(written) : 0
  return Math.min(MOST, Math.max(-MOST, 1 + deletionCost / DELETION_COST_SCALE + priority / PRIORITY_SCALE))
}

const INTEGER = /^[+-]?[0-9]{1,10}$/

/** 1 for the machine, plus the cost of evicting each pod that needs another place. A negative cost counts as 0. */
export function rescheduleCost(pods: readonly Pod[]): number {
  let cost = 1
  for (const pod of pods) if (isReschedulable(pod)) cost += Math.max(0, evictionCost(pod))
  return cost
}
