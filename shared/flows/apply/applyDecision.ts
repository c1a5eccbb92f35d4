import { defined } from '../../base/values.ts'
import { type Action, type ClusterEvent, ofKind, type Reason, type TaintPlanned } from '../../model/decision.ts'
import { TAINT_KEY } from '../../model/labels.ts'
import type { MovesSum } from '../../model/ledger.ts'
import type { ProblemCode } from '../../model/problem.ts'
import { type Taint, withoutPlanned } from '../../model/taint.ts'
import { microUsdPerHour } from '../../model/units.ts'
import type { AbortSignalLike } from '../../ports/clock.ts'
import { type ClusterDeps, doEach } from '../deps/clusterDeps.ts'
import type { Committed } from '../ledger/nextLedger.ts'
import { nameOfReportAction, type ReportAction, reportStatus } from '../reports/reportStatus.ts'
import type { ClusterState } from '../state/clusterState.ts'
import { carryOutIntents, nominationEvents } from './carryOutIntents.ts'
import { endMachines } from './endMachines.ts'
import { holdClasses, markClaims, setDeletionCosts } from './markClaims.ts'

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
  const areHeld = await holdClasses(deps, ofKind(actions, 'holdNodeClass', 'releaseNodeClass'), signal)
  const isToldOfClasses = await tell(ofKind(actions, 'patchNodeClassStatus'))
  const marking = markClaims(deps, state, ofKind(actions, 'markClaim'), signal)
  const made = await carryOutIntents(deps, committed, marking, signal)
  const ended = await endMachines(deps, { ...committed, ledger: made.ledger }, signal)
  const areMade = (await saveProgress(deps, committed, ended.ledger, signal)) && made.isDone
  const done = [
    areHeld,
    isToldOfClasses,
    areMade,
    ended.isDone,
    await tell(ofKind(actions, ...TELLINGS)),
    await marking,
    await publishEach(deps, [...nominated(committed, areMade), ...blockedEvents(committed.decided.reasons, state)], signal),
    await doEach(
      deps,
      [committed],
      ({ snapshot }) => `the record of decision ${snapshot.decision}`,
      () => record(deps, committed, signal),
    ),
  ]
  await taintPlanned(deps, ofKind(actions, 'taintPlanned'), signal)
  await setDeletionCosts(deps, ofKind(actions, 'setDeletionCosts'), signal)
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

/** What is told late: statuses of classes come first, since launches read them. */
const TELLINGS = [
  'patchNodePoolStatus',
  'annotateNodePool',
  'patchNodeOverlayStatus',
  'patchCapacityBufferStatus',
  'publish',
] as const satisfies readonly ReportAction['kind'][]

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

/**
 * Sums up the disruption that a decision starts. Undefined if it starts none. A deletion that belongs to a command under way was counted when the
 * command started.
 */
export function sumCommands(actions: readonly Action[]): MovesSum | undefined {
  const moves = actions.flatMap((action): readonly Part[] => {
    if (action.kind === 'startCommand') {
      const { candidates, replacements, saving } = action.command
      const pods = candidates.reduce((sum, each) => sum + each.pods.length, 0)
      return [{ nodes: candidates.length, replacements: replacements.length, pods, saving }]
    }
    if (action.kind !== 'deleteClaim' || action.command !== undefined) return []
    return [{ nodes: 1, replacements: 0, pods: action.pods?.length ?? 0, saving: action.saves?.price }]
  })
  if (moves.length === 0) return undefined
  const sum = (of: (part: Part) => number): number => moves.reduce((total, part) => total + of(part), 0)
  const isPriced = moves.every(({ saving }) => saving !== undefined)
  return defined({
    nodes: sum(({ nodes }) => nodes),
    replacements: sum(({ replacements }) => replacements),
    pods: sum(({ pods }) => pods),
    saving: isPriced ? microUsdPerHour(sum(({ saving = 0 }) => saving)) : undefined,
  })
}

type Part = Omit<MovesSum, 'saving'> & { readonly saving: number | undefined }

