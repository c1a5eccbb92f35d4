import { createDecisionCheck } from '../shared/flows/decide/decisionCheck.ts'
import { reconcile } from '../shared/flows/decide/reconcile.ts'
import type { ClusterDeps } from '../shared/flows/deps/clusterDeps.ts'
import { createFirstTries } from '../shared/flows/deps/firstTries.ts'
import { createFreshEnds } from '../shared/flows/deps/freshEnds.ts'
import { createLaunchLocks } from '../shared/flows/deps/launchLocks.ts'
import { offeringsFor, withQuotaInFlight, withRecentReads } from '../shared/flows/deps/recentOfferings.ts'
import { createClaimSteps } from '../shared/flows/lifecycle/claimSteps.ts'
import { isInitializedOrGone } from '../shared/flows/lifecycle/followUp.ts'
import { leaveLaunch } from '../shared/flows/lifecycle/launchLock.ts'
import { reportFailing } from '../shared/flows/lifecycle/reportFailed.ts'
import { createSeenClaims } from '../shared/flows/lifecycle/seenClaims.ts'
import { stepClaim } from '../shared/flows/lifecycle/stepClaim.ts'
import { createBatchWindow } from '../shared/flows/messages/batchWindow.ts'
import { createDispatch, type DispatchOptions, type Workers } from '../shared/flows/messages/dispatch.ts'
import { createRequestedReconciles } from '../shared/flows/messages/requestedReconciles.ts'
import { createWakeUp } from '../shared/flows/messages/wakeUp.ts'
import { createClusterReader } from '../shared/flows/state/catchUp.ts'
import { createClusterStateReader } from '../shared/flows/state/clusterStateReader.ts'
import { compactLog } from '../shared/flows/state/compactLog.ts'
import type { LoadedClusters } from '../shared/flows/state/loadedClusters.ts'
import { createSnapshotRequestReader } from '../shared/flows/state/snapshotRequestReader.ts'
import type { DurationMs } from '../shared/model/units.ts'
import type { ClusterRuntime } from './appDeps.ts'
import { createAttendance } from './attendance.ts'
import { type Cover, createCover } from './cover.ts'
import { workBudget } from './deadline.ts'

export type RuntimeOptions = {
  readonly deps: ClusterDeps
  /** Durations of the batch window. */
  readonly batch: { readonly idle: DurationMs; readonly max: DurationMs }
  readonly instancePrefix: string
  /** The open invocations of the cluster. Undefined: one of its own. Runtimes of one cluster share it. */
  readonly cover?: Cover
  /** The loaded state of all clusters in this process. */
  readonly loaded?: LoadedClusters
  /** After this many decisions, one is repeated from scratch and compared. 0: none. */
  readonly checkEvery?: number
  /** How this process works on messages at once. Undefined: messages wait in the queue for a host. */
  readonly dispatch?: Pick<DispatchOptions, 'budget' | 'over' | 'afterwards' | 'handedOver'>
}

/** Creates what works on one cluster in this process, over its ports. */
export function createClusterRuntime({
  deps: given,
  batch,
  instancePrefix,
  loaded,
  checkEvery = 0,
  dispatch,
  cover = createCover(given.clock),
}: RuntimeOptions): ClusterRuntime {
  const workers: Workers = {
    joinOpen: (doorbell) => window.joinOpen(doorbell),
    reconcile: (doorbell, signal) => window.join(doorbell, signal),
    step: async (message, signal) => isInitializedOrGone(await steps.step(message, signal)),
    leave: (message, signal) => leaveLaunch(deps, message, signal),
  }
  const gaveUp: DispatchOptions['gaveUp'] = (message, thrown) => reportFailing(deps, message, thrown, workBudget())
  const reader = createClusterReader(given.log, loaded)
  const queue = dispatch === undefined ? given.queue : createDispatch({ ...given, ...dispatch, ...heldBy(cover), workers, gaveUp })
  const launchLocks = dispatch === undefined ? {} : { launchLocks: createLaunchLocks(), freshEnds: createFreshEnds() }
  const seen = createSeenClaims()
  const offerings = withQuotaInFlight(withRecentReads(offeringsFor(given.cluster, given.offerings)), given.catalog)
  const readClusterState = createClusterStateReader(reader, given.clock)
  const firstTries = createFirstTries()
  const deps: ClusterDeps = { ...given, ...launchLocks, firstTries, queue, offerings, readClusterState, lastSeen: seen.get }
  const session = { reader, wakeUp: createWakeUp(deps), check: createDecisionCheck(checkEvery) }
  const window = createBatchWindow({
    clock: deps.clock,
    ...batch,
    run: async (doorbells, signal) => {
      await reconcile(deps, session, doorbells, signal)
    },
    async afterwards(signal) {
      await compactLog(deps, session.reader, signal)
      session.check.run(deps, session.reader)
    },
  })
  const steps = createClaimSteps((message, signal) => stepClaim(deps, message, signal, seen))
  const [asked, wanted] = [createRequestedReconciles(deps.clock), createSnapshotRequestReader(deps.log, deps.clock)]
  return { deps, reader: session.reader, window, steps, asked, wanted, instancePrefix, cover, attendance: createAttendance(deps.clock) }
}

function heldBy({ inHand, mayBegin }: Cover): Pick<DispatchOptions, 'inHand' | 'mayBegin'> {
  return { inHand, mayBegin }
}
