import { type Condition, type ConditionUpdate, findCondition } from '../../model/condition.ts'
import { linkOfReason, splitLink, withLink } from '../../model/conditionLinks.ts'
import type { NodeClaim } from '../../model/nodeClaim.ts'
import type { NodeClass } from '../../model/nodeClass.ts'
import {
  CREATION_FORBIDDEN,
  CREATION_PAUSED,
  type FailedRegistration,
  type NodePool,
  type RegistrationOutcome,
} from '../../model/nodePool.ts'
import type { ClusterLinks } from '../../model/portalLinks.ts'
import { formatTimestamp } from '../../model/time.ts'
import { type DurationMs, durationMs, type EpochMs, later } from '../../model/units.ts'

export const REGISTRATION_HEALTH = 'NodeRegistrationHealthy'
/** The number of outcomes by which a pool is judged, and the number of failures among them that makes it unhealthy. */
const WINDOW = 4
const TOO_MANY = 2

/**
 * Whether the machines of the pool come up, judged by the last four. Two failures make it unhealthy. The condition itself remembers what earlier
 * processes saw. A change of pool or NodeClass begins anew. `creationPause` decides what follows. Undefined if there is no such NodeClass.
 */
export function registrationHealth(
  pool: NodePool,
  nodeClass: NodeClass | undefined,
  outcomes: readonly RegistrationOutcome[],
  links?: ClusterLinks,
): ConditionUpdate | undefined {
  if (nodeClass === undefined) return undefined
  const ring = ringOf(pool, nodeClass, outcomes)
  const failed = ring.flatMap((each) => (each.joined ? [] : [each]))
  const last = failed.at(-1)
  if (last !== undefined && failed.length >= TOO_MANY) {
    const before = findCondition(pool.status.conditions, REGISTRATION_HEALTH)
    // The failures are those that earlier processes saw, so the stored condition stands.
    if (last.message === '' && before !== undefined) return { ...before }
    const message = `${failed.length} of the last ${ring.length} nodeclaims brought no node; lately: ${splitLink(last.message).text}`
    return {
      type: REGISTRATION_HEALTH,
      status: 'False',
      reason: last.reason,
      message: withLink(message, linkOfReason(links, last.reason, {})),
    }
  }
  if (ring.some(({ joined }) => joined)) return { type: REGISTRATION_HEALTH, status: 'True' }
  const message = 'no node has registered since the nodepool or the aksnodeclass changed'
  return { type: REGISTRATION_HEALTH, status: 'Unknown', reason: 'AwaitingRegistration', message }
}

/** The number of latest machines that failed in a row. */
export function failedInARow(pool: NodePool, nodeClass: NodeClass, outcomes: readonly RegistrationOutcome[]): number {
  const ring = ringOf(pool, nodeClass, outcomes)
  return ring.length - 1 - ring.findLastIndex(({ joined }) => joined)
}

/** Reports whether the condition is about the pool and NodeClass as they are now. */
export function isOfNow({ meta, status }: NodePool, nodeClass: NodeClass, { observedGeneration }: Condition): boolean {
  return observedGeneration === meta.generation && status.nodeClassObservedGeneration === nodeClass.meta.generation
}

type Remembered = { readonly joined: true } | { readonly joined: false; readonly reason: string; readonly message: string }

const JOINED: Remembered = { joined: true }
const FAILED: Remembered = { joined: false, reason: '', message: '' }

function ringOf(pool: NodePool, nodeClass: NodeClass, outcomes: readonly RegistrationOutcome[]): readonly Remembered[] {
  return [...remembered(pool, nodeClass), ...outcomes].slice(-WINDOW)
}

function remembered(pool: NodePool, nodeClass: NodeClass): readonly Remembered[] {
  const stored = findCondition(pool.status.conditions, REGISTRATION_HEALTH)
  if (stored === undefined || !isOfNow(pool, nodeClass, stored) || stored.status === 'Unknown') return []
  return stored.status === 'True' ? [JOINED] : [FAILED, FAILED]
}

/** A pause is as long as the pool has been unhealthy, so that each pause is longer than the one before. */
const SHORTEST_PAUSE = durationMs(5 * 60_000)
const LONGEST_PAUSE = durationMs(60 * 60_000)
/** The number of machines in a row that did not join before the pool pauses. */
const FAILED_BEFORE_PAUSE = 2

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
 * Decides the condition of a pause: a pool whose machines do not join makes no more of them for a while. True while the pool makes no machine. False
 * once it tries again, until a machine joins. Undefined if there is nothing to say. The condition remembers the pause: it names the nodeclaim that
 * began the pause, so that no process counts that nodeclaim twice.
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
  if (last === undefined || last.joined || streak < FAILED_BEFORE_PAUSE) return undefined
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
  const message = `Azure refuses to create nodes, so no nodeclaim is created until it allows them; ${CAUSE_PREFIX}${name} (${meta.uid}): ${said}`
  const link = linkOfReason(links, CREATION_FORBIDDEN, {})
  return { type: CREATION_PAUSED, status: 'True', reason: CREATION_FORBIDDEN, message: withLink(message, link) }
}

function lastFailure(outcomes: readonly RegistrationOutcome[]): string | undefined {
  const last = outcomes.at(-1)
  return last === undefined || last.joined ? undefined : causeOf(last)
}

const CAUSE_PREFIX = 'lately nodeclaim '

function causeIn(message: string): string {
  return message.slice(Math.max(0, message.indexOf(CAUSE_PREFIX)))
}

function pausedFrom(since: EpochMs, unhealthySince: EpochMs | undefined, cause: string): CreationPause & { readonly wakeAt: EpochMs } {
  const wakeAt = later(since, pauseAfter(durationMs(since - (unhealthySince ?? since))))
  const message = `the last nodes did not join, so no nodeclaim is created until ${formatTimestamp(wakeAt)}; ${cause}`
  return { update: { type: CREATION_PAUSED, status: 'True', reason: 'NodesDoNotJoin', message }, wakeAt }
}

function pauseAfter(unhealthyFor: DurationMs): DurationMs {
  return durationMs(Math.min(LONGEST_PAUSE, Math.max(SHORTEST_PAUSE, unhealthyFor)))
}

function causeOf(failed: FailedRegistration): string {
  return `${CAUSE_PREFIX}${nameOf(failed)}: ${splitLink(failed.message).text}`
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
