/** Tries out moves of machines with pods, as many as the steps of a decision allow. */
import { once, remembered } from '../../base/caches.ts'
import { addAll } from '../../base/lists.ts'
import type { DisruptionCursor, Reason } from '../../model/decision.ts'
import type { NodePool } from '../../model/nodePool.ts'
import type { EpochMs } from '../../model/units.ts'
import type { FleetSnapshot } from '../cluster/fleet.ts'
import type { Relocation } from '../scheduling/relocation/relocation.ts'
import { type CandidateWithCost, reasonOf } from './candidates/candidate.ts'
import { demandOf, type Room } from './candidates/roomPrices.ts'
import { lookAhead, type Outlook } from './lookahead/lookAhead.ts'
import { deleteNodes, replaceNodes } from './methods/consolidation.ts'
import { isDrifted, replaceDrifted } from './methods/drift.ts'
import type { IdleMachines } from './methods/emptiness.ts'
import { type Consolidating, mergeMachines, type Totals, totalsOf } from './methods/merging.ts'
import { consolidateByBestStrategy, FEW_FOR_STRATEGIES } from './methods/strategies.ts'
import type { Move } from './moves/move.ts'
import type { NextWave } from './nextWave.ts'
import type { PlannedMachine } from './planned/plannedTaints.ts'
import { relocatable } from './relocatable.ts'
import { isWeighedByRoom, NOT_BY_ROOM, type RoomOrder, roomOrder } from './roomOrder.ts'
import type { ClassifiedCandidates } from './verdicts/classifyCandidates.ts'
import {
  groupSizeFor,
  lastTurn,
  MOST_STEPS,
  type TriedLook,
  type TriedLooks,
  type Turns,
  tryInTurn,
  turnsAfter,
} from './verdicts/moveTurns.ts'
import type { KeptCandidate, Planner } from './verdicts/verdicts.ts'
import type { Waiting } from './verdicts/waitingReasons.ts'
import type { Wave } from './waves/wave.ts'

export type TriedMoves = {
  readonly moves: readonly Move[]
  /** The candidates that had their turn. The turn of all others comes later. */
  readonly hadTurn: ReadonlySet<KeptCandidate>
  /** See `Decision.turn`. */
  readonly turn: DisruptionCursor | undefined
  /** The plan of the moves, and the machines that it can move. Undefined if nothing moves. */
  readonly begun: { readonly tried: ReadonlySet<KeptCandidate>; readonly consolidating: Consolidating } | undefined
}

/** `candidates`: machines that may go now, in the order of their turns. They are among the machines that were judged. */
export function tryMoves(
  candidates: readonly KeptCandidate[],
  { weighed, restless }: Pick<ClassifiedCandidates, 'weighed' | 'restless'>,
  moving: Moving,
  relocate: NonNullable<Planner['relocate']>,
): TriedMoves {
  const { snapshot, wave, refuse, idle } = moving
  const turns = turnsAfter(snapshot.disruptionCursor, candidates)
  const { now } = turns
  const byRoom = once(() => (isWeighedByRoom(candidates) ? roomOrder(candidates) : NOT_BY_ROOM))
  const relocationWith = (takers: Takers) =>
    once(() => relocate(relocatable(now, candidates, { restless, snapshot, wave, idle, takers, order: byRoom().order })))
  const totals = totalsByPool(weighed, snapshot)
  const { moves, reasons, waiting, tried, consolidating } = tryOnce(turns, { candidates, restless, moving, relocationWith, byRoom, totals })
  for (const reason of reasons) refuse(reason)
  const waitingNow = waiting.flatMap((at) => now[at] ?? [])
  const left = new Set(waitingNow)
  const isAny = moves.length > 0 && consolidating !== undefined
  return {
    moves,
    hadTurn: left.size === 0 ? new Set(now) : new Set(now.filter((each) => !left.has(each))),
    turn: lastTurn(turns, left),
    begun: isAny ? { tried: new Set(tried), consolidating } : undefined,
  }
}

/** Returns what moves are tried with. `spent`: the steps so far. */
export function consolidatingWith(
  relocation: () => Relocation,
  totals: (pool: NodePool) => Totals,
  {
    snapshot,
    wave,
    refuse,
    idle,
    leastScore,
    prices,
  }: Pick<Moving, 'snapshot' | 'wave' | 'refuse' | 'idle'> & Pick<Consolidating, 'leastScore' | 'prices'>,
  spent = stepsOf(relocation),
): Consolidating {
  const isSpent = (): boolean => spent() > MOST_STEPS
  return { relocation, wave, totals, idle, settings: snapshot.settings, leastScore, prices, refuse, kept: [], isSpent }
}

