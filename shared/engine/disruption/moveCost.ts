/** What it costs to move the pods of a machine, in Karpenter's measure: a number without a unit, the larger the worse. */
import { POD_ANNOTATION } from '../../model/labels.ts'
import type { Pod } from '../../model/pod.ts'
import { isReschedulable } from '../pod/podPredicates.ts'

const DELETION_COST_SCALE = 2 ** 27
const PRIORITY_SCALE = 2 ** 25
const MOST = 10

/** Between -10 and 10; 1 for a pod that says nothing. An annotation that is no number counts as none. */
export function evictionCost({ annotations, priority }: Pick<Pod, 'annotations' | 'priority'>): number {
  const written = annotations[POD_ANNOTATION.deletionCost] ?? ''
  const deletionCost = INTEGER.test(written) ? Number(written) : 0
  return Math.min(MOST, Math.max(-MOST, 1 + deletionCost / DELETION_COST_SCALE + priority / PRIORITY_SCALE))
}

const INTEGER = /^[+-]?[0-9]{1,10}$/

/** One for the machine, and what each pod costs that needs another place. A pod that may gladly go costs nothing. */
export function rescheduleCost(pods: readonly Pod[]): number {
  let cost = 1
  for (const pod of pods) if (isReschedulable(pod)) cost += Math.max(0, evictionCost(pod))
  return cost
}
