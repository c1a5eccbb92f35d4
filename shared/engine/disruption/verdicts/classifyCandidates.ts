/** Sorts the candidates of a decision by what may become of them. Most stay what they were at the decision before, and are not looked at again. */
import { once } from '../../../base/caches.ts'
import { byKey, differences, exchanged } from '../../../base/lists.ts'
import type { Reason } from '../../../model/decision.ts'
import type { NodePool } from '../../../model/nodePool.ts'
import type { EpochMs } from '../../../model/units.ts'
import type { FleetSnapshot } from '../../cluster/fleet.ts'
import type { StateNode } from '../../cluster/stateNode.ts'
import { reasonOf } from '../candidates/candidate.ts'
import { protectionEnds } from '../candidates/protection.ts'
import { byTurn } from './moveTurns.ts'
import {
  type CandidateVerdict,
  driftBrakes,
  isTimed,
  type KeptCandidate,
  type Planner,
  type Rules,
  type Verdicts,
  verdicts,
} from './verdicts.ts'

/** All lists of candidates are in the order of their turns. */
export type ClassifiedCandidates = {
  readonly weighed: readonly KeptCandidate[]
  /**
   * Machines that nothing protects and that have been quiet for long enough. `empty`: those without pods. `busy`: those with pods that did not drift.
   */
  readonly empty: readonly KeptCandidate[]
  readonly busy: readonly KeptCandidate[]
  /** The pools of the candidates. */
  readonly pools: ReadonlySet<NodePool>
  /** Machines that nothing protects and that are no longer what their pool asks for. */
  readonly drifted: readonly KeptCandidate[]
  /** Drifted machines with room of buffers. Such a machine goes once the room is elsewhere. */
  readonly withRoom: ReadonlySet<StateNode>
  /** Machines that wait to be quiet, whatever else holds them. */
  readonly restless: readonly KeptCandidate[]
  /** Why machines stay. `lasting`: reasons that hold until the machine or a rule changes, in the order of claims. No claim has reasons in both. */
  readonly reasons: readonly Reason[]
  readonly lasting: readonly Reason[]
  readonly wakes: readonly EpochMs[]
}

/**
 * Judges which machines may go: unprotected machines that have been quiet for long enough, and drifted machines. All others get a reason. `weighed`:
 * the candidates in the order of their turns.
 */
export type ClassifyCandidates = (weighed: readonly KeptCandidate[], rules: Rules, look: Look) => ClassifiedCandidates

type Look = { readonly snapshot: FleetSnapshot; readonly planner: Pick<Planner, 'expecting' | 'ending'> }

/** Returns a function for the decisions about one cluster. */
export function createClassifier(): ClassifyCandidates {
  let shelves: Shelves | undefined
  return (weighed, rules, { snapshot, planner }) => {
    const expected = once(planner.expecting)
    const judged = verdicts(rules, snapshot, expected)
    if (shelves?.mayFollow(rules, snapshot) !== true) shelves = createShelves(rules)
    shelves.settle(weighed, judged, snapshot)
    const { ending } = planner
    const lifted = weighed.length === 0 ? [] : shelves.lift([...judged.concerned(), ...ending])
    const apart = [...shelves.open(), ...lifted].sort(byTurn)
    const brakeOf = driftBrakes(snapshot)
    const lists: Lists = { empty: [], busy: [], drifted: [], reasons: [], wakes: [] }
    for (const each of apart) {
      if (ending.has(each.claim.name)) continue
      const verdict = judged.of(each)
      sortInto(lists, each, each.turn.isDrifted ? withBrake(verdict, brakeOf(each)) : verdict, snapshot)
    }
    const { settled } = shelves
    return {
      weighed,
      empty: exchanged(settled.empty, lifted, lists.empty, byTurn),
      busy: exchanged(settled.busy, lifted, lists.busy, byTurn),
      pools: shelves.pools(),
      drifted: lists.drifted,
      withRoom: new Set(lists.drifted.filter(({ claim }) => expected().has(claim.name)).map(({ machine }) => machine)),
      restless: apart.filter((each) => isRestless(each, snapshot)),
      reasons: lists.reasons,
      lasting: exchanged(settled.reasons, lastingReasons(lifted, judged), [], byClaim),
      wakes: lists.wakes,
    }
  }
}

const byClaim = byKey<Reason>(({ subject }) => subject.name)

function isRestless({ quietAt }: KeptCandidate, { takenAt }: FleetSnapshot): boolean {
  return quietAt !== undefined && quietAt > takenAt
}

type Settled = Pick<ClassifiedCandidates, 'empty' | 'busy'> & { readonly reasons: readonly Reason[] }

/** Candidates by what is known of them. A settled candidate stays what it is until it changes, under the same rules. All others are open. */
interface Shelves {
  /** Reports whether settled candidates are still so. */
  mayFollow(rules: Rules, snapshot: FleetSnapshot): boolean
  /** Takes over the candidates of a decision. */
  settle(weighed: readonly KeptCandidate[], judged: Verdicts, snapshot: FleetSnapshot): void
  readonly settled: Settled
  open(): Iterable<KeptCandidate>
  /** The settled candidates of these claims, in the order of their turns. */
  lift(claims: readonly string[]): readonly KeptCandidate[]
  pools(): ReadonlySet<NodePool>
}

