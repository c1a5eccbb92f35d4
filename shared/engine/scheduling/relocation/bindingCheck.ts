/** Checks the moves of a decision together: their pods must find places in every order in which kube-scheduler may bind the pods. */
import { once } from '../../../base/caches.ts'
import { survivorsOf } from '../model/nodes/bin.ts'
import type { ExistingNode } from '../model/nodes/existingNode.ts'
import type { PodClass } from '../model/pods/constraint.ts'
import { type Amounts, addTimes } from '../model/quantities/amounts.ts'
import { nodesByDomain } from './bindingOrders.ts'
import type { PlannedMove, SchedulerView } from './placedPods.ts'
import { createSpareRoom, isPlain } from './spareRoom.ts'
import { createWorstFit, NONE_UNBOUND, type Unbound } from './worstFit.ts'

/** The most times that all checks of a decision ask a node for room. After that, only moves with room to spare pass. */
const MOST_ASKED = 100_000

/** How far room to spare is looked for. A decision that moves much has no room for twice as much. */
const AHEAD = [2, 1.2]

export type CheckedMove = PlannedMove & {
  /** Names of the nodes that close. */
  readonly closing: readonly string[]
  /** What the nodes that close had free. */
  readonly closed: readonly Amounts[]
  /** True if pods may wait until the nodes are gone. */
  readonly afterAll: boolean
}

/** How a check has found that the pods of a move, and of all moves before it, bind in any order. */
export type Proof = 'noPods' | 'interchangeable' | 'ample' | 'followed'

export interface BindingCheck {
  /**
   * The pods of the kept moves and of this move that find no place in some order, where each pod goes to the emptiest node that takes it. Once the limit
   * of checks is reached, all pods of the move count among them.
   */
  unbound(move: CheckedMove): Unbound
  /** Keeps the move. Returns a function that takes it back. */
  keep(move: CheckedMove): () => void
  /** How it is known of each kept move that its pods bind in any order. Unchecked if no check before `keep` has found that they do. */
  proofs(): readonly (Proof | 'unchecked')[]
  /** Reports whether a move may begin although its check failed: no pods of other moves are in its way, and the check went to its end. */
  isLastResort(): boolean
}

/** What moves come to together. `taken`: what their pods ask for, and what the nodes that close had free. */
type Sum = { readonly pods: number; readonly taken: Amounts; readonly common: CommonClass }

/** The one kind of all pods, if any of them may take the place of any other. */
type CommonClass = PodClass | 'none' | 'mixed'

const NOTHING: Sum = { pods: 0, taken: new Float64Array(), common: 'none' }

type Kept = { readonly move: CheckedMove; readonly sum: Sum; readonly proof: Proof | 'unchecked' }

/** `nodes`: the nodes that may take pods. Some of them close later. */
export function createBindingCheck(nodes: readonly ExistingNode[], view: SchedulerView): BindingCheck {
  const kept: Kept[] = []
  /** The last move that was checked, if its pods bind in any order. */
  let proven: { readonly move: CheckedMove; readonly proof: Proof } | undefined
  const nodesBy = nodesByDomain(nodes)
  const spare = AHEAD.map((ahead) => ({ room: createSpareRoom(nodesBy, view.work, ahead), areAmple: true }))
  // Most decisions have room to spare, and follow no binding.
  const worstFit = once(() => createWorstFit(nodes, view))
  const results = createResults()
  let asked = 0
  const sumWith = (move: CheckedMove): Sum => added(kept.at(-1)?.sum ?? NOTHING, move)
  const withKept = (move: CheckedMove): readonly CheckedMove[] => [...kept.map((each) => each.move), move]

  function isAmple(move: CheckedMove, { taken }: Sum): boolean {
    const own = classesOf([move])
    let isFound = false
    for (const each of spare) {
      // Kept moves that were not looked at must be looked at later.
      if (isFound) each.areAmple = false
      else {
        const isEnough = !each.room.expect(taken) && each.areAmple
        each.areAmple = each.room.isAmpleFor(own) && (isEnough || each.room.isAmpleFor(classesOf(kept.map((one) => one.move))))
        isFound = each.areAmple
      }
    }
    return isFound
  }

  const isSpent = (): boolean => asked > MOST_ASKED

  /** Undefined if the limit is reached. */
  function follow(move: CheckedMove): Unbound | 'followed' | undefined {
    if (isSpent()) return undefined
    const before = view.work.existingNodes
    const unbound = worstFit()(withKept(move))
    asked += view.work.existingNodes - before
    return unbound.size === 0 ? 'followed' : unbound
  }

  function check(move: CheckedMove): Unbound | Proof {
    const sum = sumWith(move)
    if (sum.pods === 0) return 'noPods'
    if (sum.common !== 'mixed') return 'interchangeable'
    if (isAmple(move, sum)) return 'ample'
    return results.of(move) ?? results.note(move, follow(move)) ?? classesOf([move])
  }

  return {
    unbound(move) {
      const result = check(move)
      const isProof = typeof result === 'string'
      proven = isProof ? { move, proof: result } : undefined
      return isProof ? NONE_UNBOUND : result
    },
    keep(move) {
      kept.push({ move, sum: sumWith(move), proof: proven?.move === move ? proven.proof : 'unchecked' })
      const forget = results.keep(move)
      return () => {
        kept.pop()
        forget()
      }
    },
    proofs: () => kept.map(({ proof }) => proof),
    isLastResort: () => !isSpent() && kept.every(({ proof }) => proof === 'noPods'),
  }
}

