/** Strategies with one move or none. The decisions after it go on from there. */
import type { CandidateWithCost } from '../candidates/candidate.ts'
import type { Move } from '../moves/move.ts'
import { type Consolidating, keep } from './consolidating.ts'
import { moveNode } from './consolidation.ts'
import { tryTogether } from './merging.ts'

export type Strategy = (candidates: readonly CandidateWithCost[], consolidating: Consolidating) => readonly Move[]

/** The most machines of which each two are tried together. */
const MOST_FOR_PAIRS = 8

/** Moves nothing until the moves are over that the decision has begun already. They make room under limits, and give budgets back. */
export function wait(): readonly Move[] {
  return []
}

/** Each machine alone, and of very few machines each two together. */
export function oneByOne(candidates: readonly CandidateWithCost[]): readonly Strategy[] {
  const pairs = candidates.length > MOST_FOR_PAIRS ? [] : pairsOf(candidates)
  return [...candidates.map(alone), ...pairs.map(together)]
}

function alone(candidate: CandidateWithCost): Strategy {
  return (_candidates, consolidating) => {
    const move = moveNode(candidate, consolidating)
    return move === undefined ? [] : [move]
  }
}

export function together(group: readonly CandidateWithCost[]): Strategy {
  return (_candidates, consolidating) => {
    const tried = tryTogether(group, consolidating)
    return tried === undefined ? [] : [keep(tried.move, tried.trial, consolidating)]
  }
}

function pairsOf<Item>(items: readonly Item[]): readonly (readonly Item[])[] {
  return items.flatMap((one, at) => items.slice(at + 1).map((other) => [one, other]))
}
