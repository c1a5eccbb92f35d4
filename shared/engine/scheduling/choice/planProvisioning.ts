import { placeInOrder } from '../candidates/firstFit/firstFit.ts'
import { keepNominations } from '../candidates/firstFit/nominations.ts'
import type { Plan } from '../candidates/plan.ts'
import { settleReservations } from '../candidates/reserved/holdReservations.ts'
import { countsOf, type Restore } from '../candidates/restorePoint.ts'
import type { Batch } from '../model/batch.ts'
import type { Cluster } from '../model/cluster/cluster.ts'
import { putBack } from '../model/nodes/existingNode.ts'
import { type PlacementMode, type Problem, problemOf } from '../model/problem.ts'
import { MOST_FOLLOWED } from '../model/quantities/tuning.ts'
import type { Work } from '../model/quantities/work.ts'
import { looksAtLabels, type TopologyGroup } from '../model/topology/topologyGroup.ts'
import type { DecisionContext } from '../snapshot/decisionContext.ts'
import { type Assignment, assignPods } from './assign.ts'
import { fixOpenDomains } from './fixOpenDomains.ts'
import { hasBindingOrder } from './hasBindingOrder.ts'
import { newPlan } from './newPlan.ts'
import { moveOntoRoom } from './ontoRoom.ts'
import { placeByPrice } from './pricePlan.ts'

export type Provisioning = {
  readonly problem: Problem
  readonly plan: Plan
  /** Which pod goes where: worked out when somebody asks, since a plan counts pods and does not name them. */
  readonly assigned: () => Assignment
}

/** Where every pod goes. The cluster's machines are buffers of the plan until it is taken back. */
export function planProvisioning(cluster: Cluster, context: DecisionContext, batch: Batch, work: Work): Provisioning {
  const { placement = 'price' } = context.settings
  const planAs = planner(cluster, context, batch, work)
  const { provisioning, toBase } = ownPlan(planAs, placement, batch)
  if (placement !== 'firstFit' && batch.count <= MOST_FOLLOWED) moveOntoRoom(provisioning.plan, provisioning.problem.groups.all, toBase)
  return provisioning
}

/**
 * Spreads that look at labels can come out otherwise than planned, when claims become what they left open. A plan that cannot be followed to
 * its end is made again, warily; of many pods none is followed.
 */
function ownPlan(planAs: Planner, placement: PlacementMode, { count }: Batch): Planned {
  if (placement !== 'price') return planAs(placement)
  const planned = planAs(placement, count > MOST_FOLLOWED)
  if (count > MOST_FOLLOWED || !planned.provisioning.problem.groups.all.some(looksAtLabels) || canBeCarriedOut(planned)) return planned
  takeBack(planned.provisioning)
  return planAs(placement, true)
}

/** Takes what the plan put on machines off them again. */
export function takeBack({ plan }: Provisioning): void {
  for (const [existingNode, mark] of plan.touched) putBack(existingNode, mark)
}

/** `toBase` puts the counts of neighbours back to what they were before pods were placed. */
type Planned = { readonly provisioning: Provisioning; readonly toBase: Restore }

type Planner = (placement: PlacementMode, isWary?: boolean) => Planned

function planner(cluster: Cluster, context: DecisionContext, batch: Batch, work: Work): Planner {
  return (placement, isWary) => {
    const problem = problemOf(cluster, context, batch, work, { placement, isWary })
    const plan = newPlan(problem, work)
    const kept = keepNominations(plan, problem.classes, context)
    const toBase = countsOf(problem.groups.all, work)
    if (placement === 'price') placeByPrice(plan, problem.queue, problem.groups.all)
    else placeInOrder(plan, problem.queue)
    settleReservations(plan)
    let assignment: Assignment | undefined
    const assigned = (): Assignment => {
      assignment ??= assignPods(plan, problem.classes, kept)
      return assignment
    }
    return { provisioning: { problem, plan, assigned }, toBase }
  }
}

/** With reservations first fit promises more than it settles. */
function canBeCarriedOut({ provisioning: { plan, problem }, toBase }: Planned): boolean {
  return plan.held === undefined && fixOpenDomains(plan, toBase) && holdsHoweverOpen(plan, problem.groups.all, toBase)
}

/** Whether it holds as well where machines of which that is open turn out to be looked at. */
function holdsHoweverOpen(plan: Plan, groups: readonly TopologyGroup[], toBase: Restore): boolean {
  const open = groups.filter((group) => looksAtLabels(group) && !group.isWary)
  if (open.length === 0) return true
  for (const group of open) group.isWary = true
  const holds = hasBindingOrder(plan, toBase)
  for (const group of open) {
    group.isWary = false
    group.perhaps.clear()
  }
  return holds
}
