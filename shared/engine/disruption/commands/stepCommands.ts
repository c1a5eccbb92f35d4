/** Takes moves under way one step further. Each step follows from the ledger and the snapshot alone: any process can make it, also twice. */
import { addAll, byKey, leastOf } from '../../../base/lists.ts'
import { isTrue } from '../../../model/condition.ts'
import type { Action, Decision, RemoveReplacement } from '../../../model/decision.ts'
import type { BackOff, CommandCandidate, DisruptionCommand } from '../../../model/disruptionCommand.ts'
import type { NodeClaimName } from '../../../model/ids.ts'
import type { Node } from '../../../model/node.ts'
import { durationMs, type EpochMs, epochMs, later } from '../../../model/units.ts'
import type { FleetSnapshot } from '../../cluster/fleet.ts'
import { repairableNodes } from '../../cluster/repairPolicies.ts'
import { isEnding, leavingBy, type StateNode } from '../../cluster/stateNode.ts'
import { isReschedulable } from '../../pod/podPredicates.ts'
import { backOffOf, FIRST_REST } from './moveRests.ts'
import { isTainted, type Sweep } from './sweep.ts'

/** How long the watch may take to show our own writes. Usually it takes moments. If it takes longer, something else is wrong. */
const WATCH_PATIENCE = durationMs(10_000)
/** How long after a held step the step is tried again. */
const TRY_AGAIN = durationMs(15_000)
/** How long after its deadline a ready move is still tried. A pod or a budget may hold its last step although its replacements came in time. */
const LAST_TRIES = durationMs(10 * 60_000)

export type Stepped = {
  /** Moves that go on. */
  readonly commands: readonly DisruptionCommand[]
  readonly backOffs: readonly BackOff[]
  readonly decision: Decision
}

type Step = {
  /** Undefined if the move is over. */
  readonly command?: DisruptionCommand
  readonly backOff?: BackOff
  readonly actions: readonly Action[]
  readonly wakeAt?: EpochMs
}

/** Decides the next step of each move under way, and removes marks that belong to no move. */
export function stepCommands(snapshot: FleetSnapshot, sweep: Sweep): Stepped {
  const { commands, backOffs, takenAt, fleet } = snapshot
  const view = createCommandView(snapshot)
  const steps = commands.toSorted(byKey(({ id }) => id)).map((command) => stepOf(command, view))
  const live = steps.flatMap(({ command }) => command ?? [])
  const rests = [...backOffs, ...steps.flatMap(({ backOff }) => backOff ?? [])]
  const actions = steps.flatMap((step) => step.actions)
  const opened = new Set(actions.flatMap((action) => (action.kind === 'openNode' ? [action.claim] : [])))
  addAll(
    actions,
    sweep(fleet, takenAt, leavingBy(live)).filter(({ claim }) => !opened.has(claim)),
  )
  const wakes = [...steps.flatMap(({ wakeAt }) => wakeAt ?? []), ...rests.flatMap(({ until }) => (until > takenAt ? [until] : []))]
  return {
    commands: live,
    backOffs: rests,
    decision: { actions, reasons: [], ...(wakes.length === 0 ? {} : { wakeAt: epochMs(leastOf(wakes)) }) },
  }
}

function stepOf(command: DisruptionCommand, view: CommandView): Step {
  const standing = remainingCandidates(command, view)
  if (standing.length === 0) return { actions: [{ kind: 'endCommand', command, message: 'its nodes are gone or being deleted' }] }
  const needless = command.reason === 'Unhealthy' ? needlessRepair(standing, view) : undefined
  if (needless !== undefined) return failed(command, standing, view, needless, FIRST_REST.refused)
  return command.method === 'delete' ? stepDelete(command, standing, view) : stepReplace(command, standing, view)
}

/** The nodes were taken away or held when the move was decided. A node that is still there was left by a process that died. */
function stepDelete(command: DisruptionCommand, standing: readonly CommandCandidate[], view: CommandView): Step {
  const { takenAt } = view.snapshot
  if (takenAt >= command.deadline) return failed(command, standing, view, 'its nodes could not be taken away in time')
  const again = later(command.startedAt, WATCH_PATIENCE)
  if (takenAt < again) return { command, actions: [], wakeAt: again }
  return { command, actions: standing.map((each) => endOf(command, each)), wakeAt: later(takenAt, TRY_AGAIN) }
}

