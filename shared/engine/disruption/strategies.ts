/** Tries several strategies to consolidate a few machines and takes the best one, since one move may prevent a better one. */
import type { Reason } from '../../model/decision.ts'
import { bestSet } from './bestSet.ts'
import { type CandidateWithCost, priceOf, reasonOf } from './candidate.ts'
import { type Consolidating, keep } from './consolidating.ts'
import { deleteNodes, moveNode, replaceNodes, savingAlone } from './consolidation.ts'
import type { Outlook } from './lookahead/lookAhead.ts'
import type { Prospect } from './lookahead/simulateDecisions.ts'
import { mergeMachines, tryTogether } from './merging.ts'
import type { Move } from './move.ts'

/** The most machines for which several strategies are tried. Each strategy tries all of them, and more than once. */
export const FEW_FOR_STRATEGIES = 16

const VERY_FEW_FOR_STRATEGIES = 8

type Strategy = (candidates: readonly CandidateWithCost[], consolidating: Consolidating) => readonly Move[]

/** Of strategies with equal prices the one that moves the fewest pods is taken, then the first. The default, `inOrder`, comes before all of these. */
const STRATEGIES: readonly Strategy[] = [bestFirst, togetherFirst]

/**
 * Without `outlook`, what is saved at once counts. Where the default finds nothing, the others hardly ever find anything. They are then tried
 * for very few machines only.
 */
export function consolidateByBestStrategy(
  candidates: readonly CandidateWithCost[],
  consolidating: Consolidating,
  outlook: Outlook | undefined,
): readonly Move[] {
  const worth = remembered(outlook ?? atOnce)
  let best: Found | undefined
  const consider = (strategy: Strategy): Found => {
    const { moves, reasons, undo } = follow(strategy, candidates, consolidating)
    undo()
    const found = { strategy, moves, reasons, ...(moves.length === 0 ? NOTHING : worth(moves)) }
    if (isBetter(found, best ?? NOTHING)) best = found
    return found
  }
  const plain = consider(inOrder)
  if (plain.moves.length === 0 && candidates.length > VERY_FEW_FOR_STRATEGIES) return tell(plain.reasons, consolidating)
  for (const strategy of STRATEGIES) if (!consolidating.isSpent()) consider(strategy)
  if (best === undefined && plain.moves.length === 0) return tell(plain.reasons, consolidating)
  if (best === undefined) candidates.some((each) => Number.isFinite(consider(alone(each)).added))
  if (best === undefined) return tell(candidates.map(doesNotHold), consolidating)
  const { moves, reasons } = follow(best.strategy, candidates, consolidating)
  tell(reasons, consolidating)
  return moves
}

type Found = Prospect & { readonly strategy: Strategy; readonly moves: readonly Move[]; readonly reasons: readonly Reason[] }

const NOTHING: Prospect = { added: Number.POSITIVE_INFINITY, moved: 0 }

function isBetter(one: Prospect, other: Prospect): boolean {
  return one.added < other.added || (one.added === other.added && one.moved < other.moved)
}

function tell(reasons: readonly Reason[], { refuse }: Consolidating): readonly Move[] {
  for (const reason of reasons) refuse(reason)
  return []
}

function atOnce(moves: readonly Move[]): Prospect {
  let [added, moved] = [0, 0]
  for (const move of moves) {
    added -= savedBy(move)
    for (const { pods } of move.candidates) moved += pods.length
  }
  return { added, moved }
}

/** Remembers results, since several strategies often find the same moves. */
function remembered(outlook: Outlook): Outlook {
  const known = new Map<string, Prospect>()
  return (moves) => {
    const id = JSON.stringify(moves.map(({ candidates, replacements }) => [candidates.map(({ claim }) => claim.name), replacements]))
    const prospect = known.get(id) ?? outlook(moves)
    known.set(id, prospect)
    return prospect
  }
}

function savedBy({ saving, candidates }: Move): number {
  return saving ?? candidates.reduce((sum, each) => sum + priceOf(each), 0)
}

function follow(strategy: Strategy, candidates: readonly CandidateWithCost[], consolidating: Consolidating) {
  const reasons: Reason[] = []
  const kept: (() => void)[] = []
  const unmark = consolidating.wave.mark()
  const moves = strategy(candidates, { ...consolidating, kept, refuse: (reason) => void reasons.push(reason) })
  return {
    moves,
    reasons,
    undo(): void {
      for (const undo of kept.reverse()) undo()
      unmark()
    },
  }
}

/** The default: first machines that need no replacement, then machines that are replaced alone, then machines that are merged. */
function inOrder(candidates: readonly CandidateWithCost[], consolidating: Consolidating): readonly Move[] {
  const { moves, left } = deleteNodes(candidates, consolidating)
  const replaced = replaceNodes(left, consolidating)
  return [...moves, ...replaced, ...mergeMachines(staying(left, consolidating), consolidating)]
}

/** The machines that save most alone go first. A machine that gets the pods of another machine cannot be replaced in the same decision. */
function bestFirst(candidates: readonly CandidateWithCost[], consolidating: Consolidating): readonly Move[] {
  const moves = candidates
    .map((candidate) => ({ candidate, saving: savingAlone(candidate, consolidating) }))
    .filter(({ saving }) => saving > 0)
    .sort((first, second) => second.saving - first.saving)
    .flatMap(({ candidate }) => moveNode(candidate, consolidating) ?? [])
  return [...moves, ...inOrder(staying(candidates, consolidating), consolidating)]
}

/** The machines that save most together go first. */
function togetherFirst(candidates: readonly CandidateWithCost[], consolidating: Consolidating): readonly Move[] {
  const tried = tryTogether(bestSet(candidates, consolidating), consolidating)
  const moves = tried === undefined ? [] : [keep(tried.move, tried.trial, consolidating)]
  return [...moves, ...inOrder(staying(candidates, consolidating), consolidating)]
}

/** A strategy that moves this one machine and nothing else. */
function alone(candidate: CandidateWithCost): Strategy {
  return (_candidates, consolidating) => {
    const move = moveNode(candidate, consolidating)
    return move === undefined ? [] : [move]
  }
}

function staying(candidates: readonly CandidateWithCost[], { wave }: Consolidating): readonly CandidateWithCost[] {
  return candidates.filter(({ machine }) => !wave.hasTaken(machine))
}

function doesNotHold({ claim }: CandidateWithCost): Reason {
  return reasonOf(claim, 'DISRUPTION.NO_ROOM', 'its pods fit on other nodes, but a decision after the move would buy a new node')
}
