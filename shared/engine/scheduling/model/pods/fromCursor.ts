/** Where planning goes on after a decision whose budget did not suffice for all pods. */
import { inOrder } from '../../../../base/order.ts'
import type { ProvisioningCursor } from '../../../../model/provisioningCursor.ts'
import type { PodClass } from './podClass.ts'
import type { QueueEntry } from './queue.ts'
import { byAge, bySize } from './queueOrder.ts'

/** The order in which Karpenter looks at pods. */
export const inQueueOrder = inOrder<ProvisioningCursor>(bySize, byAge)

/** The queue from the cursor on, and then the entries before it. `movable`: the number of pods at the front whose entries may change places. */
export function fromCursor(queue: readonly QueueEntry[], cursor: ProvisioningCursor | undefined, movable: number): readonly QueueEntry[] {
  if (cursor === undefined) return queue
  const before = new Map<PodClass, number>()
  let passed = 0
  let first = 0
  let end = 0
  for (const [at, { podClass, count }] of queue.entries()) {
    if (passed >= movable) break
    passed += count
    end = at + 1
    const seen = (before.get(podClass) ?? 0) + count
    before.set(podClass, seen)
    const last = podClass.pods()[seen - 1]
    if (first === at && last !== undefined && inQueueOrder(last, cursor) < 0) first = at + 1
  }
  return first === 0 || first >= end ? queue : [...queue.slice(first, end), ...queue.slice(0, first), ...queue.slice(end)]
}
