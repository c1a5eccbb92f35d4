import { InternalError } from '../shared/base/internalError.ts'
import { type ClusterQueueOptions, createClusterQueue } from '../shared/flows/queue/clusterQueue.ts'
import { type HandOverOptions, handOver } from '../shared/flows/queue/handOver.ts'
import { createWorker, runWork, type Workers } from '../shared/flows/queue/runWork.ts'
import type { ClusterId } from '../shared/model/ids.ts'
import type { AbortSignalLike, Clock } from '../shared/ports/clock.ts'
import type { Telemetry } from '../shared/ports/telemetry.ts'
import type { WakeQueue } from '../shared/ports/wakeQueue.ts'
import { type Cover, createCover } from './cover.ts'

/** What works on a cluster, and what it leaves when the process ends. */
type RuntimeWorkers = Workers & Pick<HandOverOptions, 'leave'>

/** The work of one cluster in this process, for as long as the process lives. */
export interface ClusterWork {
  readonly cover: Cover
  /** Sets what works on the keys from now on. */
  use(workers: RuntimeWorkers): void
  /** Runs the keys until the process ends. Without it, they wait. */
  start(options: StartOptions): void
}

export type StartOptions = {
  readonly telemetry: Telemetry
  readonly wakes: WakeQueue
  /** Returns a signal that aborts after the time that one run may take. */
  readonly budget: () => AbortSignalLike
  /** Aborts when the process ends. */
  readonly over: AbortSignalLike
  /** Called with a promise of what the process must do before it ends. */
  readonly handedOver: (leaving: Promise<unknown>) => void
  /** Called after each run. */
  readonly afterwards?: () => void
}

export function createClusterWork(cluster: ClusterId, { clock, batch }: ClusterQueueOptions & { readonly clock: Clock }): ClusterWork {
  const queue = createClusterQueue({ clock, batch })
  const cover = createCover(clock, queue)
  let used: RuntimeWorkers | undefined

  function workers(): RuntimeWorkers {
    if (used === undefined) throw new InternalError(`cluster ${cluster} has work and no workers`)
    return used
  }

  return {
    cover,
    use(next) {
      used = next
    },
    start({ telemetry, wakes, budget, over, handedOver, ...more }) {
      const work = createWorker({ cluster, queue, telemetry, workers, budget, ...more })
      void runWork({ queue, clock, work, isOpen: cover.isOpen, mayBegin: cover.mayBegin })
      const leave: HandOverOptions['leave'] = (request, signal) => workers().leave(request, signal)
      const end = (): void => handedOver(handOver({ cluster, queue, wakes, clock, telemetry, budget, leave }))
      over.addEventListener('abort', end, { once: true })
    },
  }
}
