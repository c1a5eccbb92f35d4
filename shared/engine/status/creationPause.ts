/** Pauses a pool whose machines do not join: it makes no more of them for a while. */
import { type Condition, type ConditionUpdate, findCondition } from '../../model/condition.ts'
import { linkOfReason, splitLink, withLink } from '../../model/conditionLinks.ts'
import type { NodeClaim } from '../../model/nodeClaim.ts'
import { CREATION_FORBIDDEN, CREATION_PAUSED } from '../../model/nodePool.ts'
import type { ClusterLinks } from '../../model/portalLinks.ts'
import type { FailedRegistration, RegistrationOutcome } from '../../model/registrationOutcome.ts'
import { formatTimestamp } from '../../model/timestamp.ts'
import { type DurationMs, durationMs, type EpochMs, later } from '../../model/units.ts'

/** A pause is as long as the pool has been unhealthy, so that each pause is longer than the one before. */
const SHORTEST = durationMs(5 * 60_000)
const LONGEST = durationMs(60 * 60_000)
/** The number of machines in a row that did not join before the pool pauses. */
const IN_A_ROW = 2

export type CreationPause = { readonly update: ConditionUpdate; readonly wakeAt?: EpochMs }

/** The facts by which a pause is decided. */
export type CreationPauseInput = {
  /** The condition that is stored about the pool and NodeClass as they are now. Undefined if there is none. */
  readonly stored: Condition | undefined
  readonly outcomes: readonly RegistrationOutcome[]
  /** The number of latest machines that failed in a row, including those that earlier processes saw. */
  readonly streak: number
  /** Undefined if the pool was healthy until now. */
  readonly unhealthySince: EpochMs | undefined
  readonly now: EpochMs
  /** A claim of the pool for which Azure makes no machine now because a right or a credential is missing. Undefined if there is none. */
  readonly forbidden?: NodeClaim | undefined
  readonly links?: ClusterLinks | undefined
}

/**
 * Decides the condition of a pause. True while the pool makes no machine. False once it tries again, until a machine joins. Undefined if there is
 * nothing to say. The condition remembers the pause: it names the nodeclaim that began the pause, so that no process counts that nodeclaim twice.
 */
export function creationPause(joining: CreationPauseInput): CreationPause | undefined {
  const { stored, outcomes, unhealthySince, now, forbidden } = joining
  if (forbidden !== undefined) return { update: forbiddenBy(forbidden, joining) }
  if (stored?.status === 'True' && stored.reason === CREATION_FORBIDDEN)
    return { update: tryingAgain(lastFailure(outcomes) ?? causeIn(splitLink(stored.message).text)) }
  if (outcomes.at(-1)?.joined === true) return undefined
  const news = newsOf(joining)
  if (stored?.status === 'True') return goOn(stored, news, joining)
  if (news !== undefined) return pausedFrom(now, unhealthySince, causeOf(news))
  return stored && { update: stored }
}

/** The latest machine that failed, if the pool has to pause for it and has not paused for it yet. Undefined otherwise. */
function newsOf({ stored, outcomes, streak }: CreationPauseInput): FailedRegistration | undefined {
  const last = outcomes.at(-1)
  if (last === undefined || last.joined || streak < IN_A_ROW) return undefined
  return stored?.message.includes(nameOf(last)) ? undefined : last
}

/** Goes on with a pause. Its end does not move for machines that were on their way when it began. */
function goOn(
  { lastTransitionAt, message }: Condition,
  news: FailedRegistration | undefined,
  { unhealthySince, now }: CreationPauseInput,
): CreationPause {
  const cause = news === undefined ? causeIn(message) : causeOf(news)
  const paused = pausedFrom(lastTransitionAt, unhealthySince, cause)
  if (paused.wakeAt > now) return paused
  return { update: tryingAgain(cause) }
}

function tryingAgain(cause: string): ConditionUpdate {
  const message = `nodeclaims are created again, to see whether their nodes join now; ${cause}`
  return { type: CREATION_PAUSED, status: 'False', reason: 'TryingAgain', message }
}

/** A pause that ends when no claim is forbidden any more. Each claim is tried every minute until its launch time-out, and then a new one. */
function forbiddenBy({ name, meta, status }: NodeClaim, { links }: CreationPauseInput): ConditionUpdate {
  const said = splitLink(findCondition(status.conditions, 'Launched')?.message ?? '').text
  const message = `Azure refuses to create nodes, so no nodeclaim is created until it allows them; ${CAUSE}${name} (${meta.uid}): ${said}`
  const link = linkOfReason(links, CREATION_FORBIDDEN, {})
  return { type: CREATION_PAUSED, status: 'True', reason: CREATION_FORBIDDEN, message: withLink(message, link) }
}

function lastFailure(outcomes: readonly RegistrationOutcome[]): string | undefined {
  const last = outcomes.at(-1)
  return last === undefined || last.joined ? undefined : causeOf(last)
}

const CAUSE = 'lately nodeclaim '

function causeIn(message: string): string {
  return message.slice(Math.max(0, message.indexOf(CAUSE)))
}

function pausedFrom(since: EpochMs, unhealthySince: EpochMs | undefined, cause: string): CreationPause & { readonly wakeAt: EpochMs } {
  const wakeAt = later(since, pauseAfter(durationMs(since - (unhealthySince ?? since))))
  const message = `the last nodes did not join, so no nodeclaim is created until ${formatTimestamp(wakeAt)}; ${cause}`
  return { update: { type: CREATION_PAUSED, status: 'True', reason: 'NodesDoNotJoin', message }, wakeAt }
}

function pauseAfter(unhealthyFor: DurationMs): DurationMs {
  return durationMs(Math.min(LONGEST, Math.max(SHORTEST, unhealthyFor)))
}

function causeOf(failed: FailedRegistration): string {
  return `${CAUSE}${nameOf(failed)}: ${splitLink(failed.message).text}`
}

/** Includes the uid, since a name may come again, as in static pools. */
function nameOf({ claim, uid }: FailedRegistration): string {
  return `${claim} (${uid})`
}

/** The stored condition, if it is about the pool and NodeClass as they are now. */
export function storedPause(conditions: readonly Condition[], isOfNow: (condition: Condition) => boolean): Condition | undefined {
  const stored = findCondition(conditions, CREATION_PAUSED)
  return stored !== undefined && isOfNow(stored) ? stored : undefined
}
