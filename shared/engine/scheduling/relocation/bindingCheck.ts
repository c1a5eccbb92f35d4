/** Checks the moves of a decision together: their pods must find places in every order in which kube-scheduler may bind the pods. */
import { once } from '../../../base/remembered.ts'
import { survivorsOf } from '../model/nodes/bin.ts'
import type { ExistingNode } from '../model/nodes/existingNode.ts'
import type { PodClass } from '../model/pods/podClass.ts'
import { type Amounts, addTimes } from '../model/quantities/amounts.ts'
import type { PlannedMove } from './plannedMove.ts'
import { freeShare, type SchedulerView } from './schedulerView.ts'
import { createSpareRoom, isPlain } from './spareRoom.ts'
import { NONE_UNBOUND, type Unbound, unboundByWorstFit } from './worstFit.ts'

/** The most times that all checks of a decision ask a node for room. After that, only moves with room to spare pass. */
const MOST_ASKED = 100_000

/** Pods of all moves up to which their binding is followed. Moves with more pods together are kept as planned: the cost grows with the square. */
const MOST_PODS = 200

export type CheckedMove = PlannedMove & {
  /** Names of the nodes that close. */
  readonly closing: readonly string[]
  /** What the nodes that close had free. */
  readonly closed: readonly Amounts[]
}

export interface BindingCheck {
  /**
   * The pods of the kept moves and of this move that find no place in some order, where each pod goes to the emptiest node that takes it. Once the limit
   * of checks is reached, all pods of the move count among them.
   */
  unbound(move: CheckedMove): Unbound
  /** Keeps the move that was checked last. Returns a function that takes it back. */
  keep(move: CheckedMove): () => void
}

/** `nodes`: the nodes that may take pods. Some of them close later. */
export function createBindingCheck(nodes: readonly ExistingNode[], view: SchedulerView): BindingCheck {
  const kept: CheckedMove[] = []
  const spare = createSpareRoom(nodes, view.work)
  const freeAt = freeNow(nodes)
  // Most decisions have room to spare, or too many pods, and follow no binding.
  const sorted = once(() => emptiestFirst(nodes, freeAt, view))
  const results = createResults()
  let asked = 0
  let keptPods = 0
  /** True if all kept moves have room to spare as far as `spare` has looked ahead. */
  let areAmple = true

  function isAmple(move: CheckedMove, moves: readonly CheckedMove[]): boolean {
    const hasGrown = spare.expect(takenBy(moves))
    areAmple = spare.isAmpleFor(classesOf(hasGrown || !areAmple ? moves : [move]))
    return areAmple
  }

  /** Undefined if the limit is reached. */
  function follow(moves: readonly CheckedMove[]): Unbound | undefined {
    if (asked > MOST_ASKED) return undefined
    const before = view.work.existingNodes
    const unbound = unboundByWorstFit(moves, { ...view, nodes: sorted() })
    asked += view.work.existingNodes - before
    return unbound
  }

  return {
    unbound(move) {
      const pods = keptPods + podsOf(move)
      if (pods === 0 || pods > MOST_PODS) return NONE_UNBOUND
      const moves = [...kept, move]
      if (areInterchangeable(classesOf(moves))) return NONE_UNBOUND
      const before = results.of(move)
      // The move may have been found to hold without room to spare.
      if (before !== undefined) areAmple = false
      return before ?? results.note(move, isAmple(move, moves) ? NONE_UNBOUND : follow(moves)) ?? classesOf([move])
    },
    keep(move) {
      kept.push(move)
      keptPods += podsOf(move)
      const forget = results.keep(move)
      return () => {
        kept.pop()
        keptPods -= podsOf(move)
        forget()
      }
    },
  }
}

/**
 * The results of earlier checks, by the kept moves and the move. A move that is taken back and made again must not be refused because checks in between
 * used up the limit.
 */
