/** The engine's answers about random clusters, in the form that properties compare. */
import { decideProvisioning } from '../../shared/engine/scheduling/planningState.ts'
import type { ClusterSnapshot } from '../../shared/model/clusterSnapshot.ts'
import type { Decision } from '../../shared/model/decision.ts'
import type { ObjectKey } from '../../shared/model/ids.ts'
import type { ProblemCode } from '../../shared/model/problem.ts'
import { placedPods } from '../checker/placedPods.ts'

export type Outcome = {
  readonly decision: Decision
  /** Pods without a place, by key, with the code of the reason. */
  readonly refused: ReadonlyMap<string, ProblemCode>
  /** Maps the key of each placed pod to the name of its claim. */
  readonly placed: ReadonlyMap<ObjectKey, string>
  /** The price of all new machines, in millionths of a dollar per hour. */
  readonly price: number
}

export function outcomeOf(snapshot: ClusterSnapshot): Outcome {
  const decision = decideProvisioning(snapshot)
  const ofPods = decision.reasons.filter(({ subject }) => subject.kind === 'pod')
  return {
    decision,
    refused: new Map(ofPods.map(({ subject, code }) => [subject.name, code])),
    placed: new Map(placedPods(decision).map(({ pod, claim }) => [pod.key, claim])),
    price: decision.actions.reduce((sum, action) => sum + (action.kind === 'createClaim' ? (action.choice.price ?? 0) : 0), 0),
  }
}
