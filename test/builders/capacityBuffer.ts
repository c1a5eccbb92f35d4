import type { CapacityBuffer, PodTemplate } from '../../shared/model/capacityBuffer.ts'
import { objectKey, uid } from '../../shared/model/ids.ts'
import { meta } from './meta.ts'
import { type PodShape, pod } from './pod.ts'

export function capacityBuffer({ name = 'spare', ...rest }: Partial<CapacityBuffer> & { readonly name?: string } = {}): CapacityBuffer {
  const key = objectKey('default', name)
  return { key, meta: meta(name), strategy: 'buffer.x-k8s.io/active-capacity', status: { conditions: [] }, ...rest }
}

export function podTemplate(name: string, shape: PodShape = {}): PodTemplate {
  return { key: objectKey('default', name), uid: uid(`uid-template-${name}`), generation: 1, pod: pod(shape) }
}
