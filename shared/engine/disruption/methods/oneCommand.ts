/**
 * Consolidation one command at a time, in the order of Karpenter: the most machines that may go together for one new machine or none, else the first
 * machine that may go alone.
 */
import { largestOf } from '../../../base/lists.ts'
import { bySavingsRatio, type CandidateWithCost } from '../candidates/candidate.ts'
import type { Move } from '../moves/move.ts'
import { type Consolidating, keep } from './consolidating.ts'
import { moveNode } from './consolidation.ts'
import { goingTogether, tryTogether } from './merging.ts'

export function oneCommand(candidates: readonly CandidateWithCost[], consolidating: Consolidating): readonly Move[] {
  const sorted = [...candidates].sort(bySavingsRatio)
  const together = mostTogether(goingTogether(sorted, consolidating), consolidating)
  if (together !== undefined) return [together]
  for (const candidate of takingTurns(sorted)) {
    const move = moveNode(candidate, consolidating)
    if (move !== undefined) return [move]
  }
  return []
}

/** A binary search, as in Karpenter. Fewer machines may fail where more succeed, so the search may miss the most. */
function mostTogether(machines: readonly CandidateWithCost[], consolidating: Consolidating): Move | undefined {
  const priced = machines.filter(({ choice }) => choice?.price !== undefined)
  let most: readonly CandidateWithCost[] = []
  let [low, high] = [1, priced.length - 1]
  while (low <= high) {
    const middle = (low + high) >> 1
    const group = priced.slice(0, middle + 1)
    const tried = tryTogether(group, consolidating, 1)
    tried?.trial.undo()
    if (tried !== undefined) most = group
    ;[low, high] = tried === undefined ? [low, middle - 1] : [middle + 1, high]
  }
  const tried = tryTogether(most, consolidating, 1)
  return tried === undefined ? undefined : keep(tried.move, tried.trial, consolidating)
}

/** The machines of all pools in turn, so that no pool waits for all others. */
function takingTurns(machines: readonly CandidateWithCost[]): readonly CandidateWithCost[] {
  const pools = [...Map.groupBy(machines, ({ pool }) => pool).values()]
  const longest = largestOf(pools.map(({ length }) => length))
  return Array.from({ length: longest }).flatMap((_, at) => pools.flatMap((own) => own[at] ?? []))
}