function createShelves(rules: Rules): Shelves {
  const open = new Set<KeptCandidate>()
  const byName = createByClaim()
  const pools = new Map<NodePool, number>()
  let settled: Settled = { empty: [], busy: [], reasons: [] }
  let known: readonly KeptCandidate[] = []
  let lastAt: EpochMs | undefined

  function exchange(judged: Verdicts, dropped: readonly KeptCandidate[], added: readonly KeptCandidate[]): void {
    const [gone, come] = [shelved(dropped, judged), shelved(added, judged)]
    settled = {
      empty: exchanged(settled.empty, gone.empty, come.empty, byTurn),
      busy: exchanged(settled.busy, gone.busy, come.busy, byTurn),
      reasons: exchanged(settled.reasons, gone.reasons, come.reasons, byClaim),
    }
  }

  /** Notes the candidates that came or went. Returns the settled candidates that are so no longer. */
  function note(weighed: readonly KeptCandidate[]): readonly KeptCandidate[] {
    const { gone, come } = differences(known, weighed, byTurn)
    known = weighed
    const left = gone.filter((each) => !open.delete(each))
    for (const each of gone) {
      byName.remove(each)
      count(pools, each.pool, -1)
    }
    for (const each of come) {
      const [other] = byName.add(each)
      // Nodes that state the same provider ID share a claim.
      if (other !== undefined && !open.has(other)) left.push(other)
      if (other !== undefined) open.add(other)
      open.add(each)
      count(pools, each.pool, 1)
    }
    return left.sort(byTurn)
  }

  return {
    mayFollow: (now, { takenAt }) => now === rules && (lastAt === undefined || takenAt >= lastAt),
    settle(weighed, judged, snapshot) {
      lastAt = snapshot.takenAt
      const left = note(weighed)
      const added = [...open].filter((each) => isSettled(each, snapshot) && byName.of(each.claim.name).length === 1)
      for (const each of added) open.delete(each)
      exchange(judged, left, added.sort(byTurn))
    },
    get settled() {
      return settled
    },
    open: () => open,
    lift: (claims) =>
      [...new Set(claims)]
        .flatMap(byName.of)
        .filter((each) => !open.has(each))
        .sort(byTurn),
    pools: () => new Set(pools.keys()),
  }
}

/** Reports whether time no longer changes what becomes of the candidate. A brake of its pool may change it if it drifted. */
function isSettled(each: KeptCandidate, snapshot: FleetSnapshot): boolean {
  return !each.turn.isDrifted && !isRestless(each, snapshot) && !isTimed(each)
}

function shelved(candidates: readonly KeptCandidate[], judged: Verdicts): Settled {
  const lists: Pick<Lists, 'empty' | 'busy'> = { empty: [], busy: [] }
  for (const each of candidates) {
    if (judged.ofOthers(each).reason === undefined) (each.pods.length === 0 ? lists.empty : lists.busy).push(each)
  }
  return { ...lists, reasons: lastingReasons(candidates, judged) }
}

function lastingReasons(candidates: readonly KeptCandidate[], { ofOthers }: Verdicts): readonly Reason[] {
  return candidates.flatMap((each) => ofOthers(each).reason ?? []).sort(byClaim)
}

function count(pools: Map<NodePool, number>, pool: NodePool, by: 1 | -1): void {
  const next = (pools.get(pool) ?? 0) + by
  if (next > 0) pools.set(pool, next)
  else pools.delete(pool)
}

/** The candidates of each claim. */
function createByClaim() {
  const all = new Map<string, readonly KeptCandidate[]>()
  const of = (name: string): readonly KeptCandidate[] => all.get(name) ?? NO_CANDIDATES
  return {
    of,
    /** Returns the other candidates of its claim. */
    add(candidate: KeptCandidate): readonly KeptCandidate[] {
      const others = of(candidate.claim.name)
      all.set(candidate.claim.name, [...others, candidate])
      return others
    },
    remove(candidate: KeptCandidate): void {
      const others = of(candidate.claim.name).filter((each) => each !== candidate)
      if (others.length === 0) all.delete(candidate.claim.name)
      else all.set(candidate.claim.name, others)
    },
  }
}

const NO_CANDIDATES: readonly KeptCandidate[] = []

type Lists = {
  readonly empty: KeptCandidate[]
  readonly busy: KeptCandidate[]
  readonly drifted: KeptCandidate[]
  readonly reasons: Reason[]
  readonly wakes: EpochMs[]
}

function sortInto(lists: Lists, each: KeptCandidate, { mayDrift, reason, quietAt }: CandidateVerdict, snapshot: FleetSnapshot): void {
  const { isDrifted } = each.turn
  if (mayDrift) lists.drifted.push(each)
  if (reason !== undefined) {
    lists.reasons.push(reason)
    const end = reason.code === 'DISRUPTION.DO_NOT_DISRUPT' ? protectionEnds(each, snapshot.takenAt) : undefined
    if (end !== undefined) lists.wakes.push(end)
  }
  if (quietAt === undefined) return
  if (quietAt > snapshot.takenAt) {
    lists.wakes.push(quietAt)
    if (!isDrifted) lists.reasons.push(notQuiet(each, quietAt, snapshot))
  } else if (each.pods.length === 0) lists.empty.push(each)
  else if (!isDrifted) lists.busy.push(each)
}

/**
 * The verdict on a drifted machine. The brake keeps the machine. Without the brake, a reason against consolidation does not keep a machine that may
 * drift.
 */
function withBrake(verdict: CandidateVerdict, brake: Reason | undefined): CandidateVerdict {
  if (verdict.isFrozen === true) return verdict
  if (brake !== undefined) return { ...verdict, mayDrift: false, reason: brake }
  const { reason: _, ...others } = verdict
  return verdict.mayDrift ? others : verdict
}

function notQuiet({ claim, pool }: KeptCandidate, until: EpochMs, { takenAt }: FleetSnapshot): Reason {
  const seconds = Math.ceil((until - takenAt) / 1000)
  const message = `consolidateAfter of nodepool ${pool.name} has not passed since the last pod came or went; ${seconds} s are left`
  return reasonOf(claim, 'DISRUPTION.QUIET', message, { seconds })
}
