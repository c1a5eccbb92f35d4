import type { ClusterId } from '../../model/ids.ts'
import type { Doorbell } from '../../model/message.ts'
import type { EpochMs } from '../../model/units.ts'

/** A message that asks for a decision about the cluster. Changes wait for the batch window. Every other reason is urgent. */
export function doorbellOf(
  cluster: ClusterId,
  because: Doorbell['because'],
  eventAt: EpochMs,
  news: Pick<Doorbell, 'pendingPods' | 'waiting'> = {},
): Doorbell {
  return { kind: 'doorbell', cluster, because, eventAt, urgent: because !== 'changes', ...news }
}
