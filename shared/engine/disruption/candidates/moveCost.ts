/** The cost of moving the pods of a machine, in Karpenter's measure: a number without a unit. A larger cost is worse. */
import type { Pod } from '../../../model/pod.ts'
import { evictionCost } from '../../pod/evictionCost.ts'
import { isReschedulable } from '../../pod/podPredicates.ts'

/** 1 for the machine, plus the cost of evicting each pod that needs another place. A negative cost counts as 0. */
export function rescheduleCost(pods: readonly Pod[]): number {
  let cost = 1
  for (const pod of pods) if (isReschedulable(pod)) cost += Math.max(0, evictionCost(pod))
  return cost
}