/**
 * The results of earlier checks, by the kept moves and the move. A move that is taken back and made again must not be refused because checks in between
 * used up the limit.
 */
function createResults() {
  const known = new Map<string, Unbound | Proof>()
  const numbers = new Map<string, number>()
  /** The number of the kept moves, and of all before each of them was kept. */
  const sequence: (() => number)[] = [() => 0]
  const keyOf = (move: CheckedMove): string => `${sequence.at(-1)?.()} ${idOf(move)}`
  return {
    of: (move: CheckedMove): Unbound | Proof | undefined => known.get(keyOf(move)),
    note(move: CheckedMove, result: Unbound | Proof | undefined): Unbound | Proof | undefined {
      if (result !== undefined) known.set(keyOf(move), result)
      return result
    },
    keep(move: CheckedMove): () => void {
      const before = sequence.at(-1)
      // Most decisions ask for no result.
      const number = once(() => {
        const key = `${before?.()} ${idOf(move)}`
        const own = numbers.get(key) ?? numbers.size + 1
        numbers.set(key, own)
        return own
      })
      sequence.push(number)
      return () => void sequence.pop()
    },
  }
}

function added({ pods, taken, common }: Sum, { log, closed }: CheckedMove): Sum {
  const more = Float64Array.from({ length: (closed[0] ?? taken).length }, (_, axis) => taken[axis] ?? 0)
  let [count, kind] = [pods, common]
  for (const { podClass, count: own } of log) {
    count += own
    kind = commonClass(kind, podClass)
    addTimes(more, podClass.amounts, own)
  }
  for (const free of closed)
    addTimes(
      more,
      free.map((amount) => (Number.isFinite(amount) ? Math.max(0, amount) : 0)),
      1,
    )
  return { pods: count, taken: more, common: kind }
}

/** The same for moves that close the same nodes and put the same pods onto the same nodes and claims, in the same order. */
function idOf({ closing, log, bins, afterAll }: CheckedMove): string {
  const places = log.map(({ host, podClass, count }) => [host.name, podClass.pod.key, count])
  const claims = bins.map((bin) => [bin.narrowedTemplate.template.pool.name, survivorsOf(bin).map(({ type }) => type.name)])
  return JSON.stringify([closing, afterAll, places, claims])
}

function classesOf(moves: readonly CheckedMove[]): ReadonlySet<PodClass> {
  return new Set(moves.flatMap(({ log }) => log.map(({ podClass }) => podClass)))
}

function commonClass(common: CommonClass, podClass: PodClass): CommonClass {
  if (common === 'mixed' || common === podClass) return common
  const isCommon = isOnlyAboutRoom(podClass) && (common === 'none' || areInterchangeable(common, podClass))
  return isCommon ? podClass : 'mixed'
}

function isOnlyAboutRoom(podClass: PodClass): boolean {
  const relaxedPod = podClass.relaxedPods.at(-1)
  return relaxedPod !== undefined && relaxedPod.spread.length === 0 && isPlain(podClass, relaxedPod)
}

/** Reports whether a pod of one class may take the place of a pod of the other: no order of such pods leaves one of them without a place. */
function areInterchangeable(one: PodClass, other: PodClass): boolean {
  const isSame = one.relaxedPods.at(-1)?.constraint.id === other.relaxedPods.at(-1)?.constraint.id
  return isSame && one.amounts.every((amount, axis) => amount === other.amounts[axis])
}
