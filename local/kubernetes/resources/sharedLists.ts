import { ownValue } from '../../../shared/base/values.ts'
import type { StructuralSchema } from '../schema/structuralSchema.ts'

/** Keys of the items of a list, by the type of the items, for lists that managers share item by item. */
const ITEM_KEYS: { readonly [type: string]: readonly string[] } = {
  V1Container: ['name'],
  V1EphemeralContainer: ['name'],
  V1EnvVar: ['name'],
  V1ContainerPort: ['containerPort', 'protocol'],
  V1VolumeMount: ['mountPath'],
  V1VolumeDevice: ['devicePath'],
  V1Volume: ['name'],
  V1LocalObjectReference: ['name'],
  V1HostAlias: ['ip'],
  V1TopologySpreadConstraint: ['topologyKey', 'whenUnsatisfiable'],
  V1PodResourceClaim: ['name'],
  V1PodSchedulingGate: ['name'],
  V1NodeAddress: ['type'],
  V1ServicePort: ['port', 'protocol'],
  V1OwnerReference: ['uid'],
  V1CSINodeDriver: ['name'],
}

const SETS = new Set(['finalizers', 'podCIDRs'])
const WHOLE_MAPS = new Set(['nodeSelector'])
const WHOLE_TYPES = new Set([
  'V1LabelSelector',
  'V1NodeSelector',
  'V1NodeSelectorTerm',
  'V1ObjectReference',
  'V1LocalObjectReference',
  'V1TypedLocalObjectReference',
  'V1SecretReference',
  'V1SecretKeySelector',
  'V1ConfigMapKeySelector',
  'V1ObjectFieldSelector',
  'V1ResourceFieldSelector',
])

/** Adds to a field's schema how managers share it. By default objects are shared member by member, and lists are atomic. */
export function withSharing(field: string, type: string, schema: StructuralSchema): StructuralSchema {
  const item = /^Array<(.*)>$/.exec(type)?.[1]
  if (item !== undefined) {
    const keys = ownValue(ITEM_KEYS, item) ?? (item.endsWith('Condition') ? ['type'] : undefined)
    if (keys) return { ...schema, 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': keys }
    return SETS.has(field) ? { ...schema, 'x-kubernetes-list-type': 'set' } : schema
  }
  const whole = WHOLE_TYPES.has(type) || (WHOLE_MAPS.has(field) && type.startsWith('{'))
  return whole ? { ...schema, 'x-kubernetes-map-type': 'atomic' } : schema
}