function stepReplace(command: DisruptionCommand, standing: readonly CommandCandidate[], view: CommandView): Step {
  const { takenAt } = view.snapshot
  const { ready, lost } = progressOf(command, view)
  if (lost !== undefined) return failed(command, standing, view, `replacement ${lost} is gone`)
  const isReady = ready.length === command.replacements.length && command.markedAt !== undefined
  const last = isReady ? later(command.deadline, LAST_TRIES) : command.deadline
  if (takenAt >= last)
    return failed(command, standing, view, isReady ? 'its nodes stayed blocked for too long' : 'its replacements were not ready in time')
  const next = withProgress(command, ready, hasLostMarks(command, standing, view))
  const kept: readonly Action[] = next === command ? [] : [{ kind: 'keepCommand', command: next }]
  if (isReady) {
    return {
      command: next,
      actions: [...kept, ...standing.map((each) => endOf(command, each))],
      wakeAt: epochMs(Math.min(later(takenAt, TRY_AGAIN), last)),
    }
  }
  const wakeAt = command.markedAt === undefined ? epochMs(Math.min(later(takenAt, TRY_AGAIN), last)) : last
  return { command: next, actions: [...kept, ...reportWaiting(command, ready, view)], wakeAt }
}

/** The command with this progress. Without `markedAt` its nodes are marked again. */
function withProgress(command: DisruptionCommand, ready: DisruptionCommand['replacements'], isUnmarked: boolean): DisruptionCommand {
  if (!isUnmarked && ready.length === (command.ready ?? []).length) return command
  const { markedAt, ...rest } = command
  const progress = ready.length === 0 ? rest : { ...rest, ready }
  return isUnmarked || markedAt === undefined ? progress : { ...progress, markedAt }
}

/** Reports whether another writer has removed the taint from a node. */
function hasLostMarks(
  { markedAt }: DisruptionCommand,
  standing: readonly CommandCandidate[],
  { snapshot, machineOf }: CommandView,
): boolean {
  if (markedAt === undefined || snapshot.takenAt < later(markedAt, WATCH_PATIENCE)) return false
  return standing.some(({ claim }) => {
    const machine = machineOf(claim)
    return machine?.node !== undefined && !isTainted(machine)
  })
}

/** Why the repair is over although its node is still there: nobody asks for it any more. Undefined if it goes on. */
function needlessRepair(standing: readonly CommandCandidate[], { machineOf, isRepairable }: CommandView): string | undefined {
  const node = standing.map(({ claim }) => machineOf(claim)?.node).find((each) => each !== undefined && !isRepairable(each))
  return node && `node ${node.name} is healthy again, or is annotated not to be repaired`
}

/** The nodes stay and are opened. Replacements that are not initialized go; initialized replacements stay as capacity. */
function failed(
  command: DisruptionCommand,
  standing: readonly CommandCandidate[],
  view: CommandView,
  message: string,
  rest = FIRST_REST.failed,
): Step {
  const { backOffs, takenAt } = view.snapshot
  const backOff = backOffOf(command, backOffs, takenAt, rest)
  return {
    backOff,
    actions: [
      { kind: 'endCommand', command, message, backOff },
      ...standing.map(({ claim, uid }) => ({ kind: 'openNode', claim, uid }) as const),
      ...abandoned(command, view),
    ],
  }
}

function endOf({ id, reason, repair }: DisruptionCommand, { claim, uid, pods }: CommandCandidate): Action {
  return { kind: 'deleteClaim', claim, uid, because: reason, pods, command: id, ...(repair && { repair }) }
}

/** How far the replacements of a move have come. */
type Progress = {
  /** Replacements that were initialized at some time, in the order of the command. */
  readonly ready: readonly NodeClaimName[]
  /** A replacement that will not come, or has gone again. Undefined if there is none. */
  readonly lost?: NodeClaimName
}

