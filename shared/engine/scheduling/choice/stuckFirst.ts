/** Pods that only existing nodes could take, and that other pods came before. */

import { placeOnExistingNodes } from '../candidates/firstFit/firstFit.ts'
import type { Plan } from '../candidates/plan.ts'
import type { Restore } from '../candidates/restorePoint.ts'
import { type ExistingNode, roomOn } from '../model/nodes/existingNode.ts'
import type { PodClass } from '../model/pods/podClass.ts'
import type { QueueEntry } from '../model/pods/queue.ts'
import { SHARE_FOR_STUCK } from '../model/quantities/tuning.ts'
import { endOf, spentOn } from '../model/quantities/work.ts'

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
