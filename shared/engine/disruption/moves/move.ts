/** Turns a move into the actions that begin it and the events about it. */
import { byKey, byText, inOrder, largestOf } from '../../../base/lists.ts'
import { defined } from '../../../base/values.ts'
import { findCondition, isTrue } from '../../../model/condition.ts'
import type { Action, ClusterEvent, CreateClaim, DeleteClaim, Reason, TerminatesFirst } from '../../../model/decision.ts'
import type { DisruptionCommand, RepairCause } from '../../../model/disruptionCommand.ts'
import { nodesHash } from '../../../model/driftHash.ts'
import { priceText } from '../../../model/inWords.ts'
import { ANNOTATION } from '../../../model/labels.ts'
import { DRIFTED, type NodeClaim } from '../../../model/nodeClaim.ts'
import type { DisruptionReason, NodePool } from '../../../model/nodePool.ts'
import { type PodRef, refOf } from '../../../model/pod.ts'
import { type EpochMs, type MicroUsdPerHour, microUsdPerHour } from '../../../model/units.ts'
import type { FleetSnapshot } from '../../cluster/fleet.ts'
import type { CandidateWithCost } from '../candidates/candidate.ts'
import { commandDeadline } from '../commands/moveRests.ts'

/** Machines that go together, and claims that must be initialized before they go. */
export type Move = {
  readonly reason: DisruptionReason
  readonly candidates: readonly CandidateWithCost[]
  readonly replacements: readonly CreateClaim[]
  /** Micro-USD an hour. Undefined if some price is unknown. */
  readonly saving: number | undefined
  /** Names of machines that get its pods, new machines excluded. Undefined if no pod needs another place. */
  readonly receivingMachines?: readonly string[]
  /** Other machines come once its own are gone. Undefined if none has to. */
  readonly terminatesFirst?: TerminatesFirst
  /** What a repair is made for. `fault`: the condition of the node, with what it says. Undefined for other reasons. */
  readonly repair?: RepairCause & { readonly fault: string }
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

function replacementOf(create: CreateClaim, { reason, candidates }: Move, id: string, snapshot: FleetSnapshot): CreateClaim {
  const drifted = candidates.map(({ claim }) => claim)
  return { ...(reason === 'Drifted' ? inPlaceOfDrifted(create, { id, drifted }, snapshot) : create), command: id }
}

/** The claim, saying that it replaces drifted nodes, for the brake of drift. */
export function inPlaceOfDrifted(
  create: CreateClaim,
  { id, drifted }: { readonly id: string; readonly drifted: readonly NodeClaim[] },
  snapshot: Pick<FleetSnapshot, 'objects' | 'settings'>,
): CreateClaim {
  const { draft } = create
  const mark = replacesDrifted(id, draft.nodePool, drifted, snapshot)
  if (mark === undefined) return create
  return { ...create, draft: { ...draft, annotations: { ...draft.annotations, [ANNOTATION.replacesDrifted]: mark } } }
}

function deletion({ claim, choice, pods }: CandidateWithCost, { reason, terminatesFirst, repair }: Move): DeleteClaim {
  const moved = pods.length === 0 ? undefined : refsOf(pods)
  const saves = terminatesFirst === undefined ? choice : undefined
  const about = { because: reason, saves, pods: moved, terminatesFirst, repair: repair && causeOf(repair) }
  return defined({ kind: 'deleteClaim' as const, claim: claim.name, uid: claim.meta.uid, ...about })
}

function causeOf({ condition, terminationGracePeriod }: NonNullable<Move['repair']>): RepairCause {
  return defined({ condition, terminationGracePeriod })
}

function refsOf(pods: readonly PodRef[]): readonly PodRef[] {
  return pods.map(refOf).sort(byKey(({ key }) => key))
}

function commandOf(
  { reason, candidates, replacements, saving, repair }: Move,
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
    repair: repair && causeOf(repair),
  })
}

