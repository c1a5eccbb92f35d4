import { settle } from '../../base/bounded.ts'
import type { ClusterEvent } from '../../model/decision.ts'
import type { AbortSignalLike } from '../../ports/clock.ts'
import type { ClusterApi } from '../../ports/clusterApi.ts'
import type { ClusterDeps } from '../deps/clusterDeps.ts'

/** The most Events written at a time: a small part of the calls that the process may make, since claims and nodes are written as well. */
const AT_ONCE = 2
/** The most Events that wait. More wait only if the API server is away for long. Then the oldest are dropped, which matter least. */
const MOST_WAITING = 1_000

export type RecorderOptions = Pick<ClusterDeps, 'cluster' | 'telemetry'> & {
  /** Returns a signal that aborts after the time that one write may take. */
  readonly budget: () => AbortSignalLike
}

/**
 * The given API with Events written in the background, so that a flow does not wait for them. When the process ends, Events that are not written yet
 * are lost, and so are the counts that depend on them. No decision depends on an Event.
 */
export function withEventRecorder<Api extends Pick<ClusterApi, 'publish'>>(api: Api, { cluster, telemetry, budget }: RecorderOptions): Api {
  const waiting: { readonly event: ClusterEvent; readonly onFirstPublish: (() => void) | undefined }[] = []
  let writers = 0
  let lost = 0

  async function writeAll(): Promise<void> {
    writers++
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const { event, onFirstPublish } = next
      const outcome = await settle(() => api.publish(event, budget(), onFirstPublish))
      if (!outcome.ok) telemetry.warn('an event was not written', { cluster, code: 'KUBE.FAILED', because: String(outcome.error) })
    }
    writers--
    if (writers > 0 || lost === 0) return
    telemetry.warn(`${lost} events were not written: the API server was unreachable for too long`, { cluster, code: 'KUBE.FAILED' })
    lost = 0
  }

  return {
    ...api,
    publish: (event: ClusterEvent, _signal: AbortSignalLike, onFirstPublish?: () => void) => {
      waiting.push({ event, onFirstPublish })
      if (waiting.length > MOST_WAITING) {
        // The Event is dropped, so nothing shows that another process created it before. It is counted.
        waiting.shift()?.onFirstPublish?.()
        lost++
      }
      if (writers < AT_ONCE) void writeAll()
      return Promise.resolve()
    },
  }
}
