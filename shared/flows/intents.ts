import type { ClusterId } from '../model/ids.ts'
import { type Intent, intentName, LEDGER_SCHEMA, type Ledger } from '../model/ledger.ts'
import type { Doorbell } from '../model/message.ts'
import type { EpochMs } from '../model/units.ts'
import type { AbortSignalLike } from '../ports/clock.ts'
import type { ClusterDeps } from './clusterDeps.ts'
import type { ClusterState } from './clusterState.ts'
import { createClaims } from './createClaims.ts'

/** The watch shows a new claim within moments; after this long without it the claim is looked up live. */
const WATCH_PATIENCE_MS = 10_000

export function emptyLedger(cluster: ClusterId): Ledger {
  return { schema: LEDGER_SCHEMA, cluster, epoch: 0, decisions: 0, intents: [], nominations: [] }
}

/**
 * Squares what was decided earlier with what is there now. An intent whose claim the watch shows is done. One that was
 * never carried out, because its writer died, is carried out now. One whose claim was made and is gone again is dropped: its
 * pods are planned anew.
 */
export async function settleIntents(
  deps: ClusterDeps,
  state: ClusterState,
  ledger: Ledger,
  doorbells: readonly Doorbell[],
  signal: AbortSignalLike,
): Promise<Ledger> {
  if (ledger.intents.length === 0) return ledger
  const now = deps.clock.now()
  const lookLive = doorbells.some((doorbell) => doorbell.because === 'capacity' || doorbell.because === 'interruption')
  const open = ledger.intents.filter((intent) => state.find('nodeClaim', intentName(intent)) === undefined)
  const unmade = open.filter((intent) => intent.createdAt === undefined)
  const made = open.filter((intent) => intent.createdAt !== undefined)
  const repaired = unmade.length > 0 ? await createClaims(deps, state, unmade, signal) : []
  const kept = await Promise.all(made.map((intent) => stillThere(deps, intent, now, lookLive, signal)))
  const intents = [...made.filter((_, index) => kept[index]), ...repaired]
  return intents.length === ledger.intents.length && unmade.length === 0 ? ledger : { ...ledger, intents }
}

async function stillThere(deps: ClusterDeps, intent: Intent, now: EpochMs, lookLive: boolean, signal: AbortSignalLike): Promise<boolean> {
  if (!lookLive && now - (intent.createdAt ?? now) < WATCH_PATIENCE_MS) return true
  return (await deps.api.getClaim(intentName(intent), signal)) !== undefined
}
