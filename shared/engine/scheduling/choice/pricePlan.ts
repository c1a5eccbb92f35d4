/** The cheapest of several plans. Which pods can be placed follows the rules; where they go is a question of money. */
import { replaceAll } from '../../../base/lists.ts'
import { placeInOrder, placeOnExistingNodes } from '../candidates/firstFit/firstFit.ts'
import { isDone, isSpreadLeft, type Packed, placePacked, placePackedTogether } from '../candidates/packed/placePacked.ts'
import { costOf, isBetter, leastCost, type Plan, type PlanCost } from '../candidates/plan.ts'
import { countsOf, type Restore, restorePoint } from '../candidates/restorePoint.ts'
import { isWithinSkew } from '../model/neighbours/domainFilters.ts'
import { isBin } from '../model/nodes/bin.ts'
import { type ExistingNode, roomOn } from '../model/nodes/existingNode.ts'
import type { PodClass, QueueEntry } from '../model/pods/constraint.ts'
import { CLOSE_TO_LEAST, MOST_FILL_ROUNDS, MOST_FOLLOWED, SHARE_FOR_STUCK } from '../model/quantities/tuning.ts'
import { asBefore, endOf, isSpent, spentOn } from '../model/quantities/work.ts'
import type { TopologyGroup } from '../model/topology/topologyGroup.ts'
import { findBindingOrder } from './bindingOrder.ts'
import { fixOpenDomains } from './colocation.ts'
import { letImportantFirst, letRefusedFirst } from './giveWay.ts'

/** Compares the packed plan with first fit, and keeps the cheapest plan. Existing nodes are filled first either way, since they cost nothing. */
export function placeByPrice(plan: Plan, queue: readonly QueueEntry[], groups: readonly TopologyGroup[]): void {
  const begun = spentOn(plan.work)
  const pods = [...plan.left.values()].reduce((sum, count) => sum + count, 0)
  const restore = restorePoint(plan, groups)
  const toBase = countsOf(groups, plan.work)
  if (fillExistingNodes(plan, queue, restore, pods)) return
  const enough = enoughFor(plan, pods)
  let late: readonly QueueEntry[] = []
  const isHeld = ({ isAsAssigned }: Packed): boolean => {
    // Without rules about neighbours pods can be bound in any order.
    if (groups.length === 0) return true
    if (isAsAssigned && !isBothWays(groups) && plan.newDaemons === undefined) return true
    if (pods > MOST_FOLLOWED) return plan.newDaemons === undefined && (isAsAssigned || keepsSkew(plan))
    const order = findBindingOrder(plan, toBase)
    late = [...order.late]
    return order.isFound
  }
  let isTangled = false
  const isPacked = (): boolean => {
    const packed = placePacked(plan, queue, groups)
    isTangled = packed.isSpreadLeft
    return isHeld(packed)
  }
  const found = isPacked() || isHeldAfter(late, plan, queue, restore, isPacked) ? [candidateOf(plan, groups)] : []
  if (mostOf(found) <= enough) return
  const addIf = (isMade: () => boolean): void => {
    restore()
    if (isMade()) found.push(candidateOf(plan, groups))
  }
  addIf(() => placeInOrder({ ...plan, budget: asBefore(plan, begun) }, queue, mostOf(found)))
  if (groups.length > 0 && pods <= MOST_FOLLOWED)
    addIf(() => placeInOrder({ ...plan, commitment: 'late' }, queue, mostOf(found)) && fixOpenDomains(plan, toBase))
  if (isTangled && !isSpent(plan))
    addIf(() => {
      placeOnExistingNodes(plan, queue)
      return isHeld(placePackedTogether(plan, queue, groups))
    })
  found.reduce((best, each) => (isBetter(each.cost, best.cost) ? each : best)).keep()
  if (plan.existingNodes.length > 0) beginOtherwise(plan, queue, groups, restore, isHeld)
  const rest = [() => isHeld(placePacked(plan, queue, groups)), () => placeInOrder(plan, queue)]
  const replanning = { restore, rest, save: () => savePlan(plan, groups) }
  if (pods <= MOST_FOLLOWED) letRefusedFirst(plan, queue, replanning)
  letImportantFirst(plan, queue, replanning)
}

