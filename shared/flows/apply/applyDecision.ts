import { defined } from '../../base/defined.ts'
import type { Action, ClusterEvent } from '../../model/decision.ts'
import type { AbortSignalLike } from '../../ports/clock.ts'
import type { ClusterDeps } from '../deps/clusterDeps.ts'
import { doEach } from '../deps/doEach.ts'
import type { Committed } from '../ledger/committed.ts'
import { nameOfTelling, type Telling, tellStatus } from '../reports/tellStatus.ts'
import { blockedEvents } from './blockedEvents.ts'
import { endMachines } from './endMachines.ts'
import { makeClaims } from './makeClaims.ts'
import { type Mark, markClaims } from './markClaims.ts'
import { nominationEvents } from './nominations.ts'
import { sumMoves } from './sumMoves.ts'

/**
 * Carries out a committed decision: claims first, since pods wait for them, what merely tells last. Only what classes say
 * goes before: the launch of a claim reads it. Each action stands for itself: one that is refused is told, and the others and the
 * record are done all the same. False when something was refused, and is to be tried again.
 */
export async function applyDecision(deps: ClusterDeps, committed: Committed, signal: AbortSignalLike): Promise<boolean> {
  const { actions } = committed.decided
  const { state } = committed.caughtUp
  const tell = (tellings: readonly Telling[]): Promise<boolean> =>
    doEach(deps, tellings, nameOfTelling, (action) => tellStatus(deps, action, signal))
  const isToldOfClasses = await tell(actions.filter(isOfClass))
  const made = await makeClaims(deps, committed, signal)
  const ended = await endMachines(deps, { ...committed, ledger: made.ledger }, signal)
  const areMade = (await saveProgress(deps, committed, ended.ledger, signal)) && made.isDone
  const done = [
    isToldOfClasses,
    areMade,
    ended.isDone,
    await tell(actions.filter(isTelling)),
    await markClaims(deps, state, actions.filter(isMark), signal),
    await publishEach(deps, [...nominated(committed, areMade), ...blockedEvents(committed.decided.reasons, state)], signal),
    await doEach(
      deps,
      [committed],
      ({ snapshot }) => `the record of decision ${snapshot.decision}`,
      () => record(deps, committed, signal),
    ),
  ]
  return done.every((isDone) => isDone)
}

/** A conflict here means that a later writer took over, and squares intents and moves itself. */
function saveProgress(
  deps: ClusterDeps,
  { ledger, etag }: Committed,
  progress: Committed['ledger'],
  signal: AbortSignalLike,
): Promise<boolean> | boolean {
  if (progress === ledger) return true
  return doEach(
    deps,
    [progress],
    () => 'the ledger with what was carried out',
    (next) => deps.ledger.save(next, etag, signal),
  )
}

/** Nobody is sent to a claim that could not be made; the next decision tells of claims that were. */
function nominated({ decided: { actions }, caughtUp }: Committed, areMade: boolean): readonly ClusterEvent[] {
  return nominationEvents(areMade ? actions : actions.filter(({ kind }) => kind === 'nominate'), caughtUp.state)
}

/** After all else: nothing waits for it. */
function publishEach(deps: ClusterDeps, events: readonly ClusterEvent[], signal: AbortSignalLike): Promise<boolean> {
  return doEach(
    deps,
    events,
    ({ subject }) => `an event about ${subject.kind} ${subject.name}`,
    (event) => deps.api.publish(event, signal),
  )
}

type OfClass = Extract<Telling, { readonly kind: 'patchNodeClassStatus' }>

function isOfClass(action: Action): action is OfClass {
  return action.kind === 'patchNodeClassStatus'
}

const TELLINGS: ReadonlySet<Action['kind']> = new Set<Exclude<Telling, OfClass>['kind']>([
  'patchNodePoolStatus',
  'patchNodeOverlayStatus',
  'patchCapacityBufferStatus',
  'publish',
])

function isTelling(action: Action): action is Exclude<Telling, OfClass> {
  return TELLINGS.has(action.kind)
}

function isMark(action: Action): action is Mark {
  return action.kind === 'markClaim'
}

/**
 * Kept for every decision that did something, for people: what it did and why, and where in the log it was made. It is not enough to make
 * the decision again: the sizes and prices of the moment, what was blocked, the settings and the build are in no record.
 */
async function record(
  deps: ClusterDeps,
  { ledger, snapshot, decided, decideMs, caughtUp }: Committed,
  signal: AbortSignalLike,
): Promise<void> {
  if (ledger.decisions !== snapshot.decision) return
  const { decision: number, takenAt } = snapshot
  await deps.decisions.save(
    defined({
      number,
      epoch: ledger.epoch,
      takenAt,
      position: caughtUp.position,
      decision: decided,
      decideMs,
      moved: sumMoves(decided.actions),
    }),
    signal,
  )
}