/** Returns a function that tells the steps since its first call. */
function stepsOf(relocation: () => Relocation): () => number {
  const begun = once(() => relocation().spent())
  return () => relocation().spent() - begun()
}

type Trying = {
  readonly candidates: readonly KeptCandidate[]
  readonly restless: readonly KeptCandidate[]
  readonly moving: Moving
  /** Begins a plan in which only these of the machines that may go take pods. */
  readonly relocationWith: (takers: Takers) => () => Relocation
  readonly byRoom: () => RoomOrder
  readonly totals: (pool: NodePool) => Totals
}

/** Undefined: all machines. */
type Takers = ReadonlySet<KeptCandidate> | undefined

/**
 * `tried`: the machines that might have gone. `waiting`: the places in `now` of machines that had no turn. `isKnown`: the result depends on nothing but
 * what the tries read.
 */
type Tried = {
  readonly moves: readonly Move[]
  readonly tried: readonly KeptCandidate[]
  readonly reasons: readonly Reason[]
  readonly waiting: readonly number[]
  readonly isKnown: boolean
  readonly relocation: () => Relocation
  readonly consolidating: Consolidating
}

/** Tries the machines unless an earlier decision has found that there is nothing to gain. */
function tryOnce(turns: Turns, trying: Trying): Pick<Tried, 'moves' | 'reasons' | 'waiting' | 'tried'> & Partial<Tried> {
  const { moving, candidates, restless } = trying
  const { planner, triedLooks } = moving
  if (turns.now.length === 0) return NOTHING_TRIED
  const look = lookOf(turns, trying)
  if (look === undefined || planner.tryChanges === undefined) return tryBoth(turns, trying)
  const kept = triedLooks.find(look, { goers: candidates, restless }, planner.tryChanges())
  if (kept !== undefined) return { ...kept, moves: [], tried: [] }
  const tried = tryBoth(turns, trying)
  const { moves, reasons, waiting, isKnown, relocation } = tried
  const reads = isKnown && moves.length === 0 ? relocation().reads() : undefined
  if (reads !== undefined) triedLooks.keep(look, { reasons, waiting }, reads)
  return tried
}

/**
 * Tries the machines that are not needed, with pods kept off them. If none of them goes, all machines are tried and may take pods: a place on a machine
 * that is not needed is better than a machine more.
 */
function tryBoth(turns: Turns, trying: Trying): Tried {
  const { staying } = trying.byRoom()
  if (staying.size === 0) return tryNow(turns, trying, undefined)
  const tried = tryNow(turns, trying, staying)
  return tried.moves.length > 0 ? tried : tryNow(turns, trying, undefined)
}

const NOTHING_TRIED = { moves: [], reasons: [], waiting: [], tried: [] } as const

/** Undefined if the result of the tries depends on more than what is compared between looks. */
function lookOf({ now, isLast }: Turns, { candidates, moving, totals, byRoom }: Trying): TriedLook | undefined {
  const { snapshot, planner, wave, begun, idle } = moving
  const [first] = candidates
  if (first === undefined || now.length === 0 || isDrifted(first)) return undefined
  if (begun.length > 0 || planner.ending.size > 0 || (snapshot.extraNodes ?? []).length > 0) return undefined
  const { staying } = byRoom()
  const isByRoom = isWeighedByRoom(candidates)
  const limits = [...new Set((isByRoom ? candidates : now).map(({ pool }) => pool))].map((pool) => {
    const { price, cost } = isByRoom || pool.disruption.consolidationPolicy === 'Balanced' ? totals(pool) : NO_TOTALS
    return `${pool.name} ${Math.min(now.length, wave.left(pool, 'Underutilized'))} ${price} ${cost}`
  })
  const addresses = [...(snapshot.subnetRooms ?? [])].map(([name, { subnet, machines }]) => `${name} ${subnet} ${machines}`)
  const { cpu, memory } = isByRoom ? demandOf(candidates) : NO_DEMAND
  const others = [groupSizeFor(candidates.length), cpu, memory]
  return {
    now,
    isLast,
    limits: [...others, ...limits, ...idle.keys(), ...addresses, ...[...staying].map(({ machine }) => machine.name)].join(),
  }
}

const NO_TOTALS: Totals = { price: 0, cost: 0 }
const NO_DEMAND: Room = { cpu: 0, memory: 0 }

/**
 * The least score of a merge of machines that are compared by the worth of their room. Set on the first 20 clusters of both kinds of
 * `npm run bench:disruption -- --only greedy`; docs/adr/0041-room-has-a-price.md has the figures.
 */
