import { type Assignment, assignPods } from './assign.ts'
import type { Batch } from './batch.ts'
import { placeInOrder } from './firstFit/firstFit.ts'
import { markOf, putBack } from './hosts/target.ts'
import type { Plan } from './plan.ts'
import type { PodClass } from './pods/podClass.ts'
import { costOf, isBetter } from './price/cost.ts'
import { placeByPrice } from './price/pricePlan.ts'
import { countsOf, type Restore } from './price/restorePoint.ts'
import { settleLate } from './price/settleLate.ts'
import { newPlan, type PlacementMode, type Problem, problemOf } from './problem.ts'
import { keepPromises } from './promises.ts'
import { settleReservations } from './reserved/holdReservations.ts'
import type { Cluster } from './state/cluster.ts'
import type { Occasion } from './state/occasion.ts'
import { createWork, type Work } from './work.ts'

export type Provisioning = {
  readonly problem: Problem
  readonly plan: Plan
  /** Which pod goes where: worked out when somebody asks, since a plan counts pods and does not name them. */
  readonly assigned: () => Assignment
}

/** Pods up to which alternatives are also tried one after another, as Karpenter does: few of them cost it little, and luck weighs most. */
const MOST_COMPARED = 250

/** Where every pod goes. The cluster's machines are buffers of the plan until it is taken back. */
export function planProvisioning(cluster: Cluster, occasion: Occasion, batch: Batch): Provisioning {
  const { placement = 'price' } = occasion.settings
  const work = createWork()
  const planAs = planner(cluster, occasion, batch, work)
  const own = planAs(placement).provisioning
  const isCompared = placement !== 'firstFit' && batch.count <= MOST_COMPARED && own.problem.classes.some(hasAlternatives)
  if (!isCompared) return own
  const cost = costOf(own.plan)
  if (cost.claims + cost.unplaced === 0) return own
  const placed = [...own.plan.touched.keys()].map((target) => [target, markOf(target)] as const)
  takeBack(own)
  const { provisioning, toBase } = planAs('firstFit')
  if (canBeCarriedOut(provisioning, toBase) && isBetter(costOf(provisioning.plan), cost)) return provisioning
  takeBack(provisioning)
  for (const [target, mark] of placed) putBack(target, mark)
  return own
}

/** Takes what the plan put on machines off them again. */
export function takeBack({ plan }: Provisioning): void {
  for (const [target, mark] of plan.touched) putBack(target, mark)
}

/** `toBase` puts the counts of neighbours back to what they were before pods were placed. */
type Planned = { readonly provisioning: Provisioning; readonly toBase: Restore }

function planner(cluster: Cluster, occasion: Occasion, batch: Batch, work: Work): (placement: PlacementMode) => Planned {
  return (placement) => {
    const problem = problemOf(cluster, occasion, batch, placement)
    work.classes = problem.classes.length
    const plan = newPlan(problem, work)
    const kept = keepPromises(plan, problem.classes, occasion)
    const toBase = countsOf(problem.groups.all)
    if (placement === 'firstFit') placeInOrder(plan, problem.queue)
    else placeByPrice(plan, problem.queue, problem.groups.all)
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
function canBeCarriedOut({ plan, problem }: Provisioning, toBase: Restore): boolean {
  return plan.held === undefined && !problem.classes.some(seesPartOfItsDomains) && settleLate(plan, toBase)
}

/** Of several alternatives first fit looks at one, and counts by the domains of that one; the scheduler counts by those of all. */
function seesPartOfItsDomains(podClass: PodClass): boolean {
  return hasAlternatives(podClass) && podClass.variants.some(({ spread, affinity }) => spread.length + affinity.length > 0)
}

function hasAlternatives({ pod }: PodClass): boolean {
  return (pod.requiredNodeTerms?.length ?? 0) > 1
}
