/** Turns a move into the actions that begin it and the events about it. */
import { defined } from '../../../base/defined.ts'
import { byKey } from '../../../base/order.ts'
import { type Action, type ClusterEvent, type CreateClaim, type DeleteClaim } from '../../../model/decision.ts'
import type { DisruptionCommand } from '../../../model/disruptionCommand.ts'
import { priceText } from '../../../model/inWords.ts'
import { ANNOTATION } from '../../../model/labels.ts'
import type { DisruptionReason } from '../../../model/nodePool.ts'
import { type PodRef, refOf } from '../../../model/podRef.ts'
import { type MicroUsdPerHour, microUsdPerHour } from '../../../model/units.ts'
import type { FleetSnapshot } from '../../cluster/fleetSnapshot.ts'
import type { CandidateWithCost } from '../candidates/candidate.ts'
import { commandDeadline } from '../commands/commandDeadline.ts'
import { replacesDrifted } from './driftBrake.ts'

/** Machines that go together, and claims that must be initialized before they go. */
export type Move = {
  readonly reason: DisruptionReason
  readonly candidates: readonly CandidateWithCost[]
  readonly replacements: readonly CreateClaim[]
  /** Micro-USD an hour. Undefined if some price is unknown. */
  readonly saving: number | undefined
  /** Names of machines that get its pods, new machines excluded. Undefined if no pod needs another place. */
  readonly receivingMachines?: readonly string[]
}

/** `begun`: the number of commands that the same decision has begun already. */
export function actionsOf(moves: readonly Move[], snapshot: FleetSnapshot, begun = 0): readonly Action[] {
  let commands = begun
  const queued = [...snapshot.commands, ...moves].reduce((sum, { candidates }) => sum + candidates.length, 0)
  const deadline = commandDeadline(snapshot.takenAt, queued)
  return moves.flatMap((move): readonly Action[] => {
    const told = move.candidates.flatMap((candidate) => eventsOf(candidate, move))
    if (move.replacements.length === 0) return [...move.candidates.map((candidate) => deletion(candidate, move)), ...told]
    const command = commandOf(move, { id: `${snapshot.decision}-${commands++}`, startedAt: snapshot.takenAt, deadline })
    const created = move.replacements.map((create) => replacementOf(create, move, command.id, snapshot))
    return [{ kind: 'startCommand', command }, ...created, ...told]
  })
}

/** A replacement of drifted nodes says so, for the brake of drift. */
function replacementOf(create: CreateClaim, { reason, candidates }: Move, id: string, snapshot: FleetSnapshot): CreateClaim {
  const { draft } = create
  const drifted = candidates.map(({ claim }) => claim)
  const mark = reason === 'Drifted' ? replacesDrifted(id, draft.nodePool, drifted, snapshot) : undefined
  const annotations = mark === undefined ? draft.annotations : { ...draft.annotations, [ANNOTATION.replacesDrifted]: mark }
  return { ...create, draft: { ...draft, annotations }, command: id }
}

function deletion({ claim, choice, pods }: CandidateWithCost, { reason }: Move): DeleteClaim {
  const moved = pods.length === 0 ? undefined : refsOf(pods)
  return defined({ kind: 'deleteClaim' as const, claim: claim.name, uid: claim.meta.uid, because: reason, saves: choice, pods: moved })
}

function refsOf(pods: readonly PodRef[]): readonly PodRef[] {
  return pods.map(refOf).sort(byKey(({ key }) => key))
}

function commandOf(
  { reason, candidates, replacements, saving }: Move,
  begun: Pick<DisruptionCommand, 'id' | 'startedAt' | 'deadline'>,
): DisruptionCommand {
  return defined({
    ...begun,
    reason,
    method: 'replace' as const,
    candidates: candidates.map(({ claim, node, pool, choice, pods }) =>
      defined({ claim: claim.name, uid: claim.meta.uid, node: node.name, pool: pool.name, price: choice?.price, pods: refsOf(pods) }),
    ),
    replacements: replacements.map(({ draft }) => draft.name),
    saving: roundedSaving({ saving }),
  })
}

function eventsOf({ claim, node, pods, choice }: CandidateWithCost, move: Move): readonly Action[] {
  const { reason, candidates, replacements } = move
  const saved = candidates.length === 1 && replacements.length === 0 ? savedText(choice ?? {}) : savedText({ price: roundedSaving(move) })
  const event = {
    subject: { kind: 'nodeClaim', name: claim.name },
    uid: claim.meta.uid,
    type: 'Normal',
    reason: replacements.length === 0 ? 'DisruptionTerminating' : 'DisruptionLaunching',
    message: `${reason}: ${doingOf(claim.name, pods.length, move)}${saved}`,
  } as const
  return [
    { kind: 'publish', event },
    { kind: 'publish', event: { ...event, subject: { kind: 'node', name: node.name }, uid: node.meta.uid } satisfies ClusterEvent },
  ]
}

function roundedSaving({ saving }: Pick<Move, 'saving'>): MicroUsdPerHour | undefined {
  return saving === undefined ? undefined : microUsdPerHour(Math.round(saving))
}

function savedText(saved: { readonly price?: MicroUsdPerHour | undefined; readonly diskPrice?: MicroUsdPerHour }): string {
  return saved.price === undefined ? '' : `; saves ${priceText(defined(saved))}`
}

function doingOf(claim: string, pods: number, { candidates, replacements }: Move): string {
  if (pods === 0 && replacements.length === 0) return `no pods need nodeclaim ${claim}`
  const together = candidates.length === 1 ? '' : `, together with ${candidates.length - 1} more nodes`
  if (replacements.length === 0)
    return `${pods === 1 ? 'the pod' : `the ${pods} pods`} of nodeclaim ${claim} ${pods === 1 ? 'fits' : 'fit'} on other nodes`
  const names = replacements.map(({ draft }) => draft.name).join(', ')
  return `${names} ${replacements.length === 1 ? 'replaces' : 'replace'} nodeclaim ${claim}${together}`
}
