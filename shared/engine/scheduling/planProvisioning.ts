import type { ClusterSnapshot } from '../../model/clusterSnapshot.ts'
import type { Pod } from '../../model/pod.ts'
import type { StateNode } from '../cluster/stateNode.ts'
import { type Assignment, assignPods } from './assign.ts'
import { placeInOrder } from './firstFit/firstFit.ts'
import type { Plan } from './plan.ts'
import { placeByPrice } from './price/pricePlan.ts'
import { newPlan, type Problem, problemOf } from './problem.ts'
import { keepPromises } from './promises.ts'
import { settleReservations } from './reserved/holdReservations.ts'

export type Provisioning = { readonly problem: Problem; readonly plan: Plan; readonly assignment: Assignment }

/** Where every pod goes. */
export function planProvisioning(snapshot: ClusterSnapshot, wanted: readonly Pod[], machines: readonly StateNode[]): Provisioning {
  const problem = problemOf(snapshot, wanted, machines)
  const plan = newPlan(problem)
  const kept = keepPromises(plan, problem.classes, snapshot)
  if (snapshot.settings.placement === 'firstFit') placeInOrder(plan, problem.queue)
  else placeByPrice(plan, problem.queue, problem.groups.all)
  settleReservations(plan)
  return { problem, plan, assignment: assignPods(plan, problem.classes, kept) }
}
