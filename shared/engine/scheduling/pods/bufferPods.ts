/** Pods that are not there yet and that a CapacityBuffer keeps room for. */
import { byKey } from '../../../base/order.ts'
import type { CapacityBuffer } from '../../../model/capacityBuffer.ts'
import type { ClusterSnapshot } from '../../../model/clusterSnapshot.ts'
import { namespaceOf, objectKey, uid } from '../../../model/ids.ts'
import type { Pod } from '../../../model/pod.ts'
import type { Resources } from '../../../model/resources.ts'
import type { EpochMs } from '../../../model/units.ts'
import type { Workload } from '../../../model/workloads.ts'
import { bySize } from './podsToPlace.ts'

const LEAST_PRIORITY = -(2 ** 31)
/** Pods of one buffer: bounds the time of a decision. */
const MOST = 10_000
/** Kinds whose replicas are pods. */
const SCALABLE: ReadonlySet<string> = new Set(['Deployment', 'StatefulSet', 'ReplicaSet'])

/** By buffer and number. A buffer whose template or workload is not there has none. */
export function bufferPods(objects: Sources, now: EpochMs): readonly Pod[] {
  const buffers = [...(objects.capacityBuffer ?? [])].sort(byKey((each) => each.key))
  return buffers.flatMap((buffer) => {
    const { shape, replicas } = sourceOf(buffer, objects)
    if (shape === undefined) return []
    const count = Math.min(countOf(buffer, replicas, shape.requests), MOST)
    return Array.from({ length: count }, (_, index) => podOf(buffer, shape, index + 1, now))
  })
}

/**
 * Pods to place together with those of buffers, which come after real pods: after all of them, or, in Karpenter's order of size, after
 * those of their own size.
 */
export function withBufferPods(
  real: readonly Pod[],
  ofBuffers: readonly Pod[],
  { placement }: ClusterSnapshot['settings'],
): readonly Pod[] {
  if (ofBuffers.length === 0) return real
  return placement === 'firstFit' ? [...real, ...ofBuffers].sort(bySize) : [...real, ...[...ofBuffers].sort(bySize)]
}

type Sources = Pick<ClusterSnapshot['objects'], 'capacityBuffer' | 'podTemplate' | 'workload'>

type Source = { readonly shape?: Pod | undefined; readonly replicas?: number }

function sourceOf({ key, podTemplate, scalable }: CapacityBuffer, objects: Sources): Source {
  const namespace = namespaceOf({ key })
  if (podTemplate !== undefined) {
    const wanted = objectKey(namespace, podTemplate)
    return { shape: objects.podTemplate?.find((each) => each.key === wanted)?.pod }
  }
  if (scalable === undefined || scalable.apiGroup !== 'apps' || !SCALABLE.has(scalable.kind)) return {}
  const wanted = objectKey(namespace, scalable.name)
  const isMeant = (each: Workload): boolean => each.key === wanted && each.kind === scalable.kind && each.apiVersion.startsWith('apps/')
  const workload = objects.workload?.find(isMeant)
  return workload === undefined ? {} : { shape: workload.pod, replicas: workload.replicas }
}

/** The larger of number and share, at most what the limits hold; the limits alone say how many when nothing else does. */
function countOf({ replicas, percentage, limits = {} }: CapacityBuffer, ofWorkload: number | undefined, requests: Resources): number {
  const share = percentage === undefined || ofWorkload === undefined ? undefined : Math.ceil((percentage * ofWorkload) / 100)
  const stated = [replicas, share].filter((each) => each !== undefined)
  const bounded = Object.entries(limits).filter(([name]) => (requests[name] ?? 0) > 0)
  const most = Math.min(...bounded.map(([name, limit]) => Math.floor(limit / (requests[name] ?? 1))))
  if (stated.length > 0) return Math.max(0, Math.min(Math.max(...stated), most))
  return Number.isFinite(most) ? Math.max(0, most) : 0
}

/** A pending pod of the shape that nothing binds: volumes come with the real one. */
function podOf({ key, uid: ofBuffer }: CapacityBuffer, shape: Pod, index: number, now: EpochMs): Pod {
  const { nodeName: _, nominatedNodeName: __, deletedAt: ___, owner: ____, ...rest } = shape
  const namespace = namespaceOf({ key })
  return {
    ...rest,
    key: objectKey(namespace, `capacity-buffer-${key.slice(namespace.length + 1)}-${index}`),
    uid: uid(`${ofBuffer}-${index}`),
    createdAt: now,
    unschedulableSince: now,
    phase: 'Pending',
    schedulingGates: [],
    volumes: [],
    priority: LEAST_PRIORITY,
  }
}
