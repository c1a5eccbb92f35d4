/** Moves that are planned, and how to put nodes and counts back to their state before all of them. */
import type { Placement, Plan } from '../candidates/plan.ts'
import { markAll } from '../model/catalog/limits.ts'
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

/** Counts the pods of the placement once more, or takes them out of the counts, in the domains in which they were counted when they were placed. */
export function recount({ host, podClass, relaxedPod, count, countedAs }: Placement, sign: 1 | -1): void {
  if (!('narrowedTemplate' in host) || countedAs === undefined) return record(host, podClass, relaxedPod, sign * count)
  const { narrowedTemplate } = host
  host.narrowedTemplate = countedAs
  record(host, podClass, relaxedPod, sign * count)
  host.narrowedTemplate = narrowedTemplate
}

/** Takes the pods of the moves, which are in order, from their places. Returns a function that puts them back. */
export function lift(moves: readonly PlannedMove[]): () => void {
  const before = new Map<ExistingNode, ExistingNodeMark>()
  for (const { touched } of moves) for (const [node, mark] of touched) if (!before.has(node)) before.set(node, mark)
  const planned = [...before.keys()].map((node) => [node, markOf(node)] as const)
  const count = (sign: 1 | -1): void => {
    for (const { log } of moves) for (const placement of log) recount(placement, sign)
  }
  count(-1)
  for (const [node, mark] of before) putBack(node, mark)
  return () => {
    for (const [node, mark] of planned) putBack(node, mark)
    count(1)
  }
}

/** Takes back what the plan has placed since its log had `placements` entries. `marks`: the nodes that had pods of the plan then, as they were. */
export function takeBack({ touched, left, log }: Plan, placements: number, marks: ReadonlyMap<ExistingNode, ExistingNodeMark>): void {
  for (let at = placements; at < log.length; at++) {
    const placement = log[at]
    if (placement === undefined) continue
    recount(placement, -1)
    left.set(placement.podClass, (left.get(placement.podClass) ?? 0) + placement.count)
  }
  log.length = placements
  for (const [existingNode, untouched] of touched) {
    putBack(existingNode, marks.get(existingNode) ?? untouched)
    if (!marks.has(existingNode)) touched.delete(existingNode)
  }
}

/** Returns a function that takes the plan back to its state now. */
export function mark(plan: Plan): () => void {
  const { touched, log, bins, poolOptions } = plan
  const marks = new Map([...touched.keys()].map((existingNode) => [existingNode, markOf(existingNode)]))
  const [placements, claims] = [log.length, bins.length]
  const limits = markAll(poolOptions.map((each) => each.limits))
  return () => {
    takeBack(plan, placements, marks)
    limits()
    bins.length = claims
    plan.version++
  }
}
