import { costOf, createWork } from '../../shared/engine/scheduling/model/quantities/work.ts'
import { loadPlanning } from '../../shared/engine/scheduling/planningState.ts'
import type { ClusterSnapshot } from '../../shared/model/clusterSnapshot.ts'
import type { Decision } from '../../shared/model/decision.ts'
import type { Pod } from '../../shared/model/pod.ts'
import { keepPlanning } from '../../test/builders/keptPlanning.ts'

/** The interface of an engine for the bench. Another engine, or another entry of this one, must offer it to be measured. */
export interface Planner {
  /** Decides about the loaded cluster with these pods added. The next call starts from the loaded cluster again. */
  decide(arrivals: readonly Pod[]): Planned
  /** Makes the plan for the loaded cluster and stops there: how many pods of each kind go where. Pods are not named, and no claims are drafted. */
  plan(): void
}

export type Planned = {
  readonly decision: Decision
  /** The work in the engine's own units, equal on every machine. Undefined if the engine does not count. */
  readonly steps?: StepCounts
}

export type StepCounts = { readonly [step: string]: number }

/** Returns the whole work in one unit: looks at a shape. The cost of each kind of step is the engine's own estimate. */
export function costIn(steps: StepCounts): number {
  return costOf({ ...createWork(), ...steps })
}

/**
 * Loads the planner. For pods that arrive in a cluster, `kept`: loading is not timed, and the bench drops the snapshot, so that memory is what the
 * planner keeps. For everything else, `once`: the planner decides once, and loading is timed with the decision.
 */
export type LoadPlanner = (loaded: ClusterSnapshot, stays: 'kept' | 'once') => Planner

/** Keeps the loaded cluster. Arriving pods are applied as a change, and removed again after the decision. */
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
