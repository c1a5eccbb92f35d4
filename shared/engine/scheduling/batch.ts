import type { ClusterSnapshot } from '../../model/clusterSnapshot.ts'
import type { Pod } from '../../model/pod.ts'
import { type StateNode, stateNodes } from '../cluster/stateNode.ts'
import { bufferPods, withBufferPods } from './pods/bufferPods.ts'
import { podsToPlace } from './pods/podsToPlace.ts'

/** What one decision plans for. */
export type Batch = {
  readonly machines: readonly StateNode[]
  /** In the order they are looked at. */
  readonly pods: readonly Pod[]
  /** False for pods that are not there yet: room is kept for them, and nobody is told anything. */
  readonly isReal: (pod: Pick<Pod, 'uid'>) => boolean
}

export function batchOf(snapshot: ClusterSnapshot): Batch {
  const { objects, settings, takenAt } = snapshot
  const machines = stateNodes(objects)
  const real = podsToPlace(objects.pod, machines, takenAt, objects.podDisruptionBudget)
  const ofBuffers = bufferPods(snapshot)
  const uids = new Set(ofBuffers.map((each) => each.uid))
  return { machines, pods: withBufferPods(real, ofBuffers, settings), isReal: ({ uid }) => !uids.has(uid) }
}