/**
 * Packs once more after the pods that no order could bind. A few such pods would lose the whole packed plan. The domains of the other pods are then
 * chosen beside theirs.
 */
function isHeldAfter(
  late: readonly QueueEntry[],
  plan: Plan,
  queue: readonly QueueEntry[],
  restore: Restore,
  isPacked: () => boolean,
): boolean {
  if (late.length === 0 || isSpent(plan)) return false
  restore()
  placeInOrder(plan, late)
  placeOnExistingNodes(plan, queue)
  return isPacked()
}

/**
 * The price up to which no other plan is made beside the packed one. The more pods, the further above the least cost: first fit costs time for each
 * pod.
 */
function enoughFor({ existingNodes, poolOptions, axes, left }: Plan, pods: number): number {
  if (existingNodes.length > 0) return 0
  const share = Math.min(1, pods / MOST_FOLLOWED)
  return leastCost(poolOptions, axes, [...left].map(asWaiting)) * (1 + share * (CLOSE_TO_LEAST - 1))
}

/** If pods are left over, fills existing nodes in another order, or after domains are chosen. */
function beginOtherwise(
  plan: Plan,
  queue: readonly QueueEntry[],
  groups: readonly TopologyGroup[],
  restore: Restore,
  isHeld: (packed: Packed) => boolean,
): void {
  if (!isDone(plan) && !isSpent(plan)) placeStuckFirst(plan, queue, groups, restore, isHeld)
  for (const place of [placePacked, placePackedTogether])
    if (isSpreadLeft(plan) && !isSpent(plan)) placeAnew(plan, groups, restore, () => isHeld(place(plan, queue, groups)))
}

function asWaiting([podClass, count]: readonly [PodClass, number]) {
  return { podClass, count }
}

/** Reports whether pods are spread both over machines and over wider domains: an order that suits one rule may not suit the other. */
function isBothWays(groups: readonly TopologyGroup[]): boolean {
  const spread = groups.filter(({ kind }) => kind === 'spread')
  return spread.some(({ isHost }) => isHost) && spread.some(({ isHost }) => !isHost)
}

/** Places pods that only fit where other pods are now before these, unless a pod loses its place by that. */
function placeStuckFirst(
  plan: Plan,
  queue: readonly QueueEntry[],
  groups: readonly TopologyGroup[],
  restore: Restore,
  isHeld: (packed: Packed) => boolean,
): void {
  const left = new Map(plan.left)
  const isKept = ([podClass, count]: readonly [PodClass, number]): boolean => count <= (left.get(podClass) ?? 0)
  const isFilled = (): boolean => fillForStuck(plan, queue, restore) && isHeld(placePacked(plan, queue, groups))
  keepIfBetter(plan, groups, () => isFilled() && [...plan.left].every(isKept))
}

/** Chooses domains first, as if there were no existing nodes. Filled nodes can leave no domain that the rules allow. */
function placeAnew(plan: Plan, groups: readonly TopologyGroup[], restore: Restore, isPlaced: () => boolean): void {
  keepIfBetter(plan, groups, () => {
    restore()
    return isPlaced()
  })
}

/** Makes the plan another way, and puts it back unless that way holds and is better. */
function keepIfBetter(plan: Plan, groups: readonly TopologyGroup[], makeAnew: () => boolean): void {
  const before = candidateOf(plan, groups)
  if (!makeAnew() || !isBetter(costOf(plan), before.cost)) before.keep()
}

type Candidate = { readonly cost: PlanCost; readonly keep: () => void }

function candidateOf(plan: Plan, groups: readonly TopologyGroup[]): Candidate {
  return { cost: costOf(plan), keep: savePlan(plan, groups) }
}

