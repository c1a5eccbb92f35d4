/** Runs the app's lifecycle steps in the process of a command, for claims that are being deleted, in case the app is dead. */
import { InternalError } from '../../shared/base/result.ts'
import type { ClusterDeps } from '../../shared/flows/deps/clusterDeps.ts'
import { reconcileClaim } from '../../shared/flows/lifecycle/stepClaim.ts'
import { claimRequest } from '../../shared/flows/queue/claimRequests.ts'
import type { DecisionSettings } from '../../shared/model/clusterSnapshot.ts'
import type { NodeClaimName } from '../../shared/model/ids.ts'
import { durationMs } from '../../shared/model/units.ts'
import type { Clock } from '../../shared/ports/clock.ts'
import type { Telemetry } from '../../shared/ports/telemetry.ts'
import type { DownCluster } from './downCluster.ts'

/** Stands for dependencies of decisions and launches, which the end of a claim does not use. */
function unasked(): never {
  throw new InternalError('the end of a nodeclaim needs no decision, no catalog and no storage')
}

const SETTINGS: Omit<DecisionSettings, 'machineNames'> = {
  minValuesPolicy: 'Strict',
  preferencePolicy: 'Respect',
  placement: 'price',
  defaultSpread: [],
  maxInstanceTypes: 1,
  launchTimeout: durationMs(0),
  registrationTimeout: durationMs(0),
}

export function stepInOwnProcess({ clock, telemetry }: { readonly clock: Clock; readonly telemetry: Telemetry }) {
  return async (cluster: DownCluster, claim: NodeClaimName, signal: AbortSignal): Promise<void> => {
    const deps: ClusterDeps = {
      ...WITHOUT_STORAGE,
      cluster: cluster.id,
      settings: { ...SETTINGS, machineNames: cluster.machineNames },
      clock,
      telemetry,
      api: cluster.api,
      cloud: cluster.cloud,
    }
    await reconcileClaim(deps, claimRequest({ name: claim }, { isFollowed: false }), signal)
  }
}

const WITHOUT_STORAGE: Pick<ClusterDeps, 'queue' | 'log' | 'ledger' | 'lease' | 'decisions' | 'offerings' | 'catalog' | 'facts'> = {
  // Nothing is queued: the next round of the drain runs each claim again.
  queue: {
    decide: () => undefined,
    decideAt: () => undefined,
    decideAtEach: () => undefined,
    retryDecide: () => undefined,
    forgetDecide: () => undefined,
    reconcile: () => undefined,
    follows: () => false,
    isShuttingDown: () => false,
  },
  log: {
    append: unasked,
    checkTerm: unasked,
    read: unasked,
    loadCheckpoint: unasked,
    saveCheckpoint: unasked,
    rotate: unasked,
    requestSnapshot: unasked,
    snapshotRequest: unasked,
  },
  ledger: { load: unasked, save: unasked },
  lease: { acquire: unasked },
  decisions: { save: unasked, latest: unasked },
  // What was asked for is in the app's storage, and is forgotten there after some minutes.
  offerings: {
    unavailable: unasked,
    mark: unasked,
    made: unasked,
    asked: () => Promise.resolve([]),
    ask: unasked,
    withdraw: () => Promise.resolve(),
    reports: unasked,
    report: unasked,
  },
  catalog: {
    instanceTypes: unasked,
    sizeProblem: unasked,
    nodeVersions: unasked,
    quota: unasked,
    leftOutSizes: unasked,
    refresh: unasked,
  },
  facts: { load: unasked, refresh: unasked },
}
