import { decideProvisioning } from '../../shared/engine/scheduling/decideProvisioning.ts'
import type { ClusterSnapshot } from '../../shared/model/clusterSnapshot.ts'
import type { Decision } from '../../shared/model/decision.ts'
import type { Pod } from '../../shared/model/pod.ts'
import { withPods } from './workload.ts'

/** The engine as the bench drives it: all that another engine, or another entry of this one, has to offer to be measured. */
export interface Planner {
  /** Decides about the loaded cluster with these pods in it besides. The next call starts from the loaded cluster again. */
  decide(arrivals: readonly Pod[]): Planned
}

export type Planned = {
  readonly decision: Decision
  /** How much work it was, in the engine's own units: equal on every machine. Absent: the engine does not count. */
  readonly steps?: StepCounts
}

export type StepCounts = { readonly [step: string]: number }

/**
 * Loading is not timed for pods that arrive in a cluster, and the bench then lets go of the snapshot: memory is what the planner keeps.
 * For everything else loading is timed with the decision.
 */
export type LoadPlanner = (loaded: ClusterSnapshot) => Planner

/** Keeps nothing between decisions: what arrives is decided about from scratch. */
export const loadSnapshotPlanner: LoadPlanner = (loaded) => ({
  decide(arrivals) {
    const decision = decideProvisioning(arrivals.length === 0 ? loaded : withPods(loaded, arrivals))
    const steps = stepsOf(decision)
    return { decision, ...(steps === undefined ? {} : { steps }) }
  },
})

/** Counts a decision carries as `diagnostics.steps`, once the engine gives them. */
function stepsOf(decision: Decision): StepCounts | undefined {
  const { diagnostics } = decision as { readonly diagnostics?: { readonly steps?: StepCounts } }
  return diagnostics?.steps
}
