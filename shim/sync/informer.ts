import type { KubeConnection } from '../../shared/kubeclient/client.ts'
import { type WatchListener, watchKube } from '../../shared/kubeclient/collections.ts'
import { statusOf } from '../../shared/kubeclient/status.ts'
import type { ObjectKind } from '../../shared/model/clusterObjects.ts'
import { createBackoff } from '../backoff.ts'
import type { Clock } from '../clock.ts'
import { readSeen } from '../karpenter/readSeen.ts'
import type { SeenObjects } from '../karpenter/seenObjects.ts'
import { KIND_PATHS } from '../kinds.ts'
import { type KubeObject, keyOf, type Listed, listObjects } from '../kube/listObjects.ts'
import type { Log } from '../log.ts'
import type { ShimMetrics } from '../metrics.ts'
import type { ChangeTracker } from './changeTracker.ts'
import { createKindStatus, type KindStatus } from './kindStatus.ts'
import type { ListSink } from './listSinks.ts'
import { DELETED, type ReducedVersion, type Reducer, reduceVersion } from './reducedVersion.ts'
import type { BufferSection } from './snapshotBuffer.ts'

export type InformerDeps = {
  readonly connection: KubeConnection
  readonly tracker: ChangeTracker
  readonly reduce: Reducer
  readonly clock: Clock
  readonly log: Log
  readonly metrics: ShimMetrics
  readonly seen: SeenObjects
}

/** Follows one kind of object. Lists of one kind never overlap: the reasoning of the change tracker depends on that. */
export interface Informer {
  /** Lists the kind into a snapshot. Retries until the list is complete. */
  listForSnapshot(seq: number, section: BufferSection, signal: AbortSignal): Promise<Listed>
  /** Watches from the resourceVersion of a list on, until the signal aborts. */
  watch(from: Listed, signal: AbortSignal): Promise<void>
  /** Why the kind cannot be watched now. Undefined if the watch is healthy or the API server does not serve the kind. */
  unreadyReason(): string | undefined
}

export function createInformer(kind: ObjectKind, deps: InformerDeps): Informer {
  const view: View = { ...deps, kind, path: KIND_PATHS[kind].path, status: createKindStatus(kind, deps) }
  let lists: Promise<unknown> = Promise.resolve()

  function alone<Value>(list: () => Promise<Value>): Promise<Value> {
    const mine = lists.then(list)
    lists = mine.catch(() => {})
    return mine
  }

  return {
    unreadyReason: view.status.unreadyReason,
    listForSnapshot(seq, section, signal) {
      return alone(() => listUntilDone(view, { sink: deps.tracker.beginSnapshotList(kind, seq, section), because: 'snapshot' }, signal))
    },
    async watch(from, signal) {
      // The waits are short: the watches of one leader are no burden for an API server, and the app sees no changes during a wait.
      const backoff = createBackoff({ first: 200, most: 2_000 })
      const absence = createBackoff({ first: 1_000, most: 5_000 })
      let version = from.kind === 'listed' ? from.resourceVersion : undefined
      if (version === undefined) await deps.clock.sleep(absence.next(), signal)
      while (!signal.aborted) {
        if (version === undefined) {
          const listed = await alone(() => listUntilDone(view, { sink: deps.tracker.beginGapList(kind), because: 'gap' }, signal))
          if (listed.kind === 'absent') {
            await deps.clock.sleep(absence.next(), signal)
            continue
          }
          absence.reset()
          version = listed.resourceVersion
        }
        const end = await watchOnce(view, version, signal)
        version = end.version
        if (end.ok) backoff.reset()
        await deps.clock.sleep(backoff.next(), signal)
      }
    },
  }
}

type View = InformerDeps & { readonly kind: ObjectKind; readonly path: string; readonly status: KindStatus }

/** The tracker is first: what is seen of a pod has the row that the tracker gives to its key. */
function takeIn(
  { kind, seen }: View,
  object: KubeObject,
  version: ReducedVersion,
  track: (key: string, version: ReducedVersion) => void,
): void {
  const key = keyOf(object)
  track(key, version)
  seen.note(kind, key, version.op === 'delete' ? undefined : readSeen(kind, object))
}

type ListInto = { readonly sink: ListSink; readonly because: 'snapshot' | 'gap' }

async function listUntilDone(view: View, { sink, because }: ListInto, signal: AbortSignal): Promise<Listed> {
  const { kind, path, status, metrics } = view
  const backoff = createBackoff({ first: 250, most: 15_000 })
  const take = (object: KubeObject) => takeIn(view, object, reduceVersion(view.reduce, kind, object), sink.add)
  for (;;) {
    try {
      metrics.lists.inc({ kind, because })
      const listed = await listObjects(view.connection, path, take, signal)
      sink.end()
      status.noteListed(listed.kind === 'listed')
      return listed
    } catch (error) {
      signal.throwIfAborted()
      sink.restart()
      status.noteUnready('list', error)
      await view.clock.sleep(backoff.next(), signal)
    }
  }
}

/** Runs one watch. Returns the version from which to go on. The version is undefined if the kind has to be listed first. */
async function watchOnce(
  view: View,
  from: string,
  signal: AbortSignal,
): Promise<{ readonly version: string | undefined; readonly ok: boolean }> {
  const { kind, path, status, metrics, log } = view
  const listener: WatchListener<KubeObject> = {
    opened: status.noteWatched,
    saw(type, object) {
      metrics.watchEvents.inc({ kind })
      const version = type === 'DELETED' ? DELETED : reduceVersion(view.reduce, kind, object)
      takeIn(view, object, version, (key) => view.tracker.see(kind, key, version))
    },
  }
  try {
    const end = await watchKube(view.connection, { path, from }, listener, signal)
    const ok = end.broke === undefined || end.version !== from
    if (end.broke === undefined) return { version: end.version, ok }
    metrics.watchBreaks.inc({ kind })
    log.info('a watch failed; it continues from its last version', { kind, because: end.broke })
    return { version: end.version, ok }
  } catch (error) {
    signal.throwIfAborted()
    metrics.watchBreaks.inc({ kind })
    const code = statusOf(error)
    if (code === 410) log.info('a watch fell too far behind; listing again', { kind })
    else status.noteUnready('watch', error)
    return code === 410 || code === 404 ? { version: undefined, ok: code === 410 } : { version: from, ok: false }
  }
}
