import { byKey } from '../../../base/order.ts'
import type { BufferShare } from '../../../model/decision.ts'
import type { Pod } from '../../../model/pod.ts'
import type { StateNode } from '../../cluster/stateNode.ts'
import type { DecisionContext } from '../snapshot/decisionContext.ts'
import type { Cluster } from './cluster/cluster.ts'
import { type BufferPods, bufferPods } from './pods/bufferPods.ts'
import { type PodReplicas, replicasOf } from './pods/podReplicas.ts'
import { movingOnceLetGo, movingPods } from './pods/podsToPlace.ts'
import type { Work } from './quantities/work.ts'

/** The pods and machines that one decision plans for. */
export type Batch = {
  /** Pods that wait for a place and pods that have to move. */
  readonly real: readonly PodReplicas[]
  /** Pods of CapacityBuffers. They are planned after the real pods, in this order. */
  readonly ofBuffers: readonly BufferPods[]
  /** The number of pods in `real` and `ofBuffers` together. */
  readonly count: number
  /** Machines that are being deleted. */
  readonly deleting: readonly StateNode[]
  /** Pods that have to leave the deleting machines. */
  readonly moving: readonly Pod[]
  /** False for pods of buffers. The plan keeps room for them, and reports nothing about them. */
  readonly isReal: (pod: Pick<Pod, 'uid'>) => boolean
  /** The buffers that these pods stand for, with the number of their pods among these. */
  readonly buffersOf: (pods: readonly Pick<Pod, 'uid'>[]) => readonly BufferShare[]
}

/** `letGo`: a pod of a deleting machine that counts as one that nothing holds. */
export function batchOf({ objects, machines, pods }: Cluster, { takenAt }: DecisionContext, work: Work, letGo?: Pod): Batch {
  const deleting = machines.deleting()
  const budgets = objects.podDisruptionBudget
  const moving = letGo === undefined ? movingPods(deleting, takenAt, budgets) : movingOnceLetGo(letGo, deleting, takenAt, budgets)
  const real = [...pods.waiting(), ...replicasOf(moving, work)]
  const ofBuffers = bufferPods(objects, takenAt)
  const uids = new Map(ofBuffers.flatMap((each) => each.pods().map(({ uid }) => [uid, each] as const)))
  const count = [...real, ...ofBuffers].reduce((sum, each) => sum + each.count, 0)
  return {
    real,
    ofBuffers,
    count,
    deleting,
    moving,
    isReal: ({ uid }) => uids.size === 0 || !uids.has(uid),
    buffersOf: (pods) => {
      if (uids.size === 0) return []
      const shares = Map.groupBy(pods, ({ uid }) => uids.get(uid))
      return [...shares]
        .flatMap(([own, kept]) => (own === undefined ? [] : [{ buffer: own.buffer, pods: kept.length, of: own.count }]))
        .sort(byKey(({ buffer }) => buffer))
    },
  }
}
