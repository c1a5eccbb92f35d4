import { nodeClassName } from '../../shared/model/ids.ts'
import { CLASS_FINALIZER, type Meta } from '../../shared/model/labels.ts'
import type { NodeClass, NodeClassSpec } from '../../shared/model/nodeClass.ts'
import { condition } from './condition.ts'
import { meta } from './meta.ts'

export type NodeClassShape = Partial<Omit<NodeClass, 'name' | 'meta' | 'spec'>> & {
  readonly name?: string
  readonly meta?: Partial<Meta>
  readonly spec?: Partial<NodeClassSpec>
}

/** A ready AKSNodeClass with default settings. */
export function nodeClass(shape: NodeClassShape = {}): NodeClass {
  const { name = 'default', meta: head, spec, ...overrides } = shape
  const types = ['KubernetesVersionReady', 'ImagesReady', 'SubnetsReady', 'LocalDNSReady', 'ValidationSucceeded', 'Ready']
  return {
    name: nodeClassName(name),
    meta: meta(name, { finalizers: [CLASS_FINALIZER], ...head }),
    spec: { osDiskSizeGb: 128, imageFamily: 'Ubuntu', tags: {}, kubelet: {}, gpuMode: 'Driver', ...spec },
    status: { conditions: types.map((type) => condition(type)), kubernetesVersion: '1.34.1', images: [], localDnsState: 'Disabled' },
    ...overrides,
  }
}