function progressOf({ replacements, ready = [] }: DisruptionCommand, { machineOf, isDrafted }: CommandView): Progress {
  const lost = replacements.find((name) => {
    const claim = machineOf(name)?.claim
    return claim === undefined ? !isDrafted(name) : claim.meta.deletedAt !== undefined
  })
  const initialized = replacements.filter(
    (name) => ready.includes(name) || isTrue(machineOf(name)?.claim?.status.conditions ?? [], 'Initialized'),
  )
  return lost === undefined ? { ready: initialized } : { ready: initialized, lost }
}

/** Removes replacements of a failed move. A replacement stays if it is initialized, has pods, or was promised to a pod outside the move. */
function abandoned(
  { id, replacements, candidates }: DisruptionCommand,
  { snapshot, machineOf }: CommandView,
): readonly RemoveReplacement[] {
  const moving = new Set(candidates.flatMap(({ pods }) => pods.map(({ uid }) => uid)))
  const awaited = new Set(snapshot.nominations.filter(({ pod }) => !moving.has(pod)).map(({ claim }) => claim))
  return replacements.flatMap((name) => {
    const machine = machineOf(name)
    const claim = machine?.claim
    if (machine === undefined || claim === undefined || claim.meta.deletedAt !== undefined || awaited.has(name)) return []
    if (isTrue(claim.status.conditions, 'Initialized') || machine.pods.some(isReschedulable)) return []
    return [{ kind: 'removeReplacement', claim: name, uid: claim.meta.uid, command: id } as const]
  })
}

/** Events about replacements that are on their way, with Karpenter's event reasons. */
function reportWaiting(
  { reason, replacements }: DisruptionCommand,
  ready: readonly NodeClaimName[],
  { machineOf }: CommandView,
): readonly Action[] {
  return replacements.flatMap((name): readonly Action[] => {
    const claim = machineOf(name)?.claim
    if (claim === undefined || ready.includes(name)) return []
    const event = { subject: { kind: 'nodeClaim', name }, uid: claim.meta.uid, type: 'Normal' } as const
    return [
      { kind: 'publish', event: { ...event, reason: 'DisruptionLaunching', message: `Launching NodeClaim: ${reason}` } },
      {
        kind: 'publish',
        event: { ...event, reason: 'DisruptionWaitingReadiness', message: 'Waiting on readiness to continue disruption' },
      },
    ]
  })
}

/** What the steps of commands read. */
type CommandView = {
  readonly snapshot: FleetSnapshot
  readonly machineOf: (claim: NodeClaimName) => StateNode | undefined
  /** Reports whether the claim is decided and the watch has not shown it yet. */
  readonly isDrafted: (claim: NodeClaimName) => boolean
  readonly isRepairable: (node: Node) => boolean
}

/** Machines are looked up only where moves are under way. */
function createCommandView(snapshot: FleetSnapshot): CommandView {
  const wanted = new Set(
    snapshot.commands.flatMap(({ candidates, replacements }) => [...candidates.map(({ claim }) => claim), ...replacements]),
  )
  const machines = new Map<NodeClaimName, StateNode>()
  if (wanted.size > 0) {
    for (const machine of snapshot.fleet.all()) {
      if (machine.claim !== undefined && wanted.has(machine.claim.name)) machines.set(machine.claim.name, machine)
    }
  }
  const drafted = new Set(snapshot.drafts.map(({ name }) => name))
  const isRepairable = repairableNodes(snapshot.settings)
  return { snapshot, machineOf: (claim) => machines.get(claim), isDrafted: (claim) => drafted.has(claim), isRepairable }
}

/** The candidates that exist and are not ending. A candidate that vanishes does not stop the others. */
function remainingCandidates({ candidates }: DisruptionCommand, { machineOf }: CommandView): readonly CommandCandidate[] {
  return candidates.filter(({ claim: name, uid }) => {
    const claim = machineOf(name)?.claim
    return claim !== undefined && claim.meta.uid === uid && !isEnding(claim)
  })
}
