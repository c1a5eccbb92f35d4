/** The cost of moving pods, as Karpenter counts it. */
import { POD_ANNOTATION } from '../../model/labels.ts'
import type { NodeClaim } from '../../model/nodeClaim.ts'
import type { Pod } from '../../model/pod.ts'
import type { EpochMs } from '../../model/units.ts'
import { isCostPlanned } from './deletionCost.ts'

const DELETION_COST_UNIT = 2 ** 27
const PRIORITY_UNIT = 2 ** 25
const LARGEST = 10
const WHOLE = /^[+-]?\d{1,10}$/

/**
 * From -10 to 10, and 1 for a plain pod. A higher priority or deletion cost raises it. An annotation that is no number counts as absent. So does the
 * cost that Joiner writes: otherwise a plan would make its own moves cheaper, and each decision would change the next one.
 */
export function evictionCost({ priority, annotations }: Pick<Pod, 'priority' | 'annotations'>): number {
  const written = isCostPlanned({ annotations }) ? '' : (annotations[POD_ANNOTATION.deletionCost] ?? '')
  const deletionCost = WHOLE.test(written) ? Number(written) : 0
  const cost = 1 + deletionCost / DELETION_COST_UNIT + priority / PRIORITY_UNIT
  return Math.max(-LARGEST, Math.min(LARGEST, cost))
}

/** The share of its lifetime that the machine has left, from 0 to 1. It is 1 for a machine that never expires. */
export function lifetimeRemaining({ spec, meta }: NodeClaim, now: EpochMs): number {
  const { expireAfter } = spec
  if (expireAfter === 'Never') return 1
  if (expireAfter <= 0) return 0
  return Math.max(0, Math.min(1, (expireAfter - (now - meta.createdAt)) / expireAfter))
}
