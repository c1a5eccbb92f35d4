import { textOf } from '../shared/base/result.ts'
import type { KubeConnection } from '../shared/kubeclient/client.ts'
import { OBJECT_KINDS } from '../shared/model/clusterObjects.ts'
import { aborted } from './aborted.ts'
import type { Clock } from './clock.ts'
import { metricsText } from './karpenter/metricsText.ts'
import { createSeenObjects } from './karpenter/seenObjects.ts'
import type { Listed } from './kube/listObjects.ts'
import type { Log } from './log.ts'
import { noteSizes, type ShimMetrics } from './metrics.ts'
import type { PostEnvelope } from './post/postEnvelope.ts'
import { createPoster } from './post/poster.ts'
import { createSnapshots } from './post/snapshots.ts'
import { createChangeTracker } from './sync/changeTracker.ts'
import { createInformer, type Informer } from './sync/informer.ts'
import type { BatchLimits } from './sync/outbox.ts'
import type { Reducer } from './sync/reducedVersion.ts'
import { createWakeSignal } from './sync/wakeSignal.ts'

export type ForwarderDeps = {
  readonly connection: KubeConnection
  readonly post: PostEnvelope
  readonly reduce: Reducer
  readonly clock: Clock
  readonly log: Log
  readonly metrics: ShimMetrics
}

export type ForwarderOptions = {
  readonly cluster: string
  /** The number of the lists of kept paths that objects are reduced by. */
  readonly kept: number
  readonly windowMs: number
  readonly resendMs: number
  readonly limits: BatchLimits
  /** When more characters than this are unsent, a fresh snapshot is cheaper than keeping them. */
  readonly mostUnsent: number
  /**
   * The app keeps asking until it has read the snapshot. For this many milliseconds after a snapshot, further requests are taken as answered by it.
   */
  readonly snapshotPauseMs: number
  /** Called when the app follows a later term than this one. */
  readonly onOutdated: (newestTerm: number) => void
  /** Called when the app tells its lists of kept paths. */
  readonly onTold: (told: unknown) => void
}

/** One term of leadership: a snapshot, then every change, until the term ends. */
export interface Term {
  /** Resolves when the term's signal aborts. */
  readonly ended: Promise<void>
  /** Stops watching and posts the unsent changes, until the signal aborts. */
  finish(signal: AbortSignal): Promise<void>
  isSynced(): boolean
  /** The metrics of Karpenter as text, in pieces. */
  karpenterMetrics(): Iterable<string>
  unreadyReasons(): readonly string[]
}

export function startTerm(term: number, deps: ForwarderDeps, options: ForwarderOptions, lost: AbortSignal): Term {
  const { clock, log, metrics } = deps
  const stopWatching = new AbortController()
  const stopPosting = new AbortController()
  const watching = AbortSignal.any([lost, stopWatching.signal])
  const posting = AbortSignal.any([lost, stopPosting.signal])
  const wakeSignal = createWakeSignal(clock)

  const tracker = createChangeTracker({ now: clock.now, onUnsent })
  const seen = createSeenObjects(clock.now(), tracker.rowsOf('pod'))
  const informers = new Map(OBJECT_KINDS.map((kind) => [kind, createInformer(kind, { ...deps, tracker, seen })]))
  const poster = createPoster(
    { ...deps, tracker, wakeSignal },
    { ...options, term, onSnapshotRequest: (because) => snapshots.want(because) },
  )
  const snapshots = createSnapshots({ ...deps, tracker, informers: [...informers.values()], poster }, options)

  function onUnsent(): void {
    noteSizes(metrics, tracker)
    wakeSignal.notify()
    if (tracker.unsentLength <= options.mostUnsent) return
    tracker.dropUnsent()
    metrics.overflows.inc()
    log.warn('too many changes are unsent; a snapshot will replace them', { limit: options.mostUnsent })
    snapshots.need('changes were dropped while the app was away')
  }

  const broken: string[] = []
  const untilAborted = (loop: Promise<void>): Promise<void> =>
    loop.catch((error: unknown) => {
      if (isAbort(error)) return
      log.error('a loop failed', { because: textOf(error) })
      broken.push(`a loop of the shim failed, restart its pod: ${textOf(error)}`)
    })
  const watches: Promise<void>[] = []
  const posts = untilAborted(poster.run(posting))
  const follow = (informer: Informer, listed: Listed) => void watches.push(untilAborted(informer.watch(listed, watching)))
  const serving = untilAborted(snapshots.serve(follow, watching))
  const ended = Promise.all([posts, serving]).then(() => Promise.all(watches).then(() => {}))
  return {
    ended,
    isSynced: snapshots.isSynced,
    karpenterMetrics() {
      seen.keepOnly(tracker.isKnown)
      return metricsText(seen)
    },
    unreadyReasons: () =>
      [...broken, poster.unreadyReason(), ...[...informers.values()].map((informer) => informer.unreadyReason())].filter(
        (each) => each !== undefined,
      ),
    async finish(until) {
      stopWatching.abort(STOPPED)
      if (snapshots.isSynced()) await Promise.race([poster.idle(), aborted(until), posts])
      stopPosting.abort(STOPPED)
      await ended
    },
  }
}

const STOPPED = new DOMException('the term is over', 'AbortError')

/** A loop ends by an abort. Any other end is a bug. */
function isAbort(reason: unknown): boolean {
  return reason instanceof DOMException && reason.name === 'AbortError'
}
