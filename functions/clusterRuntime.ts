import { settle } from '../shared/base/concurrency.ts'
import { InternalError } from '../shared/base/result.ts'
import { createDecisionCheck } from '../shared/flows/decide/decisionContext.ts'
import { reconcile } from '../shared/flows/decide/reconcile.ts'
import { type ClusterDeps, createLaunchLocks } from '../shared/flows/deps/clusterDeps.ts'
import { createFirstTries } from '../shared/flows/deps/firstTries.ts'
import { createFreshEnds } from '../shared/flows/deps/freshEnds.ts'
import { offeringsFor, withQuotaInFlight, withRecentReads } from '../shared/flows/deps/recentOfferings.ts'
import { leaveLaunch } from '../shared/flows/lifecycle/launchClaim.ts'
import { createSeenClaims } from '../shared/flows/lifecycle/observeKnown.ts'
import { reportFailing } from '../shared/flows/lifecycle/reportRemoved.ts'
import { stepClaim } from '../shared/flows/lifecycle/stepClaim.ts'
import { createRecentNodes } from '../shared/flows/queue/claimRequests.ts'
import { type ClusterQueueOptions, createClusterQueue } from '../shared/flows/queue/clusterQueue.ts'
import { createWorker, type HandOverOptions, handOver, runWork, type Workers } from '../shared/flows/queue/runWork.ts'
import { type ClusterReader, createClusterReader } from '../shared/flows/state/catchUp.ts'
import { createClusterStateReader } from '../shared/flows/state/clusterStateReader.ts'
import type { LoadedClusters } from '../shared/flows/state/decider.ts'
import { compactLog } from '../shared/flows/state/ingestEvents.ts'
import { createSnapshotRequestReader } from '../shared/flows/state/snapshotRequest.ts'
import { resync } from '../shared/flows/sweep/resync.ts'
import type { ClusterId } from '../shared/model/ids.ts'
import { Fault } from '../shared/model/problem.ts'
import type { AbortSignalLike, Clock } from '../shared/ports/clock.ts'
import type { Telemetry } from '../shared/ports/telemetry.ts'
import type { WakeQueue } from '../shared/ports/wakeQueue.ts'
import { parseWake } from '../shared/wire/wake.ts'
import type { AppDeps, ClusterRuntime } from './appDeps.ts'
import { createAttendance } from './attendance.ts'
import { type Cover, createCover } from './cover.ts'
import { workBudget } from './deadline.ts'
import type { FunctionApp } from './functionApp.ts'
import { WAKE_QUEUE } from './queueNames.ts'

export type RuntimeOptions = {
  /** The ports. The work queue is that of `cover`. */
  readonly deps: Omit<ClusterDeps, 'queue'>
  readonly instancePrefix: string
  /** The work of the cluster in this process, and its open invocations. Runtimes of one cluster share them: the latest one works. */
  readonly work: ClusterWork
  /** The loaded state of all clusters in this process. */
  readonly loaded?: LoadedClusters
  /** After this many decisions, one is repeated from scratch and compared. 0: none. */
  readonly checkEvery?: number
}

/** Creates what works on one cluster in this process, over its ports. */
export function createClusterRuntime({ deps: given, instancePrefix, loaded, checkEvery = 0, work }: RuntimeOptions): ClusterRuntime {
  const { cover } = work
  const reader = createClusterReader(given.log, loaded)
  const seen = createSeenClaims()
  const deps: ClusterDeps = {
    ...given,
    queue: cover.queue,
    launchLocks: createLaunchLocks(),
    freshEnds: createFreshEnds(),
    firstTries: createFirstTries(),
    offerings: withQuotaInFlight(withRecentReads(offeringsFor(given.cluster, given.offerings)), given.catalog),
    readClusterState: createClusterStateReader(reader, given.clock),
    lastSeen: seen.get,
  }
  const session = { reader, check: createDecisionCheck(checkEvery) }
  work.use({
    async decide(requests, signal) {
      try {
        await reconcile(deps, session, requests, signal)
      } finally {
        cover.queue.compact()
      }
    },
    async compact(signal) {
      await compactLog(deps, reader, signal)
      session.check.run(deps, reader)
    },
    step: (request, signal) => stepClaim(deps, request, signal, seen),
    failing: (failed, thrown) => reportFailing(deps, failed, thrown, workBudget()),
    leave: (request, signal) => leaveLaunch(deps, request, signal),
    receive: reader.receive,
  })
  const [asked, wanted] = [createRecentNodes(deps.clock), createSnapshotRequestReader(deps.log, deps.clock)]
  return {
    deps,
    reader: { ...reader, receive: work.receive },
    asked,
    wanted,
    instancePrefix,
    cover,
    attendance: createAttendance(deps.clock),
  }
}

/** What works on a cluster, what it leaves when the process ends, and what takes the records that this process has appended. */
type RuntimeWorkers = Workers & Pick<HandOverOptions, 'leave'> & Pick<ClusterReader, 'receive'>

/** The work of one cluster in this process, for as long as the process lives. */
export interface ClusterWork {
  readonly cover: Cover
  /** Sets what works on the keys from now on. */
  use(workers: RuntimeWorkers): void
  /** Hands a record to what works now. An invocation may have begun with workers that others have replaced since. */
  readonly receive: ClusterReader['receive']
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
    receive: (record, appended) => workers().receive(record, appended),
    start({ telemetry, wakes, budget, over, handedOver, ...more }) {
      const work = createWorker({ cluster, queue, telemetry, workers, budget, ...more })
      void runWork({ queue, clock, work, isOpen: cover.isOpen, mayBegin: cover.mayBegin })
      const leave: HandOverOptions['leave'] = (request, signal) => workers().leave(request, signal)
      const end = (): void => handedOver(handOver({ cluster, queue, wakes, clock, telemetry, budget, leave }))
      over.addEventListener('abort', end, { once: true })
    },
  }
}

/**
 * Queue: a process has ended and left work of a cluster. The work is found in the cluster, and done while this invocation is open. A message is never
 * tried again: the timer finds the work, too.
 */
export function registerWake(app: FunctionApp, deps: AppDeps): void {
  app.storageQueue('wake', {
    queueName: WAKE_QUEUE,
    connection: 'AzureWebJobsStorage',
    async handler(message) {
      const woken = await settle(() => wake(deps, message))
      if (woken.ok) return
      const code = woken.error instanceof Fault ? { code: woken.error.problem.code } : {}
      deps.telemetry.warn(`work of a process that ended is left to the timer: ${String(woken.error)}`, code)
    },
  })
}

async function wake(deps: AppDeps, message: unknown): Promise<void> {
  const parsed = parseWake(message)
  if (!parsed.ok) throw new Fault(`read a message of queue ${WAKE_QUEUE}`, parsed.error)
  const { cluster } = parsed.value
  const gate = deps.clusters.get(cluster)
  if (gate === undefined) {
    const text = `a message of queue ${WAKE_QUEUE} is about cluster ${cluster}, which is not configured here`
    return deps.telemetry.warn(text, { code: 'INPUT.UNKNOWN_CLUSTER' })
  }
  const signal = workBudget()
  const { cover, deps: ofCluster } = await gate.open(signal)
  await cover.during(() => resync(ofCluster, signal))
}
