import { ownValue } from '../../../shared/base/values.ts'

/** How a strategic merge patch merges a member: by the key of its list, or by its fields. */
export interface MergeShape {
  /** The merge key of a list. `''` for a list of plain values, which is merged as a set. Undefined for everything else. */
  readonly key?: string
  /** `retainKeys`: a patch may list the members that stay (`$retainKeys`). */
  readonly fields?: { readonly [name: string]: MergeShape }
}

const byKey = (key: string, fields?: MergeShape['fields']): MergeShape => (fields ? { key, fields } : { key })
const asSet: MergeShape = { key: '' }

const metadata: MergeShape = { fields: { ownerReferences: byKey('uid'), finalizers: asSet } }

const container: MergeShape['fields'] = {
  env: byKey('name'),
  ports: byKey('containerPort'),
  volumeMounts: byKey('mountPath'),
  volumeDevices: byKey('devicePath'),
}

const podSpec: MergeShape = {
  fields: {
    containers: byKey('name', container),
    initContainers: byKey('name', container),
    ephemeralContainers: byKey('name', container),
    volumes: byKey('name'),
    imagePullSecrets: byKey('name'),
    hostAliases: byKey('ip'),
    topologySpreadConstraints: byKey('topologyKey'),
    resourceClaims: byKey('name'),
    schedulingGates: byKey('name'),
  },
}

const template: MergeShape = { fields: { metadata, spec: podSpec } }
const conditions: MergeShape = { fields: { conditions: byKey('type') } }
const workload: MergeShape = { fields: { metadata, spec: { fields: { template } }, status: conditions } }
const plain: MergeShape = { fields: { metadata, status: conditions } }

const SHAPES: { readonly [resource: string]: MergeShape } = {
  pods: {
    fields: {
      metadata,
      spec: podSpec,
      status: { fields: { conditions: byKey('type'), podIPs: byKey('ip'), hostIPs: byKey('ip'), resourceClaimStatuses: byKey('name') } },
    },
  },
  nodes: {
    fields: {
      metadata,
      spec: { fields: { podCIDRs: asSet } },
      status: { fields: { conditions: byKey('type'), addresses: byKey('type') } },
    },
  },
  services: { fields: { metadata, spec: { fields: { ports: byKey('port') } }, status: conditions } },
  podtemplates: { fields: { metadata, template: { fields: { metadata, spec: podSpec } } } },
  serviceaccounts: { fields: { metadata, secrets: byKey('name') } },
  replicationcontrollers: workload,
  'deployments.apps': workload,
  'replicasets.apps': workload,
  'daemonsets.apps': workload,
  'statefulsets.apps': workload,
  'jobs.batch': workload,
  'csinodes.storage.k8s.io': { fields: { metadata, spec: { fields: { drivers: byKey('name') } } } },
}

/** Returns the merge shape of a built-in resource. Resources without a shape of their own have merge keys in metadata and conditions only. */
export function mergeShapeOf(storedAs: string): MergeShape {
  return ownValue(SHAPES, storedAs) ?? plain
}
