/** Buffers, and what the pods are like that they keep room for. */
import { defined } from '../../base/defined.ts'
import type { CapacityBuffer, CapacityBufferStatus, PodTemplate } from '../../model/capacityBuffer.ts'
import type { Pod } from '../../model/pod.ts'
import type { Workload } from '../../model/workloads.ts'
import type { Trail } from '../codec.ts'
import { condition, isOwnAnnotation, labelSelector, metaOf } from './meta.ts'
import { podOf } from './pod.ts'
import { integer, items, type KubeObject, type KubeRead, maybe, need, object, resources, text } from './read.ts'
import { namespaced } from './workloads.ts'

const meta = metaOf(isOwnAnnotation)

const DEFAULT_STRATEGY = 'buffer.x-k8s.io/active-capacity'

export const capacityBuffer: KubeRead<CapacityBuffer> = (json, trail) => {
  const root = object(json, trail)
  const metadata = need(root, 'metadata', object, trail)
  const spec = need(root, 'spec', object, trail)
  return defined({
    key: namespaced(metadata, trail).key,
    meta: meta(metadata, trail),
    strategy: maybe(spec, 'provisioningStrategy', text, trail) ?? DEFAULT_STRATEGY,
    podTemplate: maybe(spec, 'podTemplateRef', nameOf, trail),
    scalable: maybe(spec, 'scalableRef', scalable, trail),
    replicas: maybe(spec, 'replicas', integer, trail),
    percentage: maybe(spec, 'percentage', integer, trail),
    limits: maybe(spec, 'limits', resources, trail),
    status: maybe(root, 'status', status, trail) ?? { conditions: [] },
  })
}

const nameOf: KubeRead<string> = (json, trail) => need(object(json, trail), 'name', text, trail)

const scalable: KubeRead<NonNullable<CapacityBuffer['scalable']>> = (json, trail) => {
  const source = object(json, trail)
  return {
    apiGroup: maybe(source, 'apiGroup', text, trail) ?? '',
    kind: need(source, 'kind', text, trail),
    name: need(source, 'name', text, trail),
  }
}

const status: KubeRead<CapacityBufferStatus> = (json, trail) => {
  const source = object(json, trail)
  return defined({
    podTemplate: maybe(source, 'podTemplateRef', nameOf, trail),
    podTemplateGeneration: maybe(source, 'podTemplateGeneration', integer, trail),
    replicas: maybe(source, 'replicas', integer, trail),
    strategy: maybe(source, 'provisioningStrategy', text, trail),
    conditions: items(source, 'conditions', condition, trail),
  })
}

export const podTemplate: KubeRead<PodTemplate> = (json, trail) => {
  const root = object(json, trail)
  const metadata = need(root, 'metadata', object, trail)
  const identity = namespaced(metadata, trail)
  const pod = podOfTemplate(need(root, 'template', object, trail), trail)
  return { ...identity, generation: maybe(metadata, 'generation', integer, trail) ?? 0, pod: { ...pod, ...identity } }
}

export const deployment: KubeRead<Workload> = workload('Deployment')
export const statefulSet: KubeRead<Workload> = workload('StatefulSet')
export const replicaSet: KubeRead<Workload> = workload('ReplicaSet')

function workload(kind: string): KubeRead<Workload> {
  return (json, trail) => {
    const root = object(json, trail)
    const identity = namespaced(need(root, 'metadata', object, trail), trail)
    const spec = need(root, 'spec', object, trail)
    const template = maybe(spec, 'template', object, trail)
    return defined({
      ...identity,
      apiVersion: 'apps/v1',
      kind,
      replicas: maybe(spec, 'replicas', integer, trail) ?? 1,
      selector: maybe(spec, 'selector', labelSelector, trail),
      pod: template === undefined ? undefined : { ...podOfTemplate(template, trail), ...identity },
    })
  }
}

/** A limit without a request stands for one, as the API server would have it in a pod. */
function podOfTemplate(template: KubeObject, trail: Trail): Omit<Pod, 'key' | 'uid'> {
  const metadata = maybe(template, 'metadata', object, trail) ?? {}
  return podOf({ metadata, spec: maybe(template, 'spec', object, trail) ?? {}, status: {}, isTemplate: true, trail })
}
