import { byKey, inOrder, replaceAll } from '../../../base/lists.ts'
import type { DecisionContext, Nomination } from '../../../model/clusterSnapshot.ts'
import type { NodeClaimName, Uid } from '../../../model/ids.ts'
import { placeInOrder, takeExistingNode } from '../candidates/firstFit/firstFit.ts'
import { tryExistingNode } from '../candidates/firstFit/place.ts'
import type { Plan } from '../candidates/plan.ts'
import { settleReservations } from '../candidates/reservations.ts'
import { countsOf, type Restore, restorePoint } from '../candidates/restorePoint.ts'
import type { ForeseenRefusal } from '../model/catalog/catalog.ts'
import type { Cluster } from '../model/cluster/cluster.ts'
import { domainFilters, record } from '../model/neighbours/domainFilters.ts'
import type { Bin } from '../model/nodes/bin.ts'
import { type ExistingNode, putBack } from '../model/nodes/existingNode.ts'
import { type Batch, type PlacementMode, type PlacementProblem, problemOf } from '../model/placementProblem.ts'
import type { PodClass, QueueEntry, RelaxedPod } from '../model/pods/constraint.ts'
import { MOST_FOLLOWED, MOST_ROOM_QUESTIONS } from '../model/quantities/tuning.ts'
import { isSpent, spentOn, type Work } from '../model/quantities/work.ts'
import { looksAtLabels, type TopologyGroup } from '../model/topology/topologyGroup.ts'
import { hasBindingOrder } from './bindingOrder.ts'
import { fixOpenDomains } from './colocation.ts'
import { letImportantFirst } from './giveWay.ts'
import { type Assignment, assignPods, newPlan } from './newPlan.ts'
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

/**
 * Removes new machines that are not needed after all: all their pods have room on existing nodes, and the scheduler can carry out the result. Rules
 * may have kept these pods off existing nodes at first, and may allow these nodes once other pods have their place. `toBase` puts the counts back to
 * what they were before the plan.
 */
function moveOntoRoom(plan: Plan, groups: readonly TopologyGroup[], toBase: Restore): void {
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

/** Puts every pod where an earlier decision nominated it, as long as the node still takes it. Returns the node of each such pod. */
function keepNominations(plan: Plan, classes: readonly PodClass[], context: DecisionContext): ReadonlyMap<Uid, ExistingNode> {
  const kept = new Map<Uid, ExistingNode>()
  const nominated = nominationsOf(plan.existingNodes, context)
  if (nominated.size === 0) return kept
  for (const podClass of classes) {
    for (const pod of podClass.pods()) {
      const existingNode = nominated.get(pod.uid)
      if (existingNode !== undefined && keep(plan, podClass, existingNode)) kept.set(pod.uid, existingNode)
    }
  }
  return kept
}

function keep(plan: Plan, podClass: PodClass, existingNode: ExistingNode): boolean {
  const relaxedPod = podClass.relaxedPods.find(
    (each) => tryExistingNode(existingNode, podClass, each, domainFilters(podClass, each), plan.commitment) === 'fits',
  )
  if (relaxedPod === undefined) return false
  takeExistingNode(plan, existingNode, podClass, relaxedPod, 1, { isNominated: true })
  plan.left.set(podClass, (plan.left.get(podClass) ?? 0) - 1)
  return true
}

/**
 * The node that each pod is nominated for, by pod uid. The order of nominations does not matter: the longest one wins, then the last claim by name.
 */
function nominationsOf(existingNodes: readonly ExistingNode[], { nominations, takenAt }: DecisionContext): ReadonlyMap<Uid, ExistingNode> {
  const live = nominations.filter((each) => each.until > takenAt).sort(byNomination)
  if (live.length === 0) return new Map()
  const byClaim = new Map<NodeClaimName | undefined, ExistingNode>(existingNodes.map((existingNode) => [existingNode.claim, existingNode]))
  return new Map(
    live.flatMap(({ pod, claim }) => {
      const existingNode = byClaim.get(claim)
      return existingNode === undefined ? [] : [[pod, existingNode] as const]
    }),
  )
}

const byNomination = inOrder<Nomination>(
  (first, second) => first.until - second.until,
  byKey((each) => each.claim),
)