/**
 * Writes the taints of nodes that are planned to go. A write that fails is only logged: the next decision finds again what is missing, and no pod
 * waits for it.
 */
export async function taintPlanned(deps: ClusterDeps, actions: readonly TaintPlanned[], signal: AbortSignalLike): Promise<void> {
  await doEach(
    deps,
    actions,
    ({ node }) => `the taint ${TAINT_KEY.disruptionPlanned} of node ${node}`,
    (action) => write(deps, action, signal),
  )
}

/** The node is read live, since the list of taints is written as a whole. A node that somebody writes meanwhile is left to the next decision. */
async function write({ api }: ClusterDeps, { node: name, uid, plannedAt }: TaintPlanned, signal: AbortSignalLike): Promise<void> {
  const node = await api.getNode(name, signal)
  if (node === undefined || node.meta.uid !== uid || node.meta.deletedAt !== undefined) return
  const taints = plannedAt === undefined ? withoutPlanned(node.taints) : withPlanned(node.taints, Math.floor(plannedAt / 1_000))
  if (taints !== node.taints) await api.patchNode(node, { taints }, signal)
}

/** The taints with the taint of planned nodes. A node that is closed already keeps its taints. */
function withPlanned(taints: readonly Taint[], seconds: number): readonly Taint[] {
  if (taints.some(({ key }) => key === TAINT_KEY.disrupted)) return taints
  return [...withoutPlanned(taints), { key: TAINT_KEY.disruptionPlanned, value: `${seconds}`, effect: 'PreferNoSchedule' }]
}

/** The most claims of one decision that get Events. Where thousands stay for similar reasons, some are enough. `joiner explain` answers for each. */
const MOST_TOLD = 25

/**
 * Events on node and claim that say why a claim is not disrupted, with Karpenter's reasons. Reasons that pass within moments get no Event: a claim
 * whose `consolidateAfter` is not over, a nominated node, a node that gets pods of nodes that are disrupted now, a node whose turn comes in a later
 * decision. Normal reasons get none either: a node that is worth its price, or that its NodePool keeps. An Event for each of them would cost two
 * writes every five minutes for the whole life of the claim.
 */
export function blockedEvents(reasons: readonly Reason[], state: ClusterState): readonly ClusterEvent[] {
  const told = reasons.filter(({ subject, code }) => subject.kind === 'nodeClaim' && NAMES[code] !== undefined).slice(0, MOST_TOLD)
  return told.flatMap(({ subject, code, message }): readonly ClusterEvent[] => {
    const claim = state.find('nodeClaim', subject.name)
    const reason = NAMES[code]
    if (claim === undefined || reason === undefined) return []
    const event = { subject, uid: claim.meta.uid, type: 'Normal', reason, message, key: code } as const
    const { nodeName } = claim.status
    const node = nodeName === undefined ? undefined : state.find('node', nodeName)
    return node === undefined ? [event] : [event, { ...event, subject: { kind: 'node', name: node.name }, uid: node.meta.uid }]
  })
}

const NAMES: { readonly [Code in ProblemCode]?: 'DisruptionBlocked' | 'Unconsolidatable' } = {
  'DISRUPTION.DO_NOT_DISRUPT': 'DisruptionBlocked',
  'DISRUPTION.PDB': 'DisruptionBlocked',
  'DISRUPTION.BUDGET': 'DisruptionBlocked',
  'DISRUPTION.WINDOW': 'DisruptionBlocked',
  'DISRUPTION.FROZEN': 'DisruptionBlocked',
  'DISRUPTION.DRIFT_PAUSED': 'DisruptionBlocked',
  'DISRUPTION.CALM': 'Unconsolidatable',
  'DISRUPTION.NO_ROOM': 'Unconsolidatable',
  'DISRUPTION.NO_PRICE': 'Unconsolidatable',
  'DISRUPTION.SPOT': 'Unconsolidatable',
  'DISRUPTION.BALANCE': 'Unconsolidatable',
}
