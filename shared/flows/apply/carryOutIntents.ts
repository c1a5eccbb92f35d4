/** Creates the NodeClaims of a decision, also as replacements of the moves that start. */
import { mapBounded, settle } from '../../base/concurrency.ts'
import { partition } from '../../base/lists.ts'
import { restOfRefused } from '../../engine/disruption/commands/moveRests.ts'
import type { DisruptionBlock } from '../../engine/disruption/commands/sweep.ts'
import type { Action, ClusterEvent } from '../../model/decision.ts'
import type { BackOff, CommandCandidate, DisruptionCommand } from '../../model/disruptionCommand.ts'
import type { NodeClaimName } from '../../model/ids.ts'
import type { Intent, Ledger } from '../../model/ledger.ts'
import type { PodRef } from '../../model/pod.ts'
import type { AbortSignalLike } from '../../ports/clock.ts'
import { CALLS_AT_ONCE, type ClusterDeps, logRefused, problemOf } from '../deps/clusterDeps.ts'
import type { Committed, Progress } from '../ledger/nextLedger.ts'
import { type RefusedIntent, withClaimOutcomes } from '../ledger/refusals.ts'
import { withoutMoves } from '../ledger/rest.ts'
import { reportBlocked } from '../reports/reportClaim.ts'
import type { ClusterState } from '../state/clusterState.ts'
import { announceClaim, createClaims } from './createClaims.ts'
import { checkPods, type TaintedCandidate, taintCandidate, unread, untaintCandidate } from './markCandidate.ts'

/**
 * Creates the claims of this decision, then claims of earlier decisions that could not be created. Replacements of a disruption command wait until
 * its nodes are marked. Other claims do not wait for them. `marking` settles once the decision has marked its claims: a command writes the claims that
 * it ends, so it starts after that.
 */
export async function carryOutIntents(
  deps: ClusterDeps,
  committed: Committed,
  marking: Promise<unknown>,
  signal: AbortSignalLike,
): Promise<Progress> {
  const { ledger, snapshot, caughtUp } = committed
  const [unmade, made] = partition(ledger.intents, ({ createdAt }) => createdAt === undefined)
  const [fresh, earlier] = partition(unmade, ({ decision }) => decision === snapshot.decision)
  for (const { action } of fresh) announceClaim(deps, action, committed)
  const [ofMoves, others] = partition([...fresh, ...earlier], ({ action }) => action.command !== undefined)
  const [own, moves] = await Promise.all([
    createClaims(deps, caughtUp.state, others, signal),
    marking.then(() => startCommands(deps, committed, ofMoves, signal)),
  ])
  const intents = [...own.intents, ...moves.intents]
  const refused = [...own.refused, ...moves.refused]
  // Pods of a refused claim get no machine of this decision, so the next one follows at once.
  const isDone = own.intents.every(isMade) && moves.isDone && refused.length === 0
  const hasNews = intents.length !== unmade.length || intents.some(isMade) || moves.commands !== ledger.commands
  const going = new Set(moves.commands.map(({ id }) => id))
  const undone = ledger.commands.filter(({ id }) => !going.has(id))
  const { commands, backOffs } = moves
  const next: Ledger = { ...withoutMoves(ledger, undone), intents: [...made, ...intents], commands, backOffs }
  const outcomes = { made: intents.filter(isMade), refused }
  return { ledger: withClaimOutcomes(hasNews ? next : ledger, caughtUp.state, outcomes, deps.clock.now()), isDone }
}

function isMade({ createdAt }: Intent): boolean {
  return createdAt !== undefined
}

export type StartedCommands = {
  readonly commands: readonly DisruptionCommand[]
  readonly backOffs: readonly BackOff[]
  /** Intents of the commands that go on: claims that were created, or are still to be created. */
  readonly intents: readonly Intent[]
  /** Intents of replacements that the API server does not accept. */
  readonly refused: readonly RefusedIntent[]
  readonly isDone: boolean
}

/** `again`: a call failed or an object was written meanwhile, and the next decision tries again. */
type Marked = { readonly command: DisruptionCommand; readonly outcome: 'marked' | 'again' | DisruptionBlock }

/**
 * Marks the nodes of commands with replacements, reads their pods live, and only then creates the replacements. So a command that live objects do
 * not allow launches nothing. Such a command is undone at once.
 */
