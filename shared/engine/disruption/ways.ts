/** Consolidates a few machines in several ways on paper and takes the best way, since one move may prevent a better one. */
import type { Reason } from '../../model/decision.ts'
import { bestSet } from './bestSet.ts'
import { priceOf, reasonOf, type Weighed } from './candidate.ts'
import { type Consolidating, keep } from './consolidating.ts'
import { deleteNodes, moveNode, replaceNodes, savingAlone } from './consolidation.ts'
import type { ComesTo } from './lookahead/lookAhead.ts'
import { mergeMachines, tryTogether } from './merging.ts'
import type { Move } from './move.ts'

/** The most machines for which several ways are tried. Each way tries all of them, and more than once. */
export const FEW = 16

const VERY_FEW = 8

type Way = (candidates: readonly Weighed[], consolidating: Consolidating) => readonly Move[]

/** Of ways with equal results the first is taken. The plain way, `inOrder`, comes before all of these. */
const WAYS: readonly Way[] = [bestFirst, togetherFirst]

/**
 * Without `comesTo`, what is saved at once counts. Where the plain way finds nothing, the other ways hardly ever find anything. They are then tried
 * for very few machines only.
 */
export function consolidateFew(
  candidates: readonly Weighed[],
  consolidating: Consolidating,
  comesTo: ComesTo | undefined,
): readonly Move[] {
  const worth = remembered(comesTo ?? savedAtOnce)
  let best: Found | undefined
  const consider = (way: Way): Found => {
    const { moves, reasons, undo } = follow(way, candidates, consolidating)
    undo()
    const found = { way, moves, reasons, added: moves.length === 0 ? Number.POSITIVE_INFINITY : worth(moves) }
    if (found.added < (best?.added ?? Number.POSITIVE_INFINITY)) best = found
    return found
  }
  const plain = consider(inOrder)
  if (plain.moves.length === 0 && candidates.length > VERY_FEW) return tell(plain.reasons, consolidating)
  for (const way of WAYS) if (!consolidating.isSpent()) consider(way)
  if (best === undefined && plain.moves.length === 0) return tell(plain.reasons, consolidating)
  if (best === undefined) candidates.some((each) => Number.isFinite(consider(alone(each)).added))
  if (best === undefined) return tell(candidates.map(doesNotHold), consolidating)
  const { moves, reasons } = follow(best.way, candidates, consolidating)
  tell(reasons, consolidating)
  return moves
}

type Found = { readonly way: Way; readonly moves: readonly Move[]; readonly reasons: readonly Reason[]; readonly added: number }

function tell(reasons: readonly Reason[], { refuse }: Consolidating): readonly Move[] {
  for (const reason of reasons) refuse(reason)
  return []
}

function savedAtOnce(moves: readonly Move[]): number {
  return -moves.reduce((sum, move) => sum + savedBy(move), 0)
}

/** Remembers results, since several ways often find the same moves. */
function remembered(comesTo: ComesTo): ComesTo {
  const known = new Map<string, number>()
  return (moves) => {
    const id = JSON.stringify(moves.map(({ candidates, replacements }) => [candidates.map(({ claim }) => claim.name), replacements]))
    const added = known.get(id) ?? comesTo(moves)
    known.set(id, added)
    return added
  }
}

function savedBy({ saving, candidates }: Move): number {
  return saving ?? candidates.reduce((sum, each) => sum + priceOf(each), 0)
}

function follow(way: Way, candidates: readonly Weighed[], consolidating: Consolidating) {
  const reasons: Reason[] = []
  const kept: (() => void)[] = []
  const unmark = consolidating.wave.mark()
  const moves = way(candidates, { ...consolidating, kept, refuse: (reason) => void reasons.push(reason) })
  return {
    moves,
    reasons,
    undo(): void {
      for (const undo of kept.reverse()) undo()
      unmark()
    },
  }
}

/** The plain way: first machines that need no replacement, then machines that are replaced alone, then machines that are merged. */
function inOrder(candidates: readonly Weighed[], consolidating: Consolidating): readonly Move[] {
  const { moves, left } = deleteNodes(candidates, consolidating)
  const replaced = replaceNodes(left, consolidating)
  return [...moves, ...replaced, ...mergeMachines(staying(left, consolidating), consolidating)]
}

/** The machines that save most alone go first. A machine that gets the pods of another machine cannot be replaced in the same decision. */
function bestFirst(candidates: readonly Weighed[], consolidating: Consolidating): readonly Move[] {
  const moves = candidates
    .map((candidate) => ({ candidate, saving: savingAlone(candidate, consolidating) }))
    .filter(({ saving }) => saving > 0)
    .sort((first, second) => second.saving - first.saving)
    .flatMap(({ candidate }) => moveNode(candidate, consolidating) ?? [])
  return [...moves, ...inOrder(staying(candidates, consolidating), consolidating)]
}

/** The machines that save most together go first. */
function togetherFirst(candidates: readonly Weighed[], consolidating: Consolidating): readonly Move[] {
  const tried = tryTogether(bestSet(candidates, consolidating), consolidating)
  const moves = tried === undefined ? [] : [keep(tried.move, tried.closed, consolidating)]
  return [...moves, ...inOrder(staying(candidates, consolidating), consolidating)]
}

/** A way that moves this one machine and nothing else. */
function alone(candidate: Weighed): Way {
  return (_candidates, consolidating) => {
    const move = moveNode(candidate, consolidating)
    return move === undefined ? [] : [move]
  }
}

function staying(candidates: readonly Weighed[], { wave }: Consolidating): readonly Weighed[] {
  return candidates.filter(({ machine }) => !wave.hasTaken(machine))
}

function doesNotHold({ claim }: Weighed): Reason {
  return reasonOf(claim, 'DISRUPTION.NO_ROOM', 'its pods fit on other nodes, but a decision after the move would buy a new node')
}
