import { createDecisionCheck } from '../shared/flows/decide/decisionContext.ts'
import { reconcile } from '../shared/flows/decide/reconcile.ts'
import type { ClusterDeps } from '../shared/flows/deps/clusterDeps.ts'
import { createFreshEnds } from '../shared/flows/deps/freshEnds.ts'
import { createLaunchLocks } from '../shared/flows/deps/launchLocks.ts'
import { createFirstTries, offeringsFor, withQuotaInFlight, withRecentReads } from '../shared/flows/deps/recentOfferings.ts'
import { leaveLaunch } from '../shared/flows/lifecycle/launchClaim.ts'
import { createSeenClaims } from '../shared/flows/lifecycle/observeKnown.ts'
import { reportFailing } from '../shared/flows/lifecycle/reportRemoved.ts'
import { stepClaim } from '../shared/flows/lifecycle/stepClaim.ts'
import { createRecentNodes } from '../shared/flows/queue/claimRequests.ts'
import { createClusterReader } from '../shared/flows/state/catchUp.ts'
import { createClusterStateReader } from '../shared/flows/state/clusterStateReader.ts'
import type { LoadedClusters } from '../shared/flows/state/decider.ts'
import { compactLog } from '../shared/flows/state/ingestEvents.ts'
import { createSnapshotRequestReader } from '../shared/flows/state/snapshotRequestReader.ts'
import type { ClusterRuntime } from './appDeps.ts'
import { createAttendance } from './attendance.ts'
import type { ClusterWork } from './clusterWork.ts'
import { workBudget } from './deadline.ts'

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
