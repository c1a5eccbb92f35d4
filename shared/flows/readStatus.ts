import type { ClusterId } from '../model/ids.ts'
import type { EpochMs } from '../model/units.ts'
import type { AbortSignalLike } from '../ports/clock.ts'
import type { DecisionRecord } from '../ports/decisionStore.ts'
import type { ClusterDeps } from './clusterDeps.ts'

export type ClusterStatus = {
  readonly cluster: ClusterId
  readonly at: EpochMs
  readonly epoch: number
  readonly decisions: number
  readonly openIntents: readonly string[]
  /** Why no decision can be made now. */
  readonly missing?: string
  readonly latest: readonly DecisionRecord[]
}

const LATEST = 5

/** What an operator asks first: does it decide, what did it decide last, is anything stuck. */
export async function readStatus(deps: ClusterDeps, signal: AbortSignalLike): Promise<ClusterStatus> {
  const [loaded, missing, latest] = await Promise.all([
    deps.ledger.load(signal),
    deps.log.snapshotWanted(signal),
    deps.decisions.latest(LATEST, signal),
  ])
  const ledger = loaded.ok ? loaded.value?.value : undefined
  const status: ClusterStatus = {
    cluster: deps.cluster,
    at: deps.clock.now(),
    epoch: ledger?.epoch ?? 0,
    decisions: ledger?.decisions ?? 0,
    openIntents: (ledger?.intents ?? []).map((intent) => intent.action.draft.name),
    latest,
  }
  return missing === undefined ? status : { ...status, missing }
}
