import { createDecisionCheck } from '../shared/flows/decide/decisionCheck.ts'
import { reconcile } from '../shared/flows/decide/reconcile.ts'
import type { ClusterDeps } from '../shared/flows/deps/clusterDeps.ts'
import { createLaunchLocks } from '../shared/flows/deps/launchLocks.ts'
import { createClaimSteps } from '../shared/flows/lifecycle/claimSteps.ts'
import { hasComeInOrGone } from '../shared/flows/lifecycle/followUp.ts'
import { createSeenClaims } from '../shared/flows/lifecycle/seenClaims.ts'
import { stepClaim } from '../shared/flows/lifecycle/stepClaim.ts'
import { createAskedLooks } from '../shared/flows/messages/askedLooks.ts'
import { createBatchWindow } from '../shared/flows/messages/batchWindow.ts'
import { createDispatch, type DispatchOptions, type Workers } from '../shared/flows/messages/dispatch.ts'
import { createWakeUp } from '../shared/flows/messages/wakeUp.ts'
import { createClusterReader } from '../shared/flows/state/catchUp.ts'
import { compactLog } from '../shared/flows/state/compactLog.ts'
import type { LoadedClusters } from '../shared/flows/state/loadedClusters.ts'
import { createPicture } from '../shared/flows/state/picture.ts'
import { createSnapshotWanted } from '../shared/flows/state/snapshotWanted.ts'
import type { DurationMs } from '../shared/model/units.ts'
import type { ClusterRuntime } from './appDeps.ts'

export type RuntimeOptions = {
  readonly deps: ClusterDeps
  /** Durations of the batch window. */
  readonly batch: { readonly idle: DurationMs; readonly max: DurationMs }
  readonly instancePrefix: string
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
}: RuntimeOptions): ClusterRuntime {
  const workers: Workers = {
    joinOpen: (doorbell) => window.joinOpen(doorbell),
    reconcile: (doorbell, signal) => window.join(doorbell, signal),
    step: async (message, signal) => hasComeInOrGone(await steps.step(message, signal)),
  }
  const reader = createClusterReader(given.log, loaded)
  const queue = dispatch === undefined ? given.queue : createDispatch({ ...given, ...dispatch, workers })
  const launchLocks = dispatch === undefined ? {} : { launchLocks: createLaunchLocks() }
  const deps: ClusterDeps = { ...given, ...launchLocks, queue, picture: createPicture(reader, given.clock) }
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
  const seen = createSeenClaims()
  const steps = createClaimSteps((message, signal) => stepClaim(deps, message, signal, seen))
  const [asked, wanted] = [createAskedLooks(deps.clock), createSnapshotWanted(deps.log, deps.clock)]
  return { deps, reader: session.reader, window, steps, asked, wanted, instancePrefix }
}
