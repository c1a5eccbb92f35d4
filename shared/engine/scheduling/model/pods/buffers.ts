/** Pods that do not exist yet and for which a CapacityBuffer keeps room. */

import { byKey, largestOf, leastOf } from '../../../../base/lists.ts'
import { ownValue } from '../../../../base/values.ts'
import type { CapacityBuffer } from '../../../../model/capacityBuffer.ts'
import type { ClusterSnapshot } from '../../../../model/clusterSnapshot.ts'
import { namespaceOf, type ObjectKey, objectKey, type Uid, uid } from '../../../../model/ids.ts'
import type { Pod } from '../../../../model/pod.ts'
import { negativeAmounts, type Resources } from '../../../../model/resources.ts'
import type { EpochMs } from '../../../../model/units.ts'
import type { Workload } from '../../../../model/workloads.ts'
import type { PodReplicas } from './podReplicas.ts'
import { type WorkloadSources, workloadsOf } from './waitingPods.ts'

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

/** The most pods of one buffer, to bound the time of a decision. */
const MOST_BUFFER_PODS = 10_000
/** The kinds whose replicas are pods. */
/** The group of a reference that names none. The definition says core, and Karpenter takes this one. */
const DEFAULT_GROUP = 'apps'
const SCALABLE: ReadonlySet<string> = new Set(['Deployment', 'StatefulSet', 'ReplicaSet'])

export type BufferObjects = Pick<ClusterSnapshot['objects'], 'capacityBuffer' | 'podTemplate'> & WorkloadSources

/** `generation`: the generation of the PodTemplate. Undefined if the buffer refers to a workload. */
export type BufferSource =
  | { readonly kind: 'resolved'; readonly shape: Pod; readonly count: number; readonly generation?: number }
  | { readonly kind: 'missing'; readonly reason: string; readonly message: string }

/** Finds the shape and the number of the pods for which a CapacityBuffer keeps room. */
export function bufferSource(buffer: CapacityBuffer, objects: BufferObjects): BufferSource {
  const { key, podTemplate, scalable, limits = {} } = buffer
  const [negative] = negativeAmounts(limits, 'spec.limits')
  if (negative !== undefined) return missing('ResolutionFailed', negative)
  const namespace = namespaceOf({ key })
  if (podTemplate !== undefined) {
    const found = objects.podTemplate.find((each) => each.key === objectKey(namespace, podTemplate))
    if (found === undefined) return missing('PodTemplateNotFound', `there is no PodTemplate ${podTemplate} in namespace ${namespace}`)
    return { kind: 'resolved', shape: found.pod, count: countOf(buffer, undefined, found.pod.requests), generation: found.generation }
  }
  if (scalable === undefined) return missing('ResolutionFailed', 'spec has neither podTemplateRef nor scalableRef')
  const { kind, name } = scalable
  const apiGroup = scalable.apiGroup || DEFAULT_GROUP
  if (apiGroup !== DEFAULT_GROUP || !SCALABLE.has(kind))
    return missing(
      'ResolutionFailed',
      `spec.scalableRef: ${kind} of ${apiGroup} has no pods; name one of ${DEFAULT_GROUP}: ${[...SCALABLE].join(', ')}`,
    )
  const ownsPod = (each: Workload): boolean =>
    each.key === objectKey(namespace, name) && each.kind === kind && each.apiVersion.startsWith('apps/')
  const workload = workloadsOf(objects).find(ownsPod)
  if (workload?.pod === undefined) return missing('ScalableRefNotFound', `there is no ${kind} ${name} in namespace ${namespace}`)
  return { kind: 'resolved', shape: workload.pod, count: countOf(buffer, workload.replicas, workload.pod.requests) }
}

function missing(reason: string, message: string): BufferSource {
  return { kind: 'missing', reason, message }
}

/** The larger of the number and the percentage, at most what the limits hold. If neither is stated, as many as the limits hold. */
function countOf({ replicas, percentage, limits = {} }: CapacityBuffer, ofWorkload: number | undefined, requests: Resources): number {
  const share = percentage === undefined || ofWorkload === undefined ? undefined : Math.ceil((percentage * ofWorkload) / 100)
  const stated = [replicas, share].filter((each) => each !== undefined)
  const bounded = Object.entries(limits).filter(([name]) => (ownValue(requests, name) ?? 0) > 0)
  const most = leastOf(
    bounded.map(([name, limit]) => Math.floor(limit / (ownValue(requests, name) ?? 1))),
    MOST_BUFFER_PODS,
  )
  if (stated.length > 0) return Math.max(0, Math.min(largestOf(stated), most))
  return bounded.length > 0 ? Math.max(0, most) : 0
}
