import { createBatchWindow } from '../shared/flows/batchWindow.ts'
import { createClusterReader } from '../shared/flows/catchUp.ts'
import { createClaimSteps } from '../shared/flows/claimSteps.ts'
import type { ClusterDeps } from '../shared/flows/clusterDeps.ts'
import { compactLog } from '../shared/flows/compactLog.ts'
import { reconcile } from '../shared/flows/reconcile.ts'
import { stepClaim } from '../shared/flows/stepClaim.ts'
import { createWakeUp } from '../shared/flows/wakeUp.ts'
import type { DurationMs } from '../shared/model/units.ts'
import type { ClusterRuntime } from './appDeps.ts'

export type RuntimeOptions = {
  readonly deps: ClusterDeps
  /** How long the batch window stays open. */
  readonly batch: { readonly idle: DurationMs; readonly max: DurationMs }
  readonly instancePrefix: string
}

/** What works on one cluster in this process, over its ports. */
export function createClusterRuntime({ deps, batch, instancePrefix }: RuntimeOptions): ClusterRuntime {
  const session = { reader: createClusterReader(deps.log), wakeUp: createWakeUp(deps) }
  const window = createBatchWindow({
    clock: deps.clock,
    ...batch,
    run: async (doorbells, signal) => {
      await reconcile(deps, session, doorbells, signal)
    },
    afterwards: (signal) => compactLog(deps, session.reader, signal),
  })
  const steps = createClaimSteps((message, signal) => stepClaim(deps, message, signal))
  return { deps, reader: session.reader, window, steps, instancePrefix }
}
