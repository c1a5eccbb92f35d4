import { mapBounded, settle } from '../../base/bounded.ts'
import type { ClusterId } from '../../model/ids.ts'
import { type Intent, intentName, LEDGER_SCHEMA, type Ledger } from '../../model/ledger.ts'
import { later } from '../../model/units.ts'
import type { DecideRequest } from '../../model/work.ts'
import type { AbortSignalLike } from '../../ports/clock.ts'
import type { ClusterDeps } from '../deps/clusterDeps.ts'
import { CALLS_AT_ONCE, logRefused, problemOf } from '../deps/doEach.ts'
import type { ClusterState } from '../state/clusterState.ts'
import { reportRefusedIntent } from './reportRefusedIntent.ts'

/** The watch shows a new claim within moments. If it does not within this time, the claim is read live. */
const WATCH_PATIENCE_MS = 10_000

export function emptyLedger(cluster: ClusterId): Ledger {
  return { schema: LEDGER_SCHEMA, cluster, epoch: 0, decisions: 0, intents: [], nominations: [], commands: [], backOffs: [] }
}

/**
 * Compares the intents of the ledger with the cluster. An intent is done once the watch shows its claim. An intent is dropped if its claim was
 * created and is gone again: its pods are planned again. An intent that was never carried out stays, and `createClaims` carries it out.
 */
export async function resolveIntents(
  deps: ClusterDeps,
  state: ClusterState,
  ledger: Ledger,
  requests: readonly DecideRequest[],
  signal: AbortSignalLike,
): Promise<Ledger> {
  const now = deps.clock.now()
  const lookLive = requests.some(({ because }) => because === 'capacity' || because === 'interruption')
  const isTrusted = ({ createdAt }: Intent): boolean => createdAt === undefined || (!lookLive && now - createdAt < WATCH_PATIENCE_MS)
  const open = ledger.intents.filter((intent) => state.find('nodeClaim', intentName(intent)) === undefined)
  const kept = await mapBounded(open, CALLS_AT_ONCE, async (intent) => isTrusted(intent) || stillThere(deps, state, intent, signal))
  const intents = open.filter((_, index) => kept[index])
  return intents.length === ledger.intents.length ? ledger : { ...ledger, intents }
}

/** Reports whether a claim exists. A claim that cannot be read counts as existing until its launch timeout is over. */
async function stillThere(deps: ClusterDeps, state: ClusterState, intent: Intent, signal: AbortSignalLike): Promise<boolean> {
  const found = await settle(() => deps.api.getClaim(intentName(intent), signal))
  if (found.ok) return found.value !== undefined
  const why = problemOf(found.error)
  const isOver = deps.clock.now() >= later(intent.createdAt ?? intent.decidedAt, deps.settings.launchTimeout)
  if (isOver) await reportRefusedIntent(deps, state, intent, { why, outcome: 'given up' }, signal)
  else logRefused(deps, `the look at nodeclaim ${intentName(intent)}`, why)
  return !isOver
}
