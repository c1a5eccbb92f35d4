import type { StateNode } from '../../cluster/stateNode.ts'
import type { Plan } from '../candidates/plan.ts'
import { markAll, negative, type Usage, usageOf } from '../model/catalog/limits.ts'
import { record } from '../model/neighbours/domainFilters.ts'
import { type ExistingNode, putBack } from '../model/nodes/existingNode.ts'
import type { PodClass } from '../model/pods/podClass.ts'
import { ignoreDomainsOf, type NodesIn } from './domainsWithoutNodes.ts'
import type { LeavingPods } from './placedPods.ts'
import { recount } from './plannedMove.ts'
import type { RelocationProblem } from './relocationProblem.ts'

/**
 * Closes machines on paper: their nodes take no pods, their pods count nowhere, and limits have back what the machines take. Returns the plan in which the
 * pods wait for places, and what the nodes had free. `reopen` opens the nodes alone. `undo` takes back the plan and everything else. `nodes`: given if
 * spreads ignore the domains that lose their last node.
 */
export function closeOnPaper(
  problem: RelocationProblem,
  base: Plan,
  machines: readonly StateNode[],
  moving: readonly LeavingPods[],
  nodes: NodesIn | undefined,
) {
  const { existingNodeOf } = problem
  const existingNodes = machines.flatMap((machine) => existingNodeOf(machine) ?? [])
  const { closed, reopen } = closeNodes(existingNodes)
  countPods(moving, -1)
  const heed = nodes === undefined ? () => undefined : ignoreDomainsOf(existingNodes, problem.problem.groups.all, nodes)
  const limits = markAll(base.poolOptions.map(({ limits }) => limits))
  for (const machine of machines) giveBack(base, usageOf(machine, problem.problem.typesOf))
  const plan = planFor(base, moving)
  return {
    plan,
    closed,
    reopen,
    undo(): void {
      for (const placement of plan.log) recount(placement, -1)
      for (const [existingNode, mark] of plan.touched) putBack(existingNode, mark)
      limits()
      heed()
      countPods(moving, 1)
      reopen()
    },
  }
}

/**
 * Closes the nodes: no pod fits there any more. The domains of the nodes stay, since the scheduler counts a node until it is gone. `closed`: the free
 * amounts of each node before. `reopen` opens the nodes.
 */
function closeNodes(existingNodes: readonly ExistingNode[]) {
  const closed = existingNodes.map(({ free }) => Float64Array.from(free))
  for (const { free } of existingNodes) free.fill(-1)
  return {
    closed,
    reopen(): void {
      for (const [index, { free }] of existingNodes.entries()) free.set(closed[index] ?? free)
    },
  }
}

/** Gives the limits of its pool back what a machine takes of them, for its replacement. */
function giveBack({ poolOptions }: Plan, usage: Usage | undefined): void {
  if (usage === undefined) return
  const back = negative(usage.capacity)
  for (const { narrowedTemplate, limits } of poolOptions) if (narrowedTemplate.template.pool.name === usage.pool) limits.take(back)
}

function countPods(moving: readonly LeavingPods[], sign: 1 | -1): void {
  for (const { host, podClass, share } of moving) {
    const relaxedPod = podClass.relaxedPods[0]
    if (host !== undefined && relaxedPod !== undefined && share.counted > 0) record(host, podClass, relaxedPod, sign * share.counted)
  }
}

function planFor(base: Plan, moving: readonly LeavingPods[]): Plan {
  const left = new Map<PodClass, number>()
  for (const { podClass, share } of moving) left.set(podClass, (left.get(podClass) ?? 0) + share.pods.length)
  return { ...base, touched: new Map(), postponed: new Map(), refused: new Set(), bins: [], log: [], left }
}
