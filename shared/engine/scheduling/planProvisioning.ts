import { type Assignment, assignPods } from './assign.ts'
import type { Batch } from './batch.ts'
import { placeInOrder } from './firstFit/firstFit.ts'
import { markOf, putBack } from './hosts/target.ts'
import type { Plan } from './plan.ts'
import type { PodClass } from './pods/podClass.ts'
import { comesAbout, MOST_FOLLOWED } from './price/comesAbout.ts'
import { costOf, isBetter } from './price/cost.ts'
import { moveOntoRoom } from './price/ontoRoom.ts'
import { placeByPrice } from './price/pricePlan.ts'
import { countsOf, type Restore } from './price/restorePoint.ts'
import { settleLate } from './price/settleLate.ts'
import { newPlan, type PlacementMode, type Problem, problemOf } from './problem.ts'
import { keepPromises } from './promises.ts'
import { settleReservations } from './reserved/holdReservations.ts'
import type { Cluster } from './state/cluster.ts'
import type { Occasion } from './state/occasion.ts'
import { type Group, looksAtLabels } from './topology/group.ts'
import { isSpent, type Work } from './work.ts'

export type Provisioning = {
  readonly problem: Problem
  readonly plan: Plan
  /** Which pod goes where: worked out when somebody asks, since a plan counts pods and does not name them. */
  readonly assigned: () => Assignment
}

/** Pods up to which they are also placed as Karpenter would: few of them cost it little, and luck weighs most. */
const MOST_COMPARED = 250

/** Where every pod goes. The cluster's machines are buffers of the plan until it is taken back. */
export function planProvisioning(cluster: Cluster, occasion: Occasion, batch: Batch, work: Work): Provisioning {
  const { placement = 'price' } = occasion.settings
  const planAs = planner(cluster, occasion, batch, work)
  let best = ownPlan(planAs, placement, batch)
  const isCompared = placement !== 'firstFit' && batch.count <= MOST_COMPARED
  for (const rival of isCompared ? rivalsOf(best.provisioning.problem) : []) {
    const { plan } = best.provisioning
    const cost = costOf(plan)
    if (cost.claims + cost.unplaced === 0 || isSpent(plan)) break
    const placed = [...plan.touched.keys()].map((target) => [target, markOf(target)] as const)
    takeBack(best.provisioning)
    const planned = planAs(rival)
    if (canBeCarriedOut(planned) && isBetter(costOf(planned.provisioning.plan), cost)) best = planned
    else {
      takeBack(planned.provisioning)
      for (const [target, mark] of placed) putBack(target, mark)
    }
  }
  const { provisioning, toBase } = best
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
  for (const [target, mark] of plan.touched) putBack(target, mark)
}

/** `toBase` puts the counts of neighbours back to what they were before pods were placed. */
type Planned = { readonly provisioning: Provisioning; readonly toBase: Restore }

type Planner = (placement: PlacementMode, isWary?: boolean) => Planned

function planner(cluster: Cluster, occasion: Occasion, batch: Batch, work: Work): Planner {
  return (placement, isWary) => {
    const problem = problemOf(cluster, occasion, batch, work, { placement, isWary })
    const plan = newPlan(problem, work)
    const kept = keepPromises(plan, problem.classes, occasion)
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
  return plan.held === undefined && settleLate(plan, toBase) && holdsHoweverOpen(plan, problem.groups.all, toBase)
}

/** Whether it holds as well where machines of which that is open turn out to be looked at. */
function holdsHoweverOpen(plan: Plan, groups: readonly Group[], toBase: Restore): boolean {
  const open = groups.filter((group) => looksAtLabels(group) && !group.isWary)
  if (open.length === 0) return true
  for (const group of open) group.isWary = true
  const holds = comesAbout(plan, toBase)
  for (const group of open) {
    group.isWary = false
    group.perhaps.clear()
  }
  return holds
}

/** Where there are no rules about neighbours, and nothing is tried one after another, the first fit that was tried is Karpenter's. */
function rivalsOf({ groups, classes }: Problem): readonly PlacementMode[] {
  if (classes.some(hasAlternatives)) return ['firstFit', 'literal']
  return groups.all.length > 0 ? ['literal'] : []
}

function hasAlternatives({ pod }: PodClass): boolean {
  return (pod.requiredNodeTerms?.length ?? 0) > 1
}