export async function startCommands(
  deps: ClusterDeps,
  committed: Committed,
  unmade: readonly Intent[],
  signal: AbortSignalLike,
): Promise<StartedCommands> {
  const { ledger, caughtUp } = committed
  const unmarked = ledger.commands.filter(({ method, markedAt }) => method === 'replace' && markedAt === undefined)
  const outcomes = await mapBounded(unmarked, CALLS_AT_ONCE, (command) => markAll(deps, caughtUp.state, command, signal))
  const now = deps.clock.now()
  const isFresh = ({ id, replacements }: DisruptionCommand): boolean =>
    unmade.filter(({ action }) => action.command === id).length === replacements.length
  const refused = outcomes.filter(({ command, outcome }) => typeof outcome === 'object' && isFresh(command))
  for (const { command } of refused) await takeBack(deps, command, signal)
  const over = new Set(refused.map(({ command }) => command.id))
  const marked = new Set(outcomes.flatMap(({ command, outcome }) => (outcome === 'marked' ? [command.id] : [])))
  const commands = ledger.commands
    .filter(({ id }) => !over.has(id))
    .map((command) => (marked.has(command.id) ? { ...command, markedAt: now } : command))
  const ready = new Set(commands.flatMap(({ id, markedAt }) => (markedAt === undefined ? [] : [id])))
  const standing = unmade.filter(({ action }) => !over.has(action.command ?? ''))
  const [due, waiting] = partition(standing, ({ action }) => ready.has(action.command ?? ''))
  const made = await createClaims(deps, caughtUp.state, due, signal)
  return {
    commands: over.size + marked.size === 0 ? ledger.commands : commands,
    backOffs: refused.reduce<readonly BackOff[]>(
      (all, { command, outcome }) => (typeof outcome === 'object' ? [...all, restOfRefused(command, outcome, all, now)] : all),
      ledger.backOffs,
    ),
    intents: [...made.intents, ...waiting],
    refused: made.refused,
    isDone: outcomes.every(({ outcome }) => outcome !== 'again') && made.intents.every(({ createdAt }) => createdAt !== undefined),
  }
}

/** Marks all nodes first and reads their pods afterwards, so that no pod can move unseen from one node to the other. */
async function markAll(deps: ClusterDeps, state: ClusterState, command: DisruptionCommand, signal: AbortSignalLike): Promise<Marked> {
  const marking = await settle(() => mark(deps, state, command, signal))
  if (!marking.ok) logRefused(deps, `the marking for move ${command.id}`, problemOf(marking.error))
  const outcome = marking.ok ? marking.value : 'again'
  if (typeof outcome === 'object') await reportBlocked(deps, command.candidates, outcome, signal)
  return { command, outcome }
}

async function mark(
  deps: ClusterDeps,
  state: ClusterState,
  { id, reason, repair, candidates }: DisruptionCommand,
  signal: AbortSignalLike,
): Promise<Marked['outcome']> {
  const closed: { readonly candidate: CommandCandidate; readonly live: TaintedCandidate }[] = []
  for (const candidate of candidates) {
    const closing = await taintCandidate(deps, state, candidate, { command: id, reason, repair }, signal)
    if (closing === 'gone') continue
    if (closing === 'again' || 'code' in closing) return closing
    closed.push({ candidate, live: closing })
  }
  for (const { candidate, live } of closed) {
    const checked = await settle(() => checkPods(deps, state, live, { pods: candidate.pods, reason, repair }, signal))
    const held = checked.ok ? checked.value.held : unread(checked.error, live)
    if (held !== undefined) return held
  }
  return 'marked'
}

/** Removes the marks of a command. A node that cannot be unmarked now is unmarked by a later decision. */
async function takeBack(deps: ClusterDeps, { id, candidates }: DisruptionCommand, signal: AbortSignalLike): Promise<void> {
  for (const { claim, uid } of candidates) {
    const opened = await settle(() => untaintCandidate(deps, { claim, uid }, signal))
    if (!opened.ok) logRefused(deps, `the opening of the node of nodeclaim ${claim} after move ${id}`, problemOf(opened.error))
  }
}

/** The most pods of one decision that get an Event, as many as Karpenter allows at once. Of thousands of similar pods, a few are enough. */
const MOST_TOLD = 10

/** Events that tell pods which claim or node they are nominated for, with Karpenter's reason. */
export function nominationEvents(actions: readonly Action[], state: ClusterState): readonly ClusterEvent[] {
  const meant = actions.flatMap((action): readonly Meant[] => {
    if (action.kind === 'createClaim') return action.pods.map((pod) => ({ pod, claim: action.draft.name }))
    return action.kind === 'nominate' ? action.pods.map((pod) => ({ pod, claim: action.claim })) : []
  })
  // A pod of a disruption command still runs on its old node: it is not pending.
  const waiting = meant.filter(({ pod }) => state.find('pod', pod.key)?.nodeName === undefined)
  return waiting.slice(0, MOST_TOLD).map(({ pod, claim }) => {
    const node = state.find('nodeClaim', claim)?.status.nodeName
    const where = node === undefined ? `nodeclaim/${claim}` : `nodeclaim/${claim}, node/${node}`
    return {
      subject: { kind: 'pod', name: pod.key },
      uid: pod.uid,
      type: 'Normal',
      reason: 'Nominated',
      message: `Pod should schedule on: ${where}`,
      key: claim,
    }
  })
}

type Meant = { readonly pod: PodRef; readonly claim: NodeClaimName }
