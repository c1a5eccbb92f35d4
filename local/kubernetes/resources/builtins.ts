import { ownValue } from '../../../shared/base/values.ts'
import { BUILTIN_TABLES, nameAndAge } from '../tables/builtinTables.ts'
import * as core from './coreStrategies.ts'
import { eventStrategy } from './eventStrategy.ts'
import { METADATA_FIELDS, type SelectableFields } from './fieldSelector.ts'
import { podStrategy } from './podStrategy.ts'
import { ALL_VERBS, type Resource, type ScalePaths, type Strategy } from './resource.ts'
import * as workloads from './workloadStrategies.ts'

interface Entry {
  readonly group?: string
  readonly plural: string
  readonly kind: string
  readonly namespaced?: boolean
  readonly short?: readonly string[]
  readonly inAll?: boolean
  readonly subresources?: readonly string[]
  readonly fields?: SelectableFields
  readonly strategy?: Strategy
  readonly returnsDeleted?: boolean
  readonly scale?: ScalePaths
  readonly version?: string
}

const at = (...path: string[]): readonly string[] => path
const STATUS = ['status']
const SCALED = ['status', 'scale']
const SCALE: ScalePaths = {
  specReplicas: at('spec', 'replicas'),
  statusReplicas: at('status', 'replicas'),
  selector: at('spec', 'selector'),
}

const POD_FIELDS: SelectableFields = {
  'spec.nodeName': at('spec', 'nodeName'),
  'spec.restartPolicy': at('spec', 'restartPolicy'),
  'spec.schedulerName': at('spec', 'schedulerName'),
  'spec.serviceAccountName': at('spec', 'serviceAccountName'),
  'spec.hostNetwork': at('spec', 'hostNetwork'),
  'status.phase': at('status', 'phase'),
  'status.podIP': at('status', 'podIP'),
  'status.nominatedNodeName': at('status', 'nominatedNodeName'),
}

const INVOLVED = ['kind', 'namespace', 'name', 'uid', 'apiVersion', 'resourceVersion', 'fieldPath']
const EVENT_FIELDS: SelectableFields = {
  ...Object.fromEntries(INVOLVED.map((member) => [`involvedObject.${member}`, at('involvedObject', member)])),
  reason: at('reason'),
  reportingComponent: at('reportingComponent'),
  source: at('source', 'component'),
  type: at('type'),
}

const CORE: readonly Entry[] = [
  {
    plural: 'namespaces',
    kind: 'Namespace',
    short: ['ns'],
    subresources: ['status', 'finalize'],
    fields: { 'status.phase': at('status', 'phase') },
    strategy: core.namespaceStrategy,
  },
  {
    plural: 'nodes',
    kind: 'Node',
    short: ['no'],
    subresources: STATUS,
    fields: { 'spec.unschedulable': at('spec', 'unschedulable') },
    strategy: core.nodeStrategy,
  },
  {
    plural: 'pods',
    kind: 'Pod',
    namespaced: true,
    short: ['po'],
    inAll: true,
    returnsDeleted: true,
    fields: POD_FIELDS,
    strategy: podStrategy,
    subresources: ['status', 'binding', 'eviction', 'log', 'ephemeralcontainers', 'exec', 'attach', 'portforward', 'proxy', 'resize'],
  },
  {
    plural: 'services',
    kind: 'Service',
    namespaced: true,
    short: ['svc'],
    inAll: true,
    subresources: STATUS,
    strategy: core.serviceStrategy,
    returnsDeleted: true,
  },
  {
    plural: 'replicationcontrollers',
    kind: 'ReplicationController',
    namespaced: true,
    short: ['rc'],
    inAll: true,
    subresources: SCALED,
    scale: { ...SCALE, selectsByLabels: true },
    strategy: workloads.replicationControllerStrategy,
  },
  { plural: 'podtemplates', kind: 'PodTemplate', namespaced: true, strategy: workloads.podTemplateStrategy },
  { plural: 'configmaps', kind: 'ConfigMap', namespaced: true, short: ['cm'], strategy: core.configMapStrategy },
  { plural: 'secrets', kind: 'Secret', namespaced: true, fields: { type: at('type') }, strategy: core.secretStrategy },
  { plural: 'serviceaccounts', kind: 'ServiceAccount', namespaced: true, short: ['sa'], subresources: ['token'], returnsDeleted: true },
  { plural: 'events', kind: 'Event', namespaced: true, short: ['ev'], fields: EVENT_FIELDS, strategy: eventStrategy },
  {
    plural: 'persistentvolumes',
    kind: 'PersistentVolume',
    short: ['pv'],
    subresources: STATUS,
    strategy: core.volumeStrategy,
    returnsDeleted: true,
  },
  {
    plural: 'persistentvolumeclaims',
    kind: 'PersistentVolumeClaim',
    namespaced: true,
    short: ['pvc'],
    subresources: STATUS,
    strategy: core.volumeClaimStrategy,
    returnsDeleted: true,
  },
]

