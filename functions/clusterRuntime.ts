import { createAskedLooks } from '../shared/flows/askedLooks.ts'
import { createBatchWindow } from '../shared/flows/batchWindow.ts'
import { createClusterReader } from '../shared/flows/catchUp.ts'
import { createClaimSteps } from '../shared/flows/claimSteps.ts'
import type { ClusterDeps } from '../shared/flows/clusterDeps.ts'
import { compactLog } from '../shared/flows/compactLog.ts'
import { createDecisionCheck } from '../shared/flows/decisionCheck.ts'
import { createDispatch, type DispatchOptions, type Workers } from '../shared/flows/dispatch.ts'
import type { LoadedClusters } from '../shared/flows/loadedClusters.ts'
import { reconcile } from '../shared/flows/reconcile.ts'
import { createSeenClaims } from '../shared/flows/seenClaims.ts'
import { createSnapshotWanted } from '../shared/flows/snapshotWanted.ts'
import { stepClaim } from '../shared/flows/stepClaim.ts'
import { createWakeUp } from '../shared/flows/wakeUp.ts'
import type { DurationMs } from '../shared/model/units.ts'
import type { StoredQueue } from '../shared/ports/workQueue.ts'
import type { ClusterRuntime } from './appDeps.ts'

export type RuntimeOptions = {
  readonly deps: ClusterDeps & { readonly queue: StoredQueue }
  /** How long the batch window stays open. */
  readonly batch: { readonly idle: DurationMs; readonly max: DurationMs }
  readonly instancePrefix: string
  /** What this process holds of all its clusters. */
  readonly loaded?: LoadedClusters
  /** Each so many decisions one is made again from scratch and compared; 0: none. */
  readonly checkEvery?: number
  /** How messages are worked on at once, in this process. Absent: they wait for a host that looks at the queue. */
  readonly dispatch?: Pick<DispatchOptions, 'budget' | 'over' | 'afterwards'>
}

/** What works on one cluster in this process, over its ports. */
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
    step: (message, signal) => steps.step(message, signal),
  }
  const deps: ClusterDeps = dispatch === undefined ? given : { ...given, queue: createDispatch({ ...given, ...dispatch, workers }) }
  const session = { reader: createClusterReader(deps.log, loaded), wakeUp: createWakeUp(deps), check: createDecisionCheck(checkEvery) }
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