function createResults() {
  const known = new Map<string, Unbound>()
  const numbers = new Map<string, number>()
  /** The number of the kept moves, and of all before each of them was kept. */
  const sequence = [0]
  const keyOf = (move: CheckedMove): string => `${sequence.at(-1)} ${idOf(move)}`
  return {
    of: (move: CheckedMove): Unbound | undefined => known.get(keyOf(move)),
    note(move: CheckedMove, unbound: Unbound | undefined): Unbound | undefined {
      if (unbound !== undefined) known.set(keyOf(move), unbound)
      return unbound
    },
    keep(move: CheckedMove): () => void {
      const key = keyOf(move)
      const number = numbers.get(key) ?? numbers.size + 1
      numbers.set(key, number)
      sequence.push(number)
      return () => void sequence.pop()
    },
  }
}

function takenBy(moves: readonly CheckedMove[]): Amounts {
  const [first] = moves.flatMap(({ log }) => log.slice(0, 1))
  const taken = new Float64Array(first?.podClass.amounts.length ?? 0)
  for (const { log, closed } of moves) {
    for (const { podClass, count } of log) addTimes(taken, podClass.amounts, count)
    for (const free of closed)
      addTimes(
        taken,
        free.map((amount) => (Number.isFinite(amount) ? Math.max(0, amount) : 0)),
        1,
      )
  }
  return taken
}

/** The same for moves that close the same nodes and put the same pods onto the same nodes and claims, in the same order. */
function idOf({ closing, log, bins }: CheckedMove): string {
  const places = log.map(({ host, podClass, count }) => [host.name, podClass.pod.key, count])
  const claims = bins.map((bin) => [bin.narrowedTemplate.template.pool.name, survivorsOf(bin).map(({ type }) => type.name)])
  return JSON.stringify([closing, places, claims])
}

function podsOf({ log }: PlannedMove): number {
  return log.reduce((sum, { count }) => sum + count, 0)
}

function classesOf(moves: readonly CheckedMove[]): ReadonlySet<PodClass> {
  return new Set(moves.flatMap(({ log }) => log.map(({ podClass }) => podClass)))
}

/** Returns a function that tells what the nodes have free now, by their places in the list. Moves change it later. */
function freeNow(nodes: readonly ExistingNode[]): (at: number) => Amounts {
  const axes = nodes[0]?.free.length ?? 0
  const all = new Float64Array(nodes.length * axes)
  for (const [at, { free }] of nodes.entries()) all.set(free, at * axes)
  return (at) => all.subarray(at * axes, (at + 1) * axes)
}

/** A node that was closed comes first: it may open again. */
function emptiestFirst(nodes: readonly ExistingNode[], freeAt: (at: number) => Amounts, view: SchedulerView): readonly ExistingNode[] {
  const shareOf = (node: ExistingNode, free: Amounts): number =>
    (free[0] ?? 0) < 0 ? Number.POSITIVE_INFINITY : freeShare(free, undefined, view.wholeOf(node), view)
  const ranked = nodes.map((node, at) => ({ node, share: shareOf(node, freeAt(at)) }))
  return ranked.sort((one, other) => (one.share === other.share ? 0 : other.share - one.share)).map(({ node }) => node)
}

/** Reports whether any pod may take the place of any other one: no order of such pods leaves one of them without a place. */
function areInterchangeable(classes: ReadonlySet<PodClass>): boolean {
  const [first, ...others] = [...classes].map((podClass) => ({ podClass, relaxedPod: podClass.relaxedPods.at(-1) }))
  const isAlike = ({ podClass, relaxedPod }: NonNullable<typeof first>): boolean =>
    relaxedPod !== undefined &&
    relaxedPod.spread.length === 0 &&
    isPlain(podClass, relaxedPod) &&
    relaxedPod.constraint.id === first?.relaxedPod?.constraint.id &&
    podClass.amounts.every((amount, axis) => amount === first.podClass.amounts[axis])
  return first !== undefined && [first, ...others].every(isAlike)
}
