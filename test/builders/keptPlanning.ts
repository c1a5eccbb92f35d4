import { loadPlanning, type PlanningState } from '../../shared/engine/scheduling/planningState.ts'
import type { Objects } from '../../shared/engine/scheduling/snapshot/delta.ts'
import { partSharer } from '../../shared/engine/scheduling/snapshot/sharedParts.ts'

/** A state whose pods share what they say alike, as the app's do that come from the log. */
export function keepPlanning(objects: Objects): PlanningState {
  const share = partSharer()
  const state = loadPlanning({ ...objects, pod: objects.pod.map(share) })
  return {
    ...state,
    apply({ put = {}, ...delta }) {
      state.apply({ ...delta, put: put.pod === undefined ? put : { ...put, pod: put.pod.map(share) } })
    },
  }
}
