/**
 * Removes new machines that are not needed after all. Rules may have kept their pods off existing nodes at first, and may allow these nodes once
 * other pods have their place.
 */

import { replaceAll } from '../../../base/lists.ts'
import { takeExistingNode } from '../candidates/firstFit/firstFit.ts'
import { tryExistingNode } from '../candidates/firstFit/place.ts'
import type { Plan } from '../candidates/plan.ts'
import type { Restore } from '../candidates/restorePoint.ts'
import { domainFilters, record } from '../model/neighbours/domainFilters.ts'
import type { Bin } from '../model/nodes/bin.ts'
import type { PodClass, RelaxedPod } from '../model/pods/podClass.ts'
import { MOST_ROOM_QUESTIONS } from '../model/quantities/tuning.ts'
import { isSpent } from '../model/quantities/work.ts'
import type { TopologyGroup } from '../model/topology/topologyGroup.ts'
import { hasBindingOrder } from './hasBindingOrder.ts'
import { savePlan } from './pricePlan.ts'

/**
 * Removes machines from a finished plan if all their pods have room on existing nodes and the scheduler can carry out the result. `toBase` puts the
 * counts back to what they were before the plan.
 */
export function moveOntoRoom(plan: Plan, groups: readonly TopologyGroup[], toBase: Restore): void {
  if (plan.existingNodes.length === 0 || plan.held !== undefined) return
  const end = plan.work.existingNodes + MOST_ROOM_QUESTIONS
  for (const bin of [...plan.bins]) {
    if (plan.work.existingNodes >= end || isSpent(plan)) return
    if (!hasRoomForFirst(plan, bin)) continue
    const undo = savePlan(plan, groups)
    if (!moveAll(plan, bin) || !hasBindingOrder(plan, toBase)) undo()
  }
}

/** Most machines fail here, before anything is saved. */
function hasRoomForFirst(plan: Plan, { contents: [first] }: Bin): boolean {
  if (first === undefined) return false
  const { amounts, shared } = first.podClass
  return shared.length > 0 || plan.room.next(amounts, 0) < plan.existingNodes.length
}

function moveAll(plan: Plan, bin: Bin): boolean {
  for (const { podClass, relaxedPod, count } of bin.contents) record(bin, podClass, relaxedPod, -count)
  replaceAll(
    plan.log,
    plan.log.filter(({ host }) => host !== bin),
  )
  replaceAll(
    plan.bins,
    plan.bins.filter((each) => each !== bin),
  )
  return bin.contents.every(({ podClass, relaxedPod, count }) => moveEach(plan, podClass, relaxedPod, count))
}

function moveEach(plan: Plan, podClass: PodClass, relaxedPod: RelaxedPod, count: number): boolean {
  for (let moved = 0; moved < count; moved++) {
    const rules = domainFilters(podClass, relaxedPod)
    const existingNode = plan.existingNodes.find((each) => {
      plan.work.existingNodes++
      return tryExistingNode(each, podClass, relaxedPod, rules, 'early') === 'fits'
    })
    if (existingNode === undefined) return false
    takeExistingNode(plan, existingNode, podClass, relaxedPod, 1)
  }
  return true
}