function eventsOf({ claim, node, pods, choice }: CandidateWithCost, move: Move): readonly Action[] {
  const { reason, candidates, replacements, repair } = move
  const isAlone = candidates.length === 1 && replacements.length === 0 && move.terminatesFirst === undefined
  const saved = isAlone ? savedText(choice ?? {}) : savedText({ price: roundedSaving(move) })
  const doing = doingOf(claim.name, pods.length, move)
  const event = {
    subject: { kind: 'nodeClaim', name: claim.name },
    uid: claim.meta.uid,
    type: repair === undefined ? 'Normal' : 'Warning',
    reason: replacements.length === 0 ? 'DisruptionTerminating' : 'DisruptionLaunching',
    // The price is no reason of a repair.
    message: repair === undefined ? `${reason}: ${doing}${saved}` : `${reason}: node ${node.name} has ${repair.fault}; ${doing}`,
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

function doingOf(claim: string, pods: number, { candidates, replacements, terminatesFirst }: Move): string {
  if (terminatesFirst !== undefined)
    return `nodeclaim ${claim} ends before another one comes: nodepool ${terminatesFirst.pool} has no room for both`
  if (pods === 0 && replacements.length === 0) return `no pods need nodeclaim ${claim}`
  const together = candidates.length === 1 ? '' : `, together with ${candidates.length - 1} more nodes`
  if (replacements.length === 0)
    return `${pods === 1 ? 'the pod' : `the ${pods} pods`} of nodeclaim ${claim} ${pods === 1 ? 'fits' : 'fit'} on other nodes`
  const names = replacements.map(({ draft }) => draft.name).join(', ')
  return `${names} ${replacements.length === 1 ? 'replaces' : 'replace'} nodeclaim ${claim}${together}`
}

/** `replacements`: the new machines. Undefined if the move is not planned yet. */
export type ProposedMove = {
  readonly candidates: readonly CandidateWithCost[]
  readonly reason: DisruptionReason
  readonly replacements?: readonly CreateClaim[]
}

/** A limit on moves by other moves: moves of earlier decisions, and moves that the same decision has begun. */
export interface MoveRule {
  /** Why the move may not begin. Undefined if it may. */
  refusal(move: ProposedMove): Reason | undefined
  /** Reports whether the rule refuses none of the machines of the pool, each alone. Undefined if it refuses no move that names no replacements. */
  readonly holdsNone?: (pool: NodePool, reason: DisruptionReason) => boolean
  /** Records that the move begins. */
  begin(move: ProposedMove): void
  /** The times from which moves that were refused may begin. */
  wakes(): readonly EpochMs[]
  /** Returns a function that takes back the moves that begin after this call. */
  mark(): () => void
}

/** The number of moves in a row whose replacements have drifted when they come up, before drift moves stop. */
const DRIFTED_IN_A_ROW = 2
/** A node that drifts later than this after its initialization was right when it came up. All looks at a new node come sooner. */
const AT_BIRTH_MS = 10 * 60_000

/**
 * The annotation of a claim of the pool that replaces the drifted claims: the move, a hash of what the claim is made from, and how many replacements
 * before it, each in the place of the other, had drifted when they came up. Undefined if the NodeClass is gone.
 */
function replacesDrifted(
  move: string,
  pool: string,
  drifted: readonly NodeClaim[],
  snapshot: Pick<FleetSnapshot, 'objects' | 'settings'>,
): string | undefined {
  const hash = presentHash(pool, snapshot)
  if (hash === undefined) return undefined
  const before = drifted.map((claim) =>
    replacementMarkOf(claim).hash === hash && driftedAtBirth(claim) ? replacementMarkOf(claim).before + 1 : 0,
  )
  return `${move} ${hash} ${largestOf([0, ...before])}`
}

/**
 * Why drifted nodes of the pool are not replaced: its new nodes have drifted when they come up. Each further replacement would drift as well, and
 * pods would move for nothing without an end. Undefined if drifted nodes are replaced. The new nodes themselves are the record, so every process sees
 * the same. Only replacements that were made from the present template and facts count, so that a change of either begins anew. Replacements that
 * still come up say nothing yet.
 */
export function driftBrake(pool: Pick<NodePool, 'name'>, snapshot: FleetSnapshot): string | undefined {
  const { replacements } = snapshot.fleet.counted(pool.name)
  if (replacements === undefined) return undefined
  const hash = presentHash(pool.name, snapshot)
  const present = replacements.filter((claim) => replacementMarkOf(claim).hash === hash && isTrue(claim.status.conditions, 'Initialized'))
  const moves = [...Map.groupBy(present.toSorted(newestFirst), (claim) => replacementMarkOf(claim).move).values()]
  const latest = moves.slice(0, DRIFTED_IN_A_ROW).map((claims) => claims.find(driftedAtBirth))
  const [last] = latest
  if (last === undefined) return undefined
  if (replacementMarkOf(last).before + 1 >= DRIFTED_IN_A_ROW) return messageOf(pool, [last])
  const born = latest.filter((claim) => claim !== undefined)
  return born.length < DRIFTED_IN_A_ROW ? undefined : messageOf(pool, born)
}

const newestFirst = inOrder<NodeClaim>(
  (first, second) => second.meta.createdAt - first.meta.createdAt,
  (first, second) => byText(second.name, first.name),
)

function presentHash(name: string, { objects, settings }: Pick<FleetSnapshot, 'objects' | 'settings'>): string | undefined {
  const pool = objects.nodePool.find((each) => each.name === name)
  const of = objects.nodeClass.find((each) => each.name === pool?.template.nodeClassRef.name)
  return pool && of && nodesHash(pool, of, settings)
}

/** Reports whether the claim has the mark of a replacement, drifted when it came up, and was made from the present template and facts. */
export function wasBornDrifted(
  claim: NodeClaim,
  pool: Pick<NodePool, 'name'>,
  snapshot: Pick<FleetSnapshot, 'objects' | 'settings'>,
): boolean {
  const { hash } = replacementMarkOf(claim)
  return hash !== '' && hash === presentHash(pool.name, snapshot) && driftedAtBirth(claim)
}

type ReplacementMark = { readonly move: string; readonly hash: string; readonly before: number }

function replacementMarkOf({ meta }: NodeClaim): ReplacementMark {
  const [move = '', hash = '', before] = meta.annotations[ANNOTATION.replacesDrifted]?.split(' ') ?? []
  return { move, hash, before: Number(before) || 0 }
}

function driftedAtBirth({ status: { conditions } }: NodeClaim): boolean {
  const [drifted, initialized] = [findCondition(conditions, DRIFTED), findCondition(conditions, 'Initialized')]
  if (drifted?.status !== 'True' || initialized === undefined) return false
  return drifted.lastTransitionAt - initialized.lastTransitionAt <= AT_BIRTH_MS
}

function messageOf({ name }: Pick<NodePool, 'name'>, born: readonly NodeClaim[]): string {
  const [names, them] = [born.map((claim) => claim.name).join(' and '), born.length === 1 ? 'that nodeclaim' : 'both nodeclaims']
  const drift = born.map(({ status }) => findCondition(status.conditions, DRIFTED)).find((each) => each !== undefined)
  const why = drift === undefined ? '' : `${drift.reason}: ${drift.message}`.slice(0, 300)
  return `nodepool ${name}: the last replacements of drifted nodes had drifted when they came up, lately ${names} (${why}), so no drifted node of it is replaced; correct the cause in the nodepool or its aksnodeclass, or delete ${them} to try again`
}
