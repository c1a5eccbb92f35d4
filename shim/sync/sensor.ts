import type { ObjectKind } from '../../shared/model/clusterObjects.ts'
import { createBackoff } from '../backoff.ts'
import type { Clock } from '../clock.ts'
import { KIND_PATHS } from '../kinds.ts'
import type { KubeConnection } from '../kube/connection.ts'
import { type KubeObject, keyOf } from '../kube/kubeJson.ts'
import { type Listed, listObjects, statusOf } from '../kube/listObjects.ts'
import { watchObjects } from '../kube/watchObjects.ts'
import { type Log, textOf } from '../log.ts'
import type { ShimMetrics } from '../metrics.ts'
import type { Collector } from './collector.ts'
import type { ListSink } from './listSinks.ts'
import { DELETED, type Reducer, reduceVersion } from './reducedVersion.ts'
import type { SpoolSection } from './spool.ts'

export type SensorDeps = {
  readonly connection: KubeConnection
  readonly collector: Collector
  readonly reduce: Reducer
  readonly clock: Clock
  readonly log: Log
  readonly metrics: ShimMetrics
}

/** Follows one kind. Lists of one kind never overlap: the collector's reasoning needs that. */
export interface Sensor {
  /** Lists the kind into a snapshot. Tried until it works. */
  listForSnapshot(seq: number, section: SpoolSection, signal: AbortSignal): Promise<Listed>
  /** Watches from where a list ended, until the signal aborts. */
  watch(from: Listed, signal: AbortSignal): Promise<void>
  /** What keeps it from seeing the kind, if anything does. A kind that is not served is not a trouble. */
  trouble(): string | undefined
}

export function createSensor(kind: ObjectKind, deps: SensorDeps): Sensor {
  const { connection, collector, reduce, clock, log, metrics } = deps
  const { path } = KIND_PATHS[kind]
  let lists: Promise<unknown> = Promise.resolve()
  let trouble: string | undefined
  let served: boolean | undefined

  function noteServed(now: boolean): void {
    metrics.kindState.set({ kind }, now ? 1 : 0)
    if (served === now) return
    served = now
    if (now) log.info('watching', { kind })
    else log.warn('the API server does not serve the kind yet; asking again', { kind, path })
  }

  function noteTrouble(what: string, error: unknown): void {
    metrics.kindState.set({ kind }, 0)
    trouble = `${what} ${kind}: ${textOf(error)}`
    log.warn('cannot read the cluster; trying again', { kind, what, because: textOf(error) })
  }

  async function listUntilDone(sink: ListSink, because: string, signal: AbortSignal): Promise<Listed> {
    const backoff = createBackoff({ first: 250, most: 15_000 })
    const take = (object: KubeObject) => sink.add(keyOf(object), reduceVersion(reduce, kind, object))
    for (;;) {
      try {
        metrics.lists.inc({ kind, because })
        const listed = await listObjects(connection, path, take, signal)
        sink.end()
        noteServed(listed.kind === 'listed')
        trouble = undefined
        return listed
      } catch (error) {
        signal.throwIfAborted()
        sink.restart()
        noteTrouble('list', error)
        await clock.sleep(backoff.next(), signal)
      }
    }
  }

  function alone<Value>(list: () => Promise<Value>): Promise<Value> {
    const mine = lists.then(list)
    lists = mine.catch(() => {})
    return mine
  }

  function onEvent(type: 'ADDED' | 'MODIFIED' | 'DELETED', object: KubeObject): void {
    metrics.watchEvents.inc({ kind })
    collector.see(kind, keyOf(object), type === 'DELETED' ? DELETED : reduceVersion(reduce, kind, object))
  }

  /** One watch; answers where to go on, or undefined when only a list can tell. */
  async function watchOnce(from: string, signal: AbortSignal): Promise<{ readonly version: string | undefined; readonly ok: boolean }> {
    try {
      const end = await watchObjects(connection, { path, from }, onEvent, signal)
      if (end.broke === undefined) return { version: end.version, ok: true }
      metrics.watchBreaks.inc({ kind })
      log.info('a watch broke; going on where it was', { kind, because: end.broke })
      return { version: end.version, ok: end.version !== from }
    } catch (error) {
      signal.throwIfAborted()
      metrics.watchBreaks.inc({ kind })
      const status = statusOf(error)
      if (status === 410) log.info('a watch fell too far behind; listing again', { kind })
      else noteTrouble('watch', error)
      return status === 410 || status === 404 ? { version: undefined, ok: status === 410 } : { version: from, ok: false }
    }
  }

  return {
    trouble: () => trouble,
    listForSnapshot(seq, section, signal) {
      return alone(() => listUntilDone(collector.beginSnapshotList(kind, seq, section), 'snapshot', signal))
    },
    async watch(from, signal) {
      const backoff = createBackoff({ first: 200, most: 15_000 })
      const absence = createBackoff({ first: 1_000, most: 5_000 })
      let version = from.kind === 'listed' ? from.resourceVersion : undefined
      if (version === undefined) await clock.sleep(absence.next(), signal)
      while (!signal.aborted) {
        if (version === undefined) {
          const listed = await alone(() => listUntilDone(collector.beginGapList(kind), 'gap', signal))
          if (listed.kind === 'absent') {
            await clock.sleep(absence.next(), signal)
            continue
          }
          absence.reset()
          version = listed.resourceVersion
        }
        const end = await watchOnce(version, signal)
        version = end.version
        if (end.ok) {
          trouble = undefined
          backoff.reset()
        }
        await clock.sleep(backoff.next(), signal)
      }
    },
  }
}