/** What another plan may cost to be the best: the cost of the cheapest complete plan. A plan that costs more need not be finished. */
function mostOf(found: readonly Candidate[]): number {
  const complete = found.filter(({ cost }) => cost.unplaced + cost.unpriced === 0)
  return complete.reduce((least, { cost }) => Math.min(least, cost.microUsdPerHour), Number.POSITIVE_INFINITY)
}

/** Saves a finished plan. The function that it returns puts the saved plan back. */
export function savePlan(plan: Plan, groups: readonly TopologyGroup[]): () => void {
  const bins = [...plan.bins]
  const log = [...plan.log]
  const left: readonly (readonly [PodClass, number])[] = [...plan.left]
  const restore = restorePoint(plan, groups)
  return () => {
    restore()
    replaceAll(plan.bins, bins)
    replaceAll(plan.log, log)
    for (const [podClass, count] of left) plan.left.set(podClass, count)
  }
}

/**
 * Reports whether the finished plan keeps the skew of all spreads over domains wider than a machine. It checks plans whose pods were not followed one
 * by one.
 */
function keepsSkew({ log }: Plan): boolean {
  const seen = new Set<string>()
  for (const { host, relaxedPod } of log) {
    if (!isBin(host)) continue
    for (const group of relaxedPod.spread) {
      if (group.isHost) continue
      const domain = host.domainOf(group.key)
      const text = `${relaxedPod.id} ${group.id} ${domain}`
      if (seen.has(text)) continue
      seen.add(text)
      if (domain === undefined || !isWithinSkew(group, domain)) return false
    }
  }
  return true
}

/**
 * Fills the existing nodes once more, with the pods first that found no place. Returns false if none of these pods had room on a node that the plan
 * filled. `restore` takes the plan back to where nothing is filled.
 */
function fillForStuck(plan: Plan, queue: readonly QueueEntry[], restore: Restore): boolean {
  const stuck = new Set([...plan.left].flatMap(([podClass, count]) => (count > 0 ? [podClass] : [])))
  // Other nodes have as much room as before.
  const filled = [...plan.touched.keys()]
  restore()
  if (!hadRoom(plan, stuck, filled)) return false
  placeOnExistingNodes(
    plan,
    queue.filter(({ podClass }) => stuck.has(podClass)),
  )
  placeOnExistingNodes(plan, queue)
  return true
}

/**
 * Fills the existing nodes in the order of the queue. As long as pods are left over that have room there, fills them anew with these pods first,
 * since each order meets other rules. Returns true if all pods have places. Otherwise the nodes are filled in the order of the queue.
 */
function fillExistingNodes(plan: Plan, queue: readonly QueueEntry[], restore: Restore, pods: number): boolean {
  placeOnExistingNodes(plan, queue)
  if (isDone(plan) || plan.existingNodes.length === 0 || pods > MOST_FOLLOWED) return isDone(plan)
  let order = queue
  for (let round = 0; round < MOST_FILL_ROUNDS && !isSpent(plan); round++) {
    const stuck = new Set([...plan.left].flatMap(([podClass, count]) => (count > 0 ? [podClass] : [])))
    const filled = [...plan.touched.keys()]
    restore()
    if (!hadRoom(plan, stuck, filled)) break
    order = [...order.filter(({ podClass }) => stuck.has(podClass)), ...order.filter(({ podClass }) => !stuck.has(podClass))]
    placeOnExistingNodes(plan, order)
    if (isDone(plan)) return true
  }
  restore()
  placeOnExistingNodes(plan, queue)
  return false
}

function hadRoom(plan: Plan, stuck: ReadonlySet<PodClass>, filled: readonly ExistingNode[]): boolean {
  const end = endOf(plan, SHARE_FOR_STUCK)
  for (const podClass of stuck) {
    if (spentOn(plan.work) >= end) return false
    for (const existingNode of filled) {
      plan.work.existingNodes++
      if (podClass.relaxedPods.some(({ constraint }) => roomOn(existingNode, podClass, constraint, 1) > 0)) return true
    }
  }
  return false
}
