import { settle } from '../../base/bounded.ts'
import { otherNodes } from '../../engine/lifecycle/otherNodes.ts'
import { troubledClaims } from '../../engine/lifecycle/troubledClaims.ts'
import { isTrue, ROOT_CONDITION } from '../../model/condition.ts'
import type { Action, Decision } from '../../model/decision.ts'
import type { Ledger, Rest } from '../../model/ledger.ts'
import type { LogPosition } from '../../model/logRecord.ts'
import type { NodeClaim } from '../../model/nodeClaim.ts'
import { type DurationMs, durationMs, type EpochMs, later } from '../../model/units.ts'
import type { AbortSignalLike } from '../../ports/clock.ts'
import type { ClusterDeps } from '../deps/clusterDeps.ts'
import type { Look } from './look.ts'

/**
 * How long a look is trusted that found nothing to do. What a decision sees beside the log changes without a word: prices, quota, subnets.
 * None of it matters much where no machine is ours; most where something is refused that they may be in the way of.
 */
export const TRUST = { refusing: durationMs(2 * 60_000), withMachines: durationMs(5 * 60_000), withoutMachines: durationMs(10 * 60_000) }
/** A rest that ends this soon is over: the timer that asks comes again only after a while. */
const NEARLY_MS = 5_000

/** What a look saw and found. */
type Seen = {
  readonly snapshot: Look
  readonly decided: Decision
  readonly ledger: Ledger
  /** How far the look read the log. */
  readonly position: LogPosition
}

/**
 * Nothing done, and nothing under way: until the log says something new, or a time comes that the decision named, another look would find the
 * same. What is refused stays refused until then. Undefined where another look could find something at any moment.
 */
export function restOf({ snapshot, decided, ledger, position }: Seen): Rest | undefined {
  const { objects, settings, takenAt, nominations } = snapshot
  if (!decided.actions.every(isOnlyTold) || ledger.intents.length > 0 || ledger.commands.length > 0 || nominations.length > 0)
    return undefined
  if (objects.nodeClaim.some(isUnsettled)) return undefined
  const picture = [objects.node, objects.nodeClaim, settings.machineNames] as const
  if (troubledClaims(...picture).length > 0 || otherNodes(...picture).size > 0) return undefined
  const trusted = later(takenAt, trustIn(decided, objects.nodeClaim.length))
  return { position, until: earlierOf(trusted, decided.wakeAt) }
}

/** What is refused is told at each look. */
function isOnlyTold({ kind }: Action): boolean {
  return kind === 'publish'
}

function trustIn({ reasons }: Decision, machines: number): DurationMs {
  // Why machines stay changes with the cluster, with prices, or at a time that the decision names.
  if (reasons.some(({ code }) => !code.startsWith('DISRUPTION.'))) return TRUST.refusing
  return machines > 0 ? TRUST.withMachines : TRUST.withoutMachines
}

function earlierOf(first: EpochMs, second: EpochMs | undefined): EpochMs {
  return second !== undefined && second < first ? second : first
}

/** A claim that is not where it should be. */
export function isUnsettled(claim: NodeClaim): boolean {
  if (claim.meta.deletedAt !== undefined) return true
  return !isTrue(claim.status.conditions, ROOT_CONDITION)
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
    // A rest that lasts longer than any was begun by a clock that went wrong.
    const left = rest.until - clock.now()
    if (left <= NEARLY_MS || left > TRUST.withoutMachines) return 'stale'
    const { bytes, more } = await log.read(rest.position, signal)
    return bytes === 0 && !more ? 'resting' : 'stale'
  })
  return asked.ok ? asked.value : 'restless'
}

type RestDeps = Pick<ClusterDeps, 'clock' | 'ledger' | 'log'>

/** A cluster whose shim never said anything. There is nothing to look at, and its first word rings. */
async function isUnheard(log: RestDeps['log'], signal: AbortSignalLike): Promise<boolean> {
  const { bytes, more } = await log.read(undefined, signal)
  return bytes === 0 && !more && (await log.loadCheckpoint(signal)) === undefined
}
