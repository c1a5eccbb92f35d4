import { settle } from '../../base/bounded.ts'
import type { ClusterEvent } from '../../model/decision.ts'
import type { AbortSignalLike } from '../../ports/clock.ts'
import type { ClusterApi } from '../../ports/clusterApi.ts'
import type { ClusterDeps } from '../deps/clusterDeps.ts'

/** A small part of what the process may ask of the API server at a time: claims and nodes are written beside them. */
const AT_ONCE = 2
/** More waits only where the API server is away for long, and then what came first is of least interest. */
const MOST_WAITING = 1_000

export type RecorderOptions = Pick<ClusterDeps, 'cluster' | 'telemetry'> & {
  /** The time that writing one may take. */
  readonly budget: () => AbortSignalLike
}

/**
 * The same API, but Events are written in the background: a flow that publishes an Event does not wait for the API server. A process that ends loses
 * the Events that are not written yet, and what is counted by them. No decision depends on an Event.
 */
export function withEventRecorder<Api extends Pick<ClusterApi, 'publish'>>(api: Api, { cluster, telemetry, budget }: RecorderOptions): Api {
  const waiting: { readonly event: ClusterEvent; readonly unlessSaid: (() => void) | undefined }[] = []
  let writers = 0
  let lost = 0

  async function writeAll(): Promise<void> {
    writers++
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const { event, unlessSaid } = next
      const outcome = await settle(() => api.publish(event, budget(), unlessSaid))
      if (!outcome.ok) telemetry.warn('an event was not written', { cluster, code: 'KUBE.FAILED', because: String(outcome.error) })
    }
    writers--
    if (writers > 0 || lost === 0) return
    telemetry.warn(`${lost} events were not written: the API server was away for too long`, { cluster, code: 'KUBE.FAILED' })
    lost = 0
  }

  return {
    ...api,
    publish: (event: ClusterEvent, _signal: AbortSignalLike, unlessSaid?: () => void) => {
      waiting.push({ event, unlessSaid })
      if (waiting.length > MOST_WAITING) {
        // The Event is never sent, so that no other process is known to have created it.
        waiting.shift()?.unlessSaid?.()
        lost++
      }
      if (writers < AT_ONCE) void writeAll()
      return Promise.resolve()
    },
  }
}
