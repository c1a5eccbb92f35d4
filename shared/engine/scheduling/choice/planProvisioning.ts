import { placeInOrder } from '../candidates/firstFit/firstFit.ts'
import { keepNominations } from '../candidates/firstFit/nominations.ts'
import type { Plan } from '../candidates/plan.ts'
import { settleReservations } from '../candidates/reserved/holdReservations.ts'
import { countsOf, type Restore, restorePoint } from '../candidates/restorePoint.ts'
import type { Batch } from '../model/batch.ts'
import type { ForeseenRefusal } from '../model/catalog/claimRefusals.ts'
import type { Cluster } from '../model/cluster/cluster.ts'
import { putBack } from '../model/nodes/existingNode.ts'
import { type PlacementMode, type PlacementProblem, problemOf } from '../model/placementProblem.ts'
import type { QueueEntry } from '../model/pods/queue.ts'
import { MOST_FOLLOWED } from '../model/quantities/tuning.ts'
import { spentOn, type Work } from '../model/quantities/work.ts'
import { looksAtLabels, type TopologyGroup } from '../model/topology/topologyGroup.ts'
import type { DecisionContext } from '../snapshot/decisionContext.ts'
import { type Assignment, assignPods } from './assign.ts'
import { fixOpenDomains } from './fixOpenDomains.ts'
import { hasBindingOrder } from './hasBindingOrder.ts'
import { letImportantFirst } from './importantFirst.ts'
import { newPlan } from './newPlan.ts'
import { moveOntoRoom } from './ontoRoom.ts'
import { placeByPrice, savePlan } from './pricePlan.ts'

export type Provisioning = {
  readonly problem: PlacementProblem
  readonly plan: Plan
  /** Which pod goes where. Worked out on demand, since a plan counts pods and does not name them. */
  readonly assigned: () => Assignment
}

/** Plans where every pod goes. Pods get no claims that are foreseen to be refused. The existing nodes of the cluster are buffers of the plan until `takeBack`. */
export function planProvisioning(
  cluster: Cluster,
  context: DecisionContext,
  batch: Batch,
  work: Work,
  foreseen: readonly ForeseenRefusal[] = [],
): Provisioning {
  const { placement = 'price' } = context.settings
  const planAs = planner({ cluster, context, batch, work, foreseen })
  const { provisioning, toBase } = ownPlan(planAs, placement, batch)
  if (placement !== 'firstFit' && batch.count <= MOST_FOLLOWED) moveOntoRoom(provisioning.plan, provisioning.problem.groups.all, toBase)
  return provisioning
}

/**
 * Spreads that look at labels can count otherwise than planned, once claims have the labels that they left open. A plan that cannot be carried out is
 * made again warily. Plans of more than `MOST_FOLLOWED` pods are wary from the start.
 */
function ownPlan(planAs: Planner, placement: PlacementMode, { count }: Batch): Planned {
  if (placement !== 'price') return planAs(placement)
  const planned = planAs(placement, count > MOST_FOLLOWED)
  if (count > MOST_FOLLOWED || !planned.provisioning.problem.groups.all.some(looksAtLabels) || canBeCarriedOut(planned)) return planned
  takeBack(planned.provisioning)
  return planAs(placement, true)
}

/** Removes what the plan put on existing nodes. */
export function takeBack({ plan }: Provisioning): void {
  for (const [existingNode, mark] of plan.touched) putBack(existingNode, mark)
}

/** `toBase` puts the counts of neighbours back to what they were before pods were placed. */
type Planned = { readonly provisioning: Provisioning; readonly toBase: Restore }

type Planner = (placement: PlacementMode, countsPossible?: boolean) => Planned

type Planning = {
  readonly cluster: Cluster
  readonly context: DecisionContext
  readonly batch: Batch
  readonly work: Work
  readonly foreseen: readonly ForeseenRefusal[]
}

function planner({ cluster, context, batch, work, foreseen }: Planning): Planner {
  return (placement, countsPossible) => {
    const problem = problemOf(cluster, context, batch, work, { placement, countsPossible, foreseen })
    const plan = newPlan(problem, work)
    const kept = keepNominations(plan, problem.classes, context)
    const toBase = countsOf(problem.groups.all, work)
    if (placement === 'price') placeByPrice(plan, problem.queue, problem.groups.all)
    else placeByOrder(plan, problem)
    placeAnyhow(plan, problem.queue)
    settleReservations(plan)
    let assignment: Assignment | undefined
    const assigned = (): Assignment => {
      assignment ??= assignPods(plan, problem.classes, kept)
      return assignment
    }
    return { provisioning: { problem, plan, assigned }, toBase }
  }
}

/**
 * What comes before the first pod can cost more than the whole budget. If no pod has had its turn then, some get it beyond the budget: a decision
 * never comes to nothing for its cost alone.
 */
function placeAnyhow(plan: Plan, queue: readonly QueueEntry[]): void {
  const { log, refused, postponed, budget, work } = plan
  if (postponed.size === 0 || refused.size > 0 || log.some(({ isNominated }) => isNominated !== true)) return
  placeInOrder({ ...plan, budget: { ...budget, most: spentOn(work) + budget.better } }, queue)
}

/** First fit. The restore point is made only if limits can matter. */
function placeByOrder(plan: Plan, { queue, groups }: PlacementProblem): void {
  const isLimited = plan.poolOptions.some(({ limits }) => limits.left !== undefined)
  const restore = isLimited ? restorePoint(plan, groups.all) : undefined
  placeInOrder(plan, queue)
  if (restore === undefined) return
  letImportantFirst(plan, queue, { restore, rest: [() => placeInOrder(plan, queue)], save: () => savePlan(plan, groups.all) })
}

/** Reports whether the scheduler can carry out the plan. With reservations, first fit plans more than it settles, so the answer is false. */
function canBeCarriedOut({ provisioning: { plan, problem }, toBase }: Planned): boolean {
  return plan.held === undefined && fixOpenDomains(plan, toBase) && holdsHoweverOpen(plan, problem.groups.all, toBase)
}

/** Reports whether the plan also holds if spreads count every machine whose labels may match. */
function holdsHoweverOpen(plan: Plan, groups: readonly TopologyGroup[], toBase: Restore): boolean {
  const open = groups.filter((group) => looksAtLabels(group) && !group.countsPossible)
  if (open.length === 0) return true
  for (const group of open) group.countsPossible = true
  const holds = hasBindingOrder(plan, toBase)
  for (const group of open) {
    group.countsPossible = false
    group.possible.clear()
  }
  return holds
}
