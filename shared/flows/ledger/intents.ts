import { mapBounded, settle } from '../../base/bounded.ts'
import type { ClusterId } from '../../model/ids.ts'
import { type Intent, intentName, LEDGER_SCHEMA, type Ledger } from '../../model/ledger.ts'
import type { Doorbell } from '../../model/message.ts'
import { later } from '../../model/units.ts'
import type { AbortSignalLike } from '../../ports/clock.ts'
import type { ClusterDeps } from '../deps/clusterDeps.ts'
import { CALLS_AT_ONCE, problemOf, tellRefused } from '../deps/doEach.ts'
import type { ClusterState } from '../state/clusterState.ts'
import { tellOfIntent } from './tellOfIntent.ts'

/** The watch shows a new claim within moments; after this long without it the claim is looked up live. */
const WATCH_PATIENCE_MS = 10_000

export function emptyLedger(cluster: ClusterId): Ledger {
  return { schema: LEDGER_SCHEMA, cluster, epoch: 0, decisions: 0, intents: [], nominations: [], commands: [], backOffs: [] }
}

/**
 * Squares what was decided earlier with what is there now. An intent whose claim the watch shows is done. One whose claim was made and is
 * gone again is dropped: its pods are planned anew. One that was never carried out stays; `createClaims` carries it out.
 */
export async function settleIntents(
  deps: ClusterDeps,
  state: ClusterState,
  ledger: Ledger,
  doorbells: readonly Doorbell[],
  signal: AbortSignalLike,
): Promise<Ledger> {
  const now = deps.clock.now()
  const lookLive = doorbells.some((doorbell) => doorbell.because === 'capacity' || doorbell.because === 'interruption')
  const isTrusted = ({ createdAt }: Intent): boolean => createdAt === undefined || (!lookLive && now - createdAt < WATCH_PATIENCE_MS)
  const open = ledger.intents.filter((intent) => state.find('nodeClaim', intentName(intent)) === undefined)
  const kept = await mapBounded(open, CALLS_AT_ONCE, async (intent) => isTrusted(intent) || stillThere(deps, state, intent, signal))
  const intents = open.filter((_, index) => kept[index])
  return intents.length === ledger.intents.length ? ledger : { ...ledger, intents }
}

/** A claim that cannot be asked for counts as there while its machine could be on its way, and no longer. */
async function stillThere(deps: ClusterDeps, state: ClusterState, intent: Intent, signal: AbortSignalLike): Promise<boolean> {
  const found = await settle(() => deps.api.getClaim(intentName(intent), signal))
  if (found.ok) return found.value !== undefined
  const why = problemOf(found.error)
  const isOver = deps.clock.now() >= later(intent.createdAt ?? intent.decidedAt, deps.settings.launchTimeout)
  if (isOver) await tellOfIntent(deps, state, intent, { why, outcome: 'given up' }, signal)
  else tellRefused(deps, `the look at nodeclaim ${intentName(intent)}`, why)
  return !isOver
}