const WORKLOADS: readonly Entry[] = [
  {
    group: 'apps',
    plural: 'deployments',
    kind: 'Deployment',
    namespaced: true,
    short: ['deploy'],
    inAll: true,
    subresources: SCALED,
    scale: SCALE,
    strategy: workloads.deploymentStrategy,
  },
  {
    group: 'apps',
    plural: 'replicasets',
    kind: 'ReplicaSet',
    namespaced: true,
    short: ['rs'],
    inAll: true,
    subresources: SCALED,
    scale: SCALE,
    strategy: workloads.replicaSetStrategy,
  },
  {
    group: 'apps',
    plural: 'daemonsets',
    kind: 'DaemonSet',
    namespaced: true,
    short: ['ds'],
    inAll: true,
    subresources: STATUS,
    strategy: workloads.daemonSetStrategy,
  },
  {
    group: 'apps',
    plural: 'statefulsets',
    kind: 'StatefulSet',
    namespaced: true,
    short: ['sts'],
    inAll: true,
    subresources: SCALED,
    scale: SCALE,
    strategy: workloads.statefulSetStrategy,
  },
  { group: 'apps', plural: 'controllerrevisions', kind: 'ControllerRevision', namespaced: true },
  { group: 'batch', plural: 'jobs', kind: 'Job', namespaced: true, inAll: true, subresources: STATUS, strategy: workloads.jobStrategy },
  {
    group: 'policy',
    plural: 'poddisruptionbudgets',
    kind: 'PodDisruptionBudget',
    namespaced: true,
    short: ['pdb'],
    subresources: STATUS,
    strategy: workloads.disruptionBudgetStrategy,
  },
]

const CLUSTER: readonly Entry[] = [
  { group: 'coordination.k8s.io', plural: 'leases', kind: 'Lease', namespaced: true, strategy: core.leaseStrategy },
  {
    group: 'storage.k8s.io',
    plural: 'storageclasses',
    kind: 'StorageClass',
    short: ['sc'],
    strategy: core.storageClassStrategy,
    returnsDeleted: true,
  },
  { group: 'storage.k8s.io', plural: 'csinodes', kind: 'CSINode', returnsDeleted: true },
  { group: 'storage.k8s.io', plural: 'csidrivers', kind: 'CSIDriver', returnsDeleted: true },
  {
    group: 'storage.k8s.io',
    plural: 'volumeattachments',
    kind: 'VolumeAttachment',
    subresources: STATUS,
    strategy: workloads.withStatus,
    returnsDeleted: true,
  },
  { group: 'scheduling.k8s.io', plural: 'priorityclasses', kind: 'PriorityClass', short: ['pc'] },
  {
    group: 'certificates.k8s.io',
    plural: 'certificatesigningrequests',
    kind: 'CertificateSigningRequest',
    short: ['csr'],
    subresources: ['status', 'approval'],
    fields: { 'spec.signerName': at('spec', 'signerName') },
    strategy: core.signingRequestStrategy,
  },
  { group: 'rbac.authorization.k8s.io', plural: 'clusterroles', kind: 'ClusterRole', strategy: core.pathNamed },
  { group: 'rbac.authorization.k8s.io', plural: 'clusterrolebindings', kind: 'ClusterRoleBinding', strategy: core.pathNamed },
  { group: 'rbac.authorization.k8s.io', plural: 'roles', kind: 'Role', namespaced: true, strategy: core.pathNamed },
  { group: 'rbac.authorization.k8s.io', plural: 'rolebindings', kind: 'RoleBinding', namespaced: true, strategy: core.pathNamed },
]

/** The resources that the server has before any CustomResourceDefinition is written, except CustomResourceDefinition itself. */
export const BUILTINS: readonly Resource[] = [...CORE, ...WORKLOADS, ...CLUSTER].map(builtin)

function builtin(entry: Entry): Resource {
  const group = entry.group ?? ''
  const version = entry.version ?? 'v1'
  const storedAs = group === '' ? entry.plural : `${entry.plural}.${group}`
  return {
    group,
    plural: entry.plural,
    singular: entry.kind.toLowerCase(),
    kind: entry.kind,
    listKind: `${entry.kind}List`,
    namespaced: entry.namespaced ?? false,
    shortNames: entry.short ?? [],
    categories: entry.inAll ? ['all'] : [],
    versions: [{ name: version, table: ownValue(BUILTIN_TABLES, storedAs) ?? nameAndAge }],
    storageVersion: version,
    storedAs,
    verbs: ALL_VERBS,
    subresources: entry.subresources ?? [],
    selectableFields: { ...METADATA_FIELDS, ...entry.fields },
    custom: false,
    returnsDeleted: entry.returnsDeleted ?? false,
    ...(entry.scale ? { scale: entry.scale } : {}),
    strategy: entry.strategy ?? core.plainStrategy,
  }
}
