import type { ClusterSnapshot } from '../../../shared/model/clusterSnapshot.ts'
import type { Decision } from '../../../shared/model/decision.ts'
import type { Pod } from '../../../shared/model/pod.ts'
import { createdClaims, placedUids, waitingPods } from '../outcome.ts'
import { type Demand, demandOf } from './demand.ts'
import { type Supply, supplyFor } from './supply.ts'

/**
 * A relaxation of the planner's task: shapes of pods, the number of pods of each, the kinds of nodes that admit them, and their prices. What it
 * leaves out (spread, affinity, preferences, limits of pools) could only raise the true price.
 */
export type BoundProblem = {
  readonly demand: Demand
  readonly supply: Supply
  /** New nodes of an existing plan: the pods of each as counts by shape, and its price. */
  readonly known: readonly { readonly price: number; readonly counts: readonly number[] }[]
}

/** Returns the problem for the pods that the decision places. The price of a plan does not depend on other pods. */
export function boundProblem(snapshot: ClusterSnapshot, decision: Decision): BoundProblem {
  const placed = placedUids(decision)
  const pods = waitingPods(snapshot).filter((pod) => placed.has(pod.uid))
  const problem = problemOf(snapshot, pods)
  return { ...problem, known: patternsOf(decision, problem.demand) }
}

export function problemOf(snapshot: ClusterSnapshot, pods: readonly Pod[]): BoundProblem {
  const demand = demandOf(pods)
  return { demand, supply: supplyFor(snapshot, demand), known: [] }
}

/** Returns the fillings of the new nodes. Equal nodes are listed once. */
function patternsOf(decision: Decision, { shapes, shapeByUid }: Demand): BoundProblem['known'] {
  const patterns = createdClaims(decision).map(({ pods, choice }) => {
    const counts = shapes.map(() => 0)
    for (const { uid } of pods) {
      const shape = shapeByUid.get(uid)
      if (shape !== undefined) counts[shape] = (counts[shape] ?? 0) + 1
    }
    return { price: (choice.price ?? 0) / 1e6, counts }
  })
  return [...new Map(patterns.map((each) => [`${each.price} ${each.counts.join()}`, each])).values()]
}
