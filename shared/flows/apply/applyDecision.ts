import { defined } from '../../base/defined.ts'
import type { Action, ClusterEvent } from '../../model/decision.ts'
import type { AbortSignalLike } from '../../ports/clock.ts'
import type { ClusterDeps } from '../deps/clusterDeps.ts'
import { doEach } from '../deps/doEach.ts'
import type { Committed } from '../ledger/committed.ts'
import { nameOfReportAction, type ReportAction, reportStatus } from '../reports/reportStatus.ts'
import { blockedEvents } from './blockedEvents.ts'
import { endMachines } from './endMachines.ts'
import { holdClasses, isClassHold } from './holdClasses.ts'
import { makeClaims } from './makeClaims.ts'
import { type Mark, markClaims } from './markClaims.ts'
import { nominationEvents } from './nominations.ts'
import { isSetDeletionCosts, setDeletionCosts } from './setDeletionCosts.ts'
import { sumCommands } from './sumCommands.ts'
import { isTaintPlanned, taintPlanned } from './taintPlanned.ts'

/**
 * Carries out a committed decision. Finalizer and status of NodeClasses are written first: a claim is made of a class that stays, and its launch reads the status. Claims come next, because
 * pods wait for them. At the same time claims are marked. Moves and the ends of machines come after the marks, because they write and delete the
 * claims that are marked. Other statuses and Events come later, and the taints of planned nodes and the deletion costs of their pods last. An action
 * that is refused is logged, and the other actions and the record are still done. Returns false if something was refused and must be tried again.
 */
export async function applyDecision(deps: ClusterDeps, committed: Committed, signal: AbortSignalLike): Promise<boolean> {
  const { actions } = committed.decided
  const { state } = committed.caughtUp
  const tell = (tellings: readonly ReportAction[]): Promise<boolean> =>
    doEach(deps, tellings, nameOfReportAction, (action) => reportStatus(deps, action, signal))
  const areHeld = await holdClasses(deps, actions.filter(isClassHold), signal)
  const isToldOfClasses = await tell(actions.filter(isOfClass))
  const marking = markClaims(deps, state, actions.filter(isMark), signal)
  const made = await makeClaims(deps, committed, marking, signal)
  const ended = await endMachines(deps, { ...committed, ledger: made.ledger }, signal)
  const areMade = (await saveProgress(deps, committed, ended.ledger, signal)) && made.isDone
  const done = [
    areHeld,
    isToldOfClasses,
    areMade,
    ended.isDone,
    await tell(actions.filter(isTelling)),
    await marking,
    await publishEach(deps, [...nominated(committed, areMade), ...blockedEvents(committed.decided.reasons, state)], signal),
    await doEach(
      deps,
      [committed],
      ({ snapshot }) => `the record of decision ${snapshot.decision}`,
      () => record(deps, committed, signal),
    ),
  ]
  await taintPlanned(deps, actions.filter(isTaintPlanned), signal)
  await setDeletionCosts(deps, actions.filter(isSetDeletionCosts), signal)
  return done.every((isDone) => isDone)
}

/** Saves the ledger again with what was carried out. A conflict means that a later writer took over. It settles intents and commands itself. */
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

/** Events for nominated pods. If a claim could not be made, pods of new claims get their Event from a later decision. */
function nominated({ decided: { actions }, caughtUp }: Committed, areMade: boolean): readonly ClusterEvent[] {
  return nominationEvents(areMade ? actions : actions.filter(({ kind }) => kind === 'nominate'), caughtUp.state)
}

function publishEach(deps: ClusterDeps, events: readonly ClusterEvent[], signal: AbortSignalLike): Promise<boolean> {
  return doEach(
    deps,
    events,
    ({ subject }) => `an event about ${subject.kind} ${subject.name}`,
    (event) => deps.api.publish(event, signal),
  )
}

type OfClass = Extract<ReportAction, { readonly kind: 'patchNodeClassStatus' }>

function isOfClass(action: Action): action is OfClass {
  return action.kind === 'patchNodeClassStatus'
}

const TELLINGS: ReadonlySet<Action['kind']> = new Set<Exclude<ReportAction, OfClass>['kind']>([
  'patchNodePoolStatus',
  'annotateNodePool',
  'patchNodeOverlayStatus',
  'patchCapacityBufferStatus',
  'publish',
])

function isTelling(action: Action): action is Exclude<ReportAction, OfClass> {
  return TELLINGS.has(action.kind)
}

function isMark(action: Action): action is Mark {
  return action.kind === 'markClaim'
}

/**
 * Saves the record of a decision that did something, for operators: what the decision did and why, and its position in the log. The decision
 * cannot be repeated from the record, which holds no sizes, prices, unavailable offerings, settings or build of that time.
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
      moved: sumCommands(decided.actions),
    }),
    signal,
  )
}
