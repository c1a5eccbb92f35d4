/** Pods that only existing nodes could take, and that other pods came before. */

import { placeOnExistingNodes } from '../candidates/firstFit/firstFit.ts'
import { isDone } from '../candidates/packed/placePacked.ts'
import type { Plan } from '../candidates/plan.ts'
import type { Restore } from '../candidates/restorePoint.ts'
import { type ExistingNode, roomOn } from '../model/nodes/existingNode.ts'
import type { PodClass } from '../model/pods/podClass.ts'
import type { QueueEntry } from '../model/pods/queue.ts'
import { MOST_FILL_ROUNDS, MOST_FOLLOWED, SHARE_FOR_STUCK } from '../model/quantities/tuning.ts'
import { endOf, isSpent, spentOn } from '../model/quantities/work.ts'

/**
 * Fills the existing nodes once more, with the pods first that found no place. Returns false if none of these pods had room on a node that the plan
 * filled. `restore` takes the plan back to where nothing is filled.
 */
export function fillForStuck(plan: Plan, queue: readonly QueueEntry[], restore: Restore): boolean {
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
 * Fills the existing nodes in the order of the queue. As long as pods are left over that have room there, fills them anew with these pods first, since
 * each order meets other rules. Returns true if all pods have places. Otherwise the nodes are filled in the order of the queue.
 */
export function fillExistingNodes(plan: Plan, queue: readonly QueueEntry[], restore: Restore, pods: number): boolean {
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
