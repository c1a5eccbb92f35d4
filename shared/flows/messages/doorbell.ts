import type { ClusterId } from '../../model/ids.ts'
import type { Doorbell } from '../../model/message.ts'
import type { EpochMs } from '../../model/units.ts'

/** Asks for a look at the cluster. Changes wait for the batch window; every other reason closes the window at once. */
export function doorbellOf(
  cluster: ClusterId,
  because: Doorbell['because'],
  eventAt: EpochMs,
  news: Pick<Doorbell, 'pendingPods' | 'waiting'> = {},
): Doorbell {
  return { kind: 'doorbell', cluster, because, eventAt, urgent: because !== 'changes', ...news }
}
