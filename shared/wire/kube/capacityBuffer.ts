/** Readers of CapacityBuffers and of the PodTemplates that they refer to. */
import { defined } from '../../base/values.ts'
import type { CapacityBuffer, CapacityBufferStatus, PodTemplate } from '../../model/capacityBuffer.ts'
import { condition, isOwnAnnotation, metaOf } from './meta.ts'
import { integer, items, type KubeRead, maybe, need, object, resources, text } from './read.ts'
import { podOfTemplate } from './replicated.ts'
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