const LEAST_MERGE_SCORE = 0.05

function tryNow({ now, isLast }: Turns, { moving, relocationWith, byRoom, totals, candidates }: Trying, staying: Takers): Tried {
  const { snapshot, planner, wave, begun: earlier, idle } = moving
  const reasons: Reason[] = []
  const refuse = (reason: Reason): void => void reasons.push(reason)
  const relocation = relocationWith(staying)
  const spent = stepsOf(relocation)
  const { order, prices } = byRoom()
  const leastScore = order && LEAST_MERGE_SCORE
  const consolidating = consolidatingWith(
    relocation,
    totals,
    { snapshot, wave, refuse, idle, leastScore, ...(staying !== undefined && { prices }) },
    spent,
  )
  const moves: Move[] = []
  const leftDrifted = tryInTurn(now.filter(isDrifted), spent, (group) => addAll(moves, replaceDrifted(group, relocation, wave, refuse)))
  const tried = now.filter((each) => staying?.has(each) !== true)
  for (const each of now) if (staying?.has(each) === true) refuse(goesLater(each))
  const busy = tried.filter((each) => !isDrifted(each))
  if (order === undefined && leftDrifted.length === 0 && isLast && busy.length <= FEW_FOR_STRATEGIES) {
    const ahead = noting(lookAhead(snapshot, planner, [...earlier, ...moves]))
    addAll(moves, consolidateByBestStrategy(busy, consolidating, { outlook: ahead.outlook, isFirst: earlier.length + moves.length === 0 }))
    return { moves, reasons, tried, waiting: [], isKnown: !ahead.isAsked(), relocation, consolidating }
  }
  const deleted =
    leftDrifted.length > 0 ? { moves: [], left: busy } : deleteNodes(order === undefined ? busy : busy.toSorted(order), consolidating)
  addAll(moves, deleted.moves)
  const attempt = (group: readonly KeptCandidate[]): void => {
    addAll(moves, replaceNodes(group, consolidating))
    const staying = group.filter(({ machine }) => !wave.hasTaken(machine))
    addAll(moves, mergeMachines(staying, consolidating))
  }
  const left = tryInTurn(deleted.left, spent, attempt, groupSizeFor(candidates.length))
  const waiting = new Set([...leftDrifted, ...left])
  return {
    moves,
    reasons,
    tried,
    waiting: now.flatMap((each, at) => (waiting.has(each) ? [at] : [])),
    isKnown: true,
    relocation,
    consolidating,
  }
}

function goesLater({ claim }: CandidateWithCost): Reason {
  return reasonOf(claim, 'DISRUPTION.WAVE', 'other nodes go first: the pods need the room of this one, or it costs less')
}

/** Tells whether the look ahead was asked for. A look ahead depends on the whole cluster and on the time. */
function noting(outlook: Outlook | undefined): { readonly outlook: Outlook | undefined; readonly isAsked: () => boolean } {
  let isAsked = false
  if (outlook === undefined) return { outlook: undefined, isAsked: () => isAsked }
  const ask: Outlook['ask'] = (moves) => {
    isAsked = true
    return outlook.ask(moves)
  }
  return { outlook: { ...outlook, ask }, isAsked: () => isAsked }
}

export function totalsByPool(weighed: readonly KeptCandidate[], { fleet }: FleetSnapshot): (pool: NodePool) => Totals {
  return remembered((pool: NodePool) =>
    totalsOf(
      weighed.filter((each) => each.pool === pool),
      fleet.of(pool.name),
    ),
  )
}

/** What moves of machines with pods are planned with. */
export type Moving = {
  readonly snapshot: FleetSnapshot
  readonly planner: Planner
  readonly wave: Wave
  readonly refuse: (reason: Reason) => void
  /** The moves that the same decision has begun already. */
  readonly begun: readonly Move[]
  readonly triedLooks: TriedLooks
  readonly idle: IdleMachines
  /** The machines with the taint of planned nodes. Undefined if no machine gets the taint. */
  readonly planned: readonly PlannedMachine[] | undefined
}

/** `turn`: see `Decision.turn`. `wakes`: the times from which more machines may go. */
export type Moves = {
  readonly moves: readonly Move[]
  readonly wakes: readonly EpochMs[]
  readonly turn: DisruptionCursor | undefined
  /** Machines that are not tried by this decision, and why: it places pods first, or their turn comes later. */
  readonly waiting: Waiting
  /** The machines that go next. Undefined if this decision does not tell. */
  readonly next?: NextWave
}
