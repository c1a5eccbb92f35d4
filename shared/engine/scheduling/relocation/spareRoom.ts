/**
 * Shows at low cost that pods find places wherever the other pods go: nodes have so much more room than all moved pods take that these pods could not
 * fill all nodes that a pod may use.
 */

import { domainsOfSpread } from '../model/neighbours/domainFilters.ts'
import { type ExistingNode, takesPodsOf } from '../model/nodes/existingNode.ts'
import type { Constraint, PodClass, RelaxedPod } from '../model/pods/constraint.ts'
import { type Amounts, addTimes, fits } from '../model/quantities/amounts.ts'
import type { Work } from '../model/quantities/work.ts'
import { ANYWHERE, type NodesByDomain } from './bindingOrders.ts'

export interface SpareRoom {
  /**
   * Says how much room all pods of the moves and all closed nodes take. Nodes may close and get pods as long as this grows by what the nodes had free
   * and by the pods. True if earlier answers do not hold for so much.
   */
  expect(taken: Amounts): boolean
  /** Reports whether each pod of these classes is sure to find a place. False does not mean that some pod finds none. */
  isAmpleFor(classes: Iterable<PodClass>): boolean
}

/** Whether nodes of the kind have room to spare for pods of these amounts. It then has for smaller pods, and else not for larger pods. */
type Answer = { readonly amounts: Amounts; readonly isAmple: boolean }

/** Nodes that take pods of one constraint, in one domain. */
type NodeKind = {
  readonly constraint: Constraint
  readonly nodes: readonly ExistingNode[]
  /** The largest amounts of pods asked about, by axis. */
  readonly largest: Amounts
  /** Answers for what is taken now. */
  readonly answers: Answer[]
}

const NO_NODES: readonly ExistingNode[] = []

/** `ahead`: room is checked for so many times what is taken now, so that the next moves need no check. */
export function createSpareRoom(nodesBy: NodesByDomain, work: Pick<Work, 'existingNodes'>, ahead: number): SpareRoom {
  let taken: Amounts = new Float64Array()
  const known = new Map<PodClass, boolean>()
  const kinds = new Map<Constraint['id'], Map<NodeKind['nodes'], NodeKind>>()

  function kindOf(constraint: Constraint, key: string | undefined, domain: string): NodeKind {
    const nodes = nodesBy(key).get(domain) ?? NO_NODES
    const ofConstraint = kinds.get(constraint.id) ?? new Map<NodeKind['nodes'], NodeKind>()
    kinds.set(constraint.id, ofConstraint)
    const kind = ofConstraint.get(nodes) ?? { constraint, nodes, largest: new Float64Array(taken.length), answers: [] }
    ofConstraint.set(nodes, kind)
    return kind
  }

  /** Most pods are smaller than the largest ones, so that one answer serves all of them. */
  function isAmpleIn(kind: NodeKind, amounts: Amounts): boolean {
    const { largest } = kind
    for (let axis = 0; axis < largest.length; axis++) largest[axis] = Math.max(largest[axis] ?? 0, amounts[axis] ?? 0)
    return answerFor(kind, largest) || answerFor(kind, amounts)
  }

  function answerFor(kind: NodeKind, amounts: Amounts): boolean {
    const { answers } = kind
    const found = answers.find((each) => (each.isAmple ? fits(amounts, each.amounts) : fits(each.amounts, amounts)))
    if (found !== undefined) return found.isAmple
    const isAmple = cannotFill(kind, amounts, taken, work)
    answers.push({ amounts: amounts.slice(), isAmple })
    return isAmple
  }

  function isAmpleForOne(podClass: PodClass): boolean {
    const relaxedPod = podClass.relaxedPods.at(-1)
    if (relaxedPod === undefined || !isPlain(podClass, relaxedPod)) return false
    const [group] = relaxedPod.spread
    const needed = group === undefined ? [ANYWHERE] : domainsOfSpread(group)
    return needed.length > 0 && needed.every((domain) => isAmpleIn(kindOf(relaxedPod.constraint, group?.key, domain), podClass.amounts))
  }

  return {
    expect(more) {
      if (isWithin(more, taken)) return false
      taken = new Float64Array(more.length)
      addTimes(taken, more, ahead)
      known.clear()
      for (const ofConstraint of kinds.values()) for (const { answers } of ofConstraint.values()) answers.length = 0
      return true
    },
    isAmpleFor(classes) {
      for (const podClass of classes) {
        // Answers are kept, and the next try may heed these domains again.
        if (podClass.relaxedPods.at(-1)?.spread.some(({ ignored }) => ignored.size > 0) === true) return false
        const isAmple = known.get(podClass) ?? isAmpleForOne(podClass)
        known.set(podClass, isAmple)
        if (!isAmple) return false
      }
      return true
    },
  }
}

/**
 * Reports whether only room decides where a pod of the class goes, apart from one spread over domains. If each domain has room, the domain with the
 * fewest pods takes one more pod.
 */
export function isPlain({ hostPorts, shared, repelledBy }: PodClass, { spread, affinity, antiAffinity }: RelaxedPod): boolean {
  if (hostPorts.length + shared.length + repelledBy.length + affinity.length + antiAffinity.length > 0) return false
  return spread.length === 0 || (spread.length === 1 && spread.every(({ isHost, minDomains }) => !isHost && minDomains <= 1))
}

/**
 * Reports whether `taken` cannot keep a pod of these amounts off all nodes of the kind. To keep the pod off a node, other pods must take all but less
 * than the pod needs on some axis. With as many wholes of `taken` free as there are axes, no split of `taken` over the nodes keeps the pod off all of
 * them.
 */
function cannotFill({ nodes, constraint }: NodeKind, amounts: Amounts, taken: Amounts, work: Pick<Work, 'existingNodes'>): boolean {
  const enough = taken.reduce((count, amount) => count + (amount > 0 ? 1 : 0), 0)
  const open: ExistingNode[] = []
  let share = 0
  for (const node of nodes) {
    work.existingNodes++
    if (!fits(amounts, node.free) || !takesPodsOf(node, constraint)) continue
    open.push(node)
    share += leastShare(node.free, amounts, taken)
    if (share > enough) return true
  }
  return staysOpen(open, amounts, taken)
}

/** Reports whether `taken` cannot keep the pod off all of these nodes, even if it is split so that it keeps the pod off as many as it can on each axis. */
function staysOpen(nodes: readonly ExistingNode[], amounts: Amounts, taken: Amounts): boolean {
  let closed = 0
  for (let axis = 0; axis < taken.length && closed < nodes.length; axis++) {
    const most = taken[axis] ?? 0
    if (most > 0)
      closed += mostWithin(
        most,
        nodes.map(({ free }) => (free[axis] ?? 0) - (amounts[axis] ?? 0)),
      )
  }
  return closed < nodes.length
}

/** The most of these amounts that are together within `most`. */
function mostWithin(most: number, amounts: readonly number[]): number {
  let left = most
  let count = 0
  for (const amount of Float64Array.from(amounts).sort()) {
    left -= amount
    if (left < 0) break
    count++
  }
  return count
}

function leastShare(free: Amounts, amounts: Amounts, taken: Amounts): number {
  let least = Number.POSITIVE_INFINITY
  for (let axis = 0; axis < taken.length; axis++) {
    const whole = taken[axis] ?? 0
    if (whole > 0) least = Math.min(least, ((free[axis] ?? 0) - (amounts[axis] ?? 0)) / whole)
  }
  return least
}

function isWithin(taken: Amounts, most: Amounts): boolean {
  return most.length === taken.length && taken.every((amount, axis) => amount <= (most[axis] ?? 0))
}
