/** Tries several strategies to consolidate a few machines and takes the best one, since one move may prevent a better one. */
import type { Reason } from '../../../model/decision.ts'
import { type CandidateWithCost, priceOf, reasonOf } from '../candidates/candidate.ts'
import type { Outlook, Prospect } from '../lookahead/lookAhead.ts'
import type { Move } from '../moves/move.ts'
import { bestSet } from './bestSet.ts'
import { deleteNodes, moveNode, replaceNodes } from './consolidation.ts'
import { type Consolidating, keep, mergeMachines, tryTogether } from './merging.ts'

/** The most machines for which several strategies are tried. Each strategy tries all of them, and more than once. */
export const FEW_FOR_STRATEGIES = 16

const VERY_FEW_FOR_STRATEGIES = 8

type Looking = {
  readonly outlook: Outlook | undefined
  /** True if no other move of the decision has begun. */
  readonly isFirst: boolean
}

/**
 * Of strategies with equal prices the one that moves the fewest pods is taken, then the first. Without `outlook`, what is saved at once counts. Where the
 * default, `inOrder`, finds nothing, the others hardly ever find anything. They are then tried for very few machines only.
 */
export function consolidateByBestStrategy(
  candidates: readonly CandidateWithCost[],
  consolidating: Consolidating,
  { outlook, isFirst }: Looking,
): readonly Move[] {
  const compared = comparison(candidates, consolidating, outlook)
  const { consider, best } = compared
  const plain = consider(inOrder)
  if (plain.moves.length === 0 && candidates.length > VERY_FEW_FOR_STRATEGIES) return tell(plain.reasons, consolidating)
  if (!consolidating.isSpent()) consider(togetherFirst)
  if (best() === undefined && plain.moves.length === 0) return tell(plain.reasons, consolidating)
  if (outlook !== undefined) lookFurther(candidates, compared, isFirst)
  const found = best()
  if (found === undefined) return tell(candidates.map(doesNotHold), consolidating)
  const { moves, reasons } = follow(found.strategy, candidates, consolidating)
  tell([...reasons, ...plain.reasons, ...candidates.map(comesLater)], consolidating)
  return moves
}

/** Considers strategies whose worth lies in the decisions after them. */
function lookFurther(candidates: readonly CandidateWithCost[], { consider, mayGoOn }: Comparison, isFirst: boolean): void {
  if (!isFirst) consider(wait)
  for (const strategy of oneByOne(candidates)) if (mayGoOn()) consider(strategy)
}

type Comparison = {
  /** Follows the strategy on paper. */
  readonly consider: (strategy: Strategy) => Found
  /** The best so far. Undefined if no moves hold. */
  readonly best: () => Found | undefined
  /** Reports whether the work so far leaves some for more strategies. */
  readonly mayGoOn: () => boolean
}

function comparison(candidates: readonly CandidateWithCost[], consolidating: Consolidating, outlook: Outlook | undefined): Comparison {
  let asked = 0
  const worth = remembered((moves) => {
    asked++
    return outlook === undefined ? atOnce(moves) : outlook.ask(moves)
  })
  function prospectOf(strategy: Strategy, moves: readonly Move[]): Prospect {
    if (strategy === wait) return waiting(worth([]))
    return moves.length === 0 ? NOTHING : worth(moves)
  }
  let best: Found | undefined
  return {
    best: () => best,
    mayGoOn: () => !consolidating.isSpent() && asked < (outlook?.most ?? 0),
    consider(strategy) {
      const { moves, reasons, undo } = follow(strategy, candidates, consolidating)
      undo()
      const found = { strategy, moves, reasons, ...prospectOf(strategy, moves) }
      if (isBetter(found, best ?? NOTHING)) best = found
      return found
    },
  }
}

type Found = Prospect & { readonly strategy: Strategy; readonly moves: readonly Move[]; readonly reasons: readonly Reason[] }

const NOTHING: Prospect = { added: Number.POSITIVE_INFINITY, moved: 0 }

/** A decision waits for a lower price only, never to move fewer pods at the same price. */
function waiting({ added }: Prospect): Prospect {
  return { added, moved: Number.POSITIVE_INFINITY }
}

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
function remembered(outlook: Outlook['ask']): Outlook['ask'] {
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

/** The machines that save most together go first. */
function togetherFirst(candidates: readonly CandidateWithCost[], consolidating: Consolidating): readonly Move[] {
  const moves = together(bestSet(candidates, consolidating))(candidates, consolidating)
  return [...moves, ...inOrder(staying(candidates, consolidating), consolidating)]
}

function staying(candidates: readonly CandidateWithCost[], { wave }: Consolidating): readonly CandidateWithCost[] {
  return candidates.filter(({ machine }) => !wave.hasTaken(machine))
}

function comesLater({ claim }: CandidateWithCost): Reason {
  return reasonOf(claim, 'DISRUPTION.WAVE', 'moves of other nodes come first, since that saves more in the end')
}

function doesNotHold({ claim }: CandidateWithCost): Reason {
  return reasonOf(claim, 'DISRUPTION.NO_ROOM', 'its pods fit on other nodes, but a decision after the move would buy a new node')
}

/** Strategies with one move or none. The decisions after it go on from there. */
type Strategy = (candidates: readonly CandidateWithCost[], consolidating: Consolidating) => readonly Move[]

/** The most machines of which each two are tried together. */
const MOST_FOR_PAIRS = 8

/** Moves nothing until the moves are over that the decision has begun already. They make room under limits, and give budgets back. */
function wait(): readonly Move[] {
  return []
}

/** Each machine alone, and of very few machines each two together. */
function oneByOne(candidates: readonly CandidateWithCost[]): readonly Strategy[] {
  const pairs = candidates.length > MOST_FOR_PAIRS ? [] : pairsOf(candidates)
  return [...candidates.map(alone), ...pairs.map(together)]
}

function alone(candidate: CandidateWithCost): Strategy {
  return (_candidates, consolidating) => {
    const move = moveNode(candidate, consolidating)
    return move === undefined ? [] : [move]
  }
}

function together(group: readonly CandidateWithCost[]): Strategy {
  return (_candidates, consolidating) => {
    const tried = tryTogether(group, consolidating)
    return tried === undefined ? [] : [keep(tried.move, tried.trial, consolidating)]
  }
}

function pairsOf<Item>(items: readonly Item[]): readonly (readonly Item[])[] {
  return items.flatMap((one, at) => items.slice(at + 1).map((other) => [one, other]))
}
