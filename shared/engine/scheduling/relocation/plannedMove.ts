/** Moves that are planned, and how to put nodes and counts back to their state before all of them. */
import type { Placement } from '../candidates/plan.ts'
import { record } from '../model/neighbours/domainFilters.ts'
import type { Bin } from '../model/nodes/bin.ts'
import { type ExistingNode, type ExistingNodeMark, markOf, putBack } from '../model/nodes/existingNode.ts'

export type PlannedMove = {
  readonly log: readonly Placement[]
  /** The new claims. */
  readonly bins: readonly Bin[]
  /** The existing nodes that get pods, with their state before the move. */
  readonly touched: ReadonlyMap<ExistingNode, ExistingNodeMark>
}

/** Takes the pods of the moves, which are in order, from their places. Returns a function that puts them back. */
export function lift(moves: readonly PlannedMove[]): () => void {
  const before = new Map<ExistingNode, ExistingNodeMark>()
  for (const { touched } of moves) for (const [node, mark] of touched) if (!before.has(node)) before.set(node, mark)
  const planned = [...before.keys()].map((node) => [node, markOf(node)] as const)
  const count = (sign: 1 | -1): void => {
    for (const { log } of moves)
      for (const { host, podClass, relaxedPod, count: pods } of log) record(host, podClass, relaxedPod, sign * pods)
  }
  count(-1)
  for (const [node, mark] of before) putBack(node, mark)
  return () => {
    for (const [node, mark] of planned) putBack(node, mark)
    count(1)
  }
}
