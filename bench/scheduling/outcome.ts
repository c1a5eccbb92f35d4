import type { ClusterSnapshot } from '../../shared/model/clusterSnapshot.ts'
import type { CreateClaim, Decision } from '../../shared/model/decision.ts'
import type { Pod } from '../../shared/model/pod.ts'
import { placedPods } from '../../test/checker/placedPods.ts'

/** The result of a plan. It does not depend on the machine or on time. */
export type Outcome = {
  /** Pods that had to be placed. */
  readonly pods: number
  readonly unplaced: number
  /** Pods on existing nodes and claims. */
  readonly onExisting: number
  /** New nodes. */
  readonly nodes: number
  /** Price of the new nodes, in US dollars an hour. */
  readonly price: number
}

export function outcomeOf(snapshot: ClusterSnapshot, decision: Decision): Outcome {
  const claims = createdClaims(decision)
  const waiting = waitingPods(snapshot)
  const onNew = new Set(claims.flatMap(({ pods }) => pods.map((pod) => pod.uid)))
  const placed = placedUids(decision)
  return {
    pods: waiting.length,
    unplaced: waiting.filter((pod) => !placed.has(pod.uid)).length,
    onExisting: waiting.filter((pod) => placed.has(pod.uid) && !onNew.has(pod.uid)).length,
    nodes: claims.length,
    price: claims.reduce((sum, { choice }) => sum + (choice.price ?? 0), 0) / 1e6,
  }
}

/** Returns the pods that the scheduler could not place. */
export function waitingPods({ objects }: ClusterSnapshot): readonly Pod[] {
  return objects.pod.filter((pod) => pod.unschedulableSince !== undefined && pod.nodeName === undefined)
}

export function createdClaims(decision: Decision): readonly CreateClaim[] {
  return decision.actions.filter((action) => action.kind === 'createClaim')
}

export function placedUids(decision: Decision): ReadonlySet<string> {
  return new Set(placedPods(decision).map(({ pod }) => pod.uid))
}
