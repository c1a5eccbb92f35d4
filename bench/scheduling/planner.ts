import { costOf, createWork } from '../../shared/engine/scheduling/model/quantities/work.ts'
import { loadPlanning } from '../../shared/engine/scheduling/planningState.ts'
import type { ClusterSnapshot } from '../../shared/model/clusterSnapshot.ts'
import type { Decision } from '../../shared/model/decision.ts'
import type { Pod } from '../../shared/model/pod.ts'
import { keepPlanning } from '../../test/builders/keptPlanning.ts'

/** The engine as the bench drives it: all that another engine, or another entry of this one, has to offer to be measured. */
export interface Planner {
  /** Decides about the loaded cluster with these pods in it besides. The next call starts from the loaded cluster again. */
  decide(arrivals: readonly Pod[]): Planned
  /** Makes the plan for the loaded cluster and stops there: how many pods of each kind go where. Nobody is named, nothing is written down. */
  plan(): void
}

export type Planned = {
  readonly decision: Decision
  /** How much work it was, in the engine's own units: equal on every machine. Absent: the engine does not count. */
  readonly steps?: StepCounts
}

export type StepCounts = { readonly [step: string]: number }

/** All of it, in looks at a shape: what a kind of step costs is the engine's own estimate. */
export function costIn(steps: StepCounts): number {
  return costOf({ ...createWork(), ...steps })
}

/**
 * Loading is not timed for pods that arrive in a cluster, and the bench then lets go of the snapshot: memory is what the planner keeps.
 * For everything else it decides once, and loading is timed with the decision.
 */
export type LoadPlanner = (loaded: ClusterSnapshot, stays: 'kept' | 'once') => Planner

/** Keeps the loaded cluster: what arrives is told as a change, and taken away again once it is decided about. */
export const loadStatePlanner: LoadPlanner = ({ objects, ...context }, stays) => {
  const state = stays === 'kept' ? keepPlanning(objects) : loadPlanning(objects)
  return {
    decide(arrivals) {
      if (arrivals.length > 0) state.apply({ put: { pod: arrivals } })
      const decision = state.decide(context)
      const steps = state.work()
      if (arrivals.length > 0) state.apply({ removed: { pod: arrivals.map(({ key }) => key) } })
      return { decision, steps }
    },
    plan: () => void state.plan(context),
  }
}
