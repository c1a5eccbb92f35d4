import { settle } from '../base/bounded.ts'
import { troubledClaims } from '../engine/lifecycle/troubledClaims.ts'
import type { Decision } from '../model/decision.ts'
import type { Ledger, Rest } from '../model/ledger.ts'
import type { LogPosition } from '../model/logRecord.ts'
import type { NodeClaim } from '../model/nodeClaim.ts'
import { durationMs, later } from '../model/units.ts'
import type { AbortSignalLike } from '../ports/clock.ts'
import type { ClusterDeps } from './clusterDeps.ts'
import type { Look } from './look.ts'

/**
 * How long a look is trusted that found nothing to do. What a decision sees beside the log changes without a word: prices, quota, subnets.
 * None of it matters much where no machine is ours.
 */
export const TRUST = { withMachines: durationMs(60_000), withoutMachines: durationMs(600_000) }

/** What a look saw and found. */
type Seen = {
  readonly snapshot: Look
  readonly decided: Decision
  readonly ledger: Ledger
  /** How far the look read the log. */
  readonly position: LogPosition
}

/**
 * Nothing done, nothing refused, nothing that waits for a time or for somebody: until the log says something new, another look would find the
 * same. Undefined where another look could find something.
 */
export function restOf({ snapshot, decided, ledger, position }: Seen): Rest | undefined {
  const { objects, settings, takenAt, nominations } = snapshot
  const wantsNothing = decided.actions.length === 0 && decided.reasons.length === 0 && decided.wakeAt === undefined
  if (!wantsNothing || ledger.intents.length > 0 || nominations.length > 0) return undefined
  if (objects.nodeClaim.some(isUnsettled)) return undefined
  if (troubledClaims(objects.node, objects.nodeClaim, settings.machineNames).length > 0) return undefined
  const trust = objects.nodeClaim.length > 0 ? TRUST.withMachines : TRUST.withoutMachines
  return { position, until: later(takenAt, trust) }
}

/** A claim that is not where it should be. */
export function isUnsettled(claim: NodeClaim): boolean {
  if (claim.meta.deletedAt !== undefined) return true
  return !claim.status.conditions.some((condition) => condition.type === 'Ready' && condition.status === 'True')
}

/** `stale`: the last look found nothing to do; since then something came, or its time is over. `restless`: it found something, or nobody knows. */
export type Restfulness = 'resting' | 'stale' | 'restless'

/** In doubt a cluster is restless: one look too many does no harm. */
export async function restfulness({ clock, ledger, log }: RestDeps, signal: AbortSignalLike): Promise<Restfulness> {
  const asked = await settle(async (): Promise<Restfulness> => {
    const loaded = await ledger.load(signal)
    if (!loaded.ok) return 'restless'
    if (loaded.value === undefined) return (await isUnheard(log, signal)) ? 'resting' : 'restless'
    const { rest } = loaded.value.value
    if (rest === undefined) return 'restless'
    if (rest.until <= clock.now()) return 'stale'
    const { bytes, more } = await log.read(rest.position, signal)
    return bytes === 0 && !more ? 'resting' : 'stale'
  })
  return asked.ok ? asked.value : 'restless'
}

type RestDeps = Pick<ClusterDeps, 'clock' | 'ledger' | 'log'>

/** A cluster whose shim never said anything. There is nothing to look at, and its first word rings. */
async function isUnheard(log: RestDeps['log'], signal: AbortSignalLike): Promise<boolean> {
  const { bytes, more } = await log.read(undefined, signal)
  return bytes === 0 && !more && (await log.loadCompact(signal)) === undefined
}
