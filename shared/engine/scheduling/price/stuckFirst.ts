/** Pods that only machines which are there could take, and that others came before. */
import { placeOnTargets, type QueueEntry } from '../firstFit/firstFit.ts'
import { roomOn, type Target } from '../hosts/target.ts'
import type { Plan } from '../plan.ts'
import type { PodClass } from '../pods/podClass.ts'
import { endOf, spentOn } from '../work.ts'
import type { Restore } from './restorePoint.ts'

/** Share of what is left of the budget to ask whether machines had room for pods. */
const MOST_ASKED = 0.1

/**
 * Fills what is there once more, with those first that found no place where others are now. False: there are none such. `restore` takes the
 * plan back to where nothing is filled.
 */
export function fillForStuck(plan: Plan, queue: readonly QueueEntry[], restore: Restore): boolean {
  const stuck = new Set([...plan.left].flatMap(([podClass, count]) => (count > 0 ? [podClass] : [])))
  // Elsewhere there is as much room as there was.
  const filled = [...plan.touched.keys()]
  restore()
  if (!hadRoom(plan, stuck, filled)) return false
  placeOnTargets(
    plan,
    queue.filter(({ podClass }) => stuck.has(podClass)),
  )
  placeOnTargets(plan, queue)
  return true
}

function hadRoom(plan: Plan, stuck: ReadonlySet<PodClass>, filled: readonly Target[]): boolean {
  const end = endOf(plan, MOST_ASKED)
  for (const podClass of stuck) {
    if (spentOn(plan.work) >= end) return false
    for (const target of filled) {
      plan.work.targets++
      if (podClass.variants.some(({ constraint }) => roomOn(target, podClass, constraint, 1) > 0)) return true
    }
  }
  return false
}
