import { mapBounded, settle } from '../../base/bounded.ts'
import type { ClusterId } from '../../model/ids.ts'
import { Fault } from '../../model/problem.ts'
import type { ClaimRequest } from '../../model/work.ts'
import type { AbortSignalLike, Clock } from '../../ports/clock.ts'
import type { Telemetry } from '../../ports/telemetry.ts'
import type { WakeQueue } from '../../ports/wakeQueue.ts'
import type { ClusterQueue } from './clusterQueue.ts'

export type HandOverOptions = {
  readonly cluster: ClusterId
  readonly queue: ClusterQueue
  readonly wakes: WakeQueue
  readonly clock: Clock
  readonly telemetry: Telemetry
  readonly budget: () => AbortSignalLike
  /** Leaves a claim whose run has not begun to another process. */
  readonly leave: (request: ClaimRequest, signal: AbortSignalLike) => Promise<unknown>
}

/** The longest time in which claims are left. The process that ends has little time. */
const LEAVING_MS = 500
const AT_ONCE = 16

/**
 * Ends the work of this process for a cluster, and wakes another process if any is left, which finds it in the cluster. Work that a run under way adds from
 * then on is found by the other process, too, or else by the timer. Never rejects.
 */
export async function handOver({ cluster, queue, wakes, clock, telemetry, budget, leave }: HandOverOptions): Promise<void> {
  queue.shutDown()
  if (queue.size() === 0) return
  const isDone = new AbortController()
  const timeOut = settle(() => clock.sleep(LEAVING_MS, isDone.signal))
  await Promise.race([timeOut, settle(() => mapBounded(queue.waiting(), AT_ONCE, (request) => settle(() => leave(request, budget()))))])
  isDone.abort()
  const sent = await settle(() => wakes.wake(cluster, budget()))
  if (sent.ok) return
  const code = sent.error instanceof Fault ? { code: sent.error.problem.code } : {}
  telemetry.warn(`work of ${cluster} is left to the timer: ${String(sent.error)}`, { cluster, ...code })
}
