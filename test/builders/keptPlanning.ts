import { loadPlanning, type PlanningState } from '../../shared/engine/scheduling/planningState.ts'
import { partSharer } from '../../shared/engine/scheduling/snapshot/sharedParts.ts'
import { type Objects } from '../../shared/model/clusterSnapshot.ts'

/** A planning state whose pods share equal parts of their specs, as the pods that the app reads from the log do. */
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
