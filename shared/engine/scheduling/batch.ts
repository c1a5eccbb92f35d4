import type { Pod } from '../../model/pod.ts'
import type { StateNode } from '../cluster/stateNode.ts'
import { bufferPods, withBufferPods } from './pods/bufferPods.ts'
import { podsToPlace } from './pods/podsToPlace.ts'
import type { Cluster } from './state/cluster.ts'
import type { Occasion } from './state/occasion.ts'

/** What one decision plans for. */
export type Batch = {
  /** In the order they are looked at. */
  readonly pods: readonly Pod[]
  /** Machines that are on their way out. */
  readonly going: readonly StateNode[]
  /** False for pods that are not there yet: room is kept for them, and nobody is told anything. */
  readonly isReal: (pod: Pick<Pod, 'uid'>) => boolean
}

export function batchOf({ objects, machines, pods }: Cluster, { settings, takenAt }: Occasion): Batch {
  const going = machines.going()
  const real = podsToPlace(pods.waiting(), going, takenAt, objects.podDisruptionBudget)
  const ofBuffers = bufferPods(objects, takenAt)
  const uids = new Set(ofBuffers.map((each) => each.uid))
  return { pods: withBufferPods(real, ofBuffers, settings), going, isReal: ({ uid }) => uids.size === 0 || !uids.has(uid) }
}
