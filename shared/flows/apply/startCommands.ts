import { mapBounded, settle } from '../../base/bounded.ts'
import { partition } from '../../base/lists.ts'
import { restOfRefused } from '../../engine/disruption/commands/backOff.ts'
import type { DisruptionBlock } from '../../engine/disruption/commands/liveCheck.ts'
import type { BackOff, CommandCandidate, DisruptionCommand } from '../../model/disruptionCommand.ts'
import type { Intent } from '../../model/ledger.ts'
import type { AbortSignalLike } from '../../ports/clock.ts'
import type { ClusterDeps } from '../deps/clusterDeps.ts'
import { CALLS_AT_ONCE, logRefused, problemOf } from '../deps/doEach.ts'
import type { RefusedIntent } from '../ledger/claimRefusals.ts'
import type { Committed } from '../ledger/committed.ts'
import { reportBlocked } from '../reports/reportCommand.ts'
import type { ClusterState } from '../state/clusterState.ts'
import { createClaims } from './createClaims.ts'
import { checkPods, type TaintedCandidate, taintCandidate, unread, untaintCandidate } from './markCandidate.ts'

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
  { id, reason, candidates }: DisruptionCommand,
  signal: AbortSignalLike,
): Promise<Marked['outcome']> {
  const closed: { readonly candidate: CommandCandidate; readonly live: TaintedCandidate }[] = []
  for (const candidate of candidates) {
    const closing = await taintCandidate(deps, state, candidate, { command: id, reason }, signal)
    if (closing === 'gone') continue
    if (closing === 'again' || 'code' in closing) return closing
    closed.push({ candidate, live: closing })
  }
  for (const { candidate, live } of closed) {
    const checked = await settle(() => checkPods(deps, state, live, { pods: candidate.pods, reason }, signal))
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
