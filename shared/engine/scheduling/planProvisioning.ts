import { type Assignment, assignPods } from './assign.ts'
import type { Batch } from './batch.ts'
import { placeInOrder } from './firstFit/firstFit.ts'
import type { Plan } from './plan.ts'
import { placeByPrice } from './price/pricePlan.ts'
import { newPlan, type Problem, problemOf } from './problem.ts'
import { keepPromises } from './promises.ts'
import { settleReservations } from './reserved/holdReservations.ts'
import type { Cluster } from './state/cluster.ts'
import type { Occasion } from './state/occasion.ts'

export type Provisioning = { readonly problem: Problem; readonly plan: Plan; readonly assignment: Assignment }

/** Where every pod goes. The cluster's machines are buffers of the plan until it is taken back. */
export function planProvisioning(cluster: Cluster, occasion: Occasion, batch: Batch): Provisioning {
  const problem = problemOf(cluster, occasion, batch)
  const plan = newPlan(problem)
  const kept = keepPromises(plan, problem.classes, occasion)
  if (occasion.settings.placement === 'firstFit') placeInOrder(plan, problem.queue)
  else placeByPrice(plan, problem.queue, problem.groups.all)
  settleReservations(plan)
  return { problem, plan, assignment: assignPods(plan, problem.classes, kept) }
}
