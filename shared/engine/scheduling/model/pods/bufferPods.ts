/** Pods that do not exist yet and for which a CapacityBuffer keeps room. */
import { byKey } from '../../../../base/order.ts'
import type { CapacityBuffer } from '../../../../model/capacityBuffer.ts'
import { namespaceOf, type ObjectKey, objectKey, type Uid, uid } from '../../../../model/ids.ts'
import type { Pod } from '../../../../model/pod.ts'
import type { EpochMs } from '../../../../model/units.ts'
import { type BufferObjects, bufferSource } from './bufferSource.ts'
import type { PodReplicas } from './podReplicas.ts'

export const LEAST_PRIORITY = -(2 ** 31)

/** The pods of one buffer. */
export type BufferPods = PodReplicas & { readonly buffer: ObjectKey }

/** The pods of all buffers, by buffer and number. A buffer whose template or workload does not exist has none. */
export function bufferPods(objects: BufferObjects, now: EpochMs): readonly BufferPods[] {
  const buffers = [...objects.capacityBuffer].sort(byKey((each) => each.key))
  return buffers.flatMap((buffer) => {
    const source = bufferSource(buffer, objects)
    if (source.kind === 'missing') return []
    const pods = Array.from({ length: source.count }, (_, index) => podOf(buffer, source.shape, index + 1, now))
    return pods[0] === undefined ? [] : [{ buffer: buffer.key, pod: pods[0], count: pods.length, pods: () => pods }]
  })
}

/** The uid of a pod of a buffer. `index` counts from 1. */
export function bufferPodUid({ meta }: CapacityBuffer, index: number): Uid {
  return uid(`${meta.uid}-${index}`)
}

/** A pending pod of the shape, without node and owner. It has no volumes: these come with the real pod. */
function podOf(buffer: CapacityBuffer, shape: Pod, index: number, now: EpochMs): Pod {
  const { nodeName: _, nominatedNodeName: __, deletedAt: ___, owner: ____, ...rest } = shape
  const { key } = buffer
  const namespace = namespaceOf(buffer)
  return {
    ...rest,
    key: objectKey(namespace, `capacity-buffer-${key.slice(namespace.length + 1)}-${index}`),
    uid: bufferPodUid(buffer, index),
    createdAt: now,
    unschedulableSince: now,
    phase: 'Pending',
    schedulingGates: [],
    volumes: [],
    priority: LEAST_PRIORITY,
  }
}
