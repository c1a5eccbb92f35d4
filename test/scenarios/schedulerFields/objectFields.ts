/** Fields of volumes, nodes and namespaces. */
import type { FieldRow } from './fieldRow.ts'
import { NOT_MODELLED } from './podFields.ts'

const READ = 'shared/wire/kube/everyMember.test.ts'

/** Why random worlds do not have fields of claims and volumes that matter for classes without a provisioner. */
const NO_STATIC = 'random classes make their volumes; random changes of volumes are in test/properties/staticVolumes.test.ts'

const unread = (of: string, fields: string): FieldRow => ({ of, fields, why: 'no plugin reads them' })
const OBJECT =
  'creationTimestamp deletionGracePeriodSeconds finalizers generateName generation managedFields ownerReferences resourceVersion selfLink'

const CLAIMS: readonly FieldRow[] = [
  {
    of: 'PersistentVolumeClaim',
    fields: 'metadata.name metadata.namespace',
    plugins: 'VolumeBinding',
    shown: { 'test/scenarios/volumes.ts': ['V17 a claim that is not there'] },
  },
  {
    of: 'PersistentVolumeClaim',
    fields: 'metadata.annotations',
    plugins: 'VolumeBinding (pv.kubernetes.io/bind-completed, volume.kubernetes.io/selected-node)',
    shown: {
      'test/scenarios/volumes.ts': ['V14 a claim whose binding was not finished'],
      'test/scenarios/volumeClaims.ts': ['V34 a claim whose node the scheduler has chosen'],
    },
  },
  {
    of: 'PersistentVolumeClaim',
    fields: 'metadata.deletionTimestamp',
    plugins: 'VolumeBinding',
    shown: { 'test/scenarios/volumes.ts': ['V11 a claim that goes'] },
    rare: 'random claims do not end',
  },
  {
    of: 'PersistentVolumeClaim.spec',
    fields: 'volumeName storageClassName',
    plugins: 'VolumeBinding, VolumeZone, NodeVolumeLimits',
    shown: { 'test/scenarios/volumes.ts': ['V15.1 bound, of no class', 'V10 not bound, of a class that binds at once'] },
  },
  {
    of: 'PersistentVolumeClaim.status',
    fields: 'phase',
    plugins: 'VolumeBinding',
    shown: { 'test/scenarios/volumes.ts': ['V13 a claim that lost its volume'] },
  },
  {
    of: 'PersistentVolumeClaim.spec',
    fields: 'accessModes',
    plugins: 'VolumeRestrictions (ReadWriteOncePod), VolumeBinding (which existing volume a claim can have)',
    shown: {
      'test/scenarios/volumeClaims.ts': ['V32 a claim of one pod that a running pod has', 'V33 of pods that wait for one such claim'],
    },
    rare: 'test/generators/volumeRules.ts draws it',
  },
  {
    of: 'PersistentVolumeClaim.spec',
    fields: 'resources.requests selector volumeMode',
    plugins: 'VolumeBinding (which existing volume a claim can have)',
    shown: {
      'test/scenarios/volumeClaims.ts': [
        'V36 a volume that is too small',
        'V36.4 a device where a file system is asked for',
        'V36.6 a volume that the selector of the claim leaves out',
      ],
    },
    rare: NO_STATIC,
  },
  {
    of: 'PersistentVolumeClaim.spec',
    fields: 'volumeAttributesClassName',
    plugins: 'VolumeBinding (which existing volume a claim can have)',
    why: `claims of a class that makes no volumes have none; ${NOT_MODELLED}`,
  },
  unread('PersistentVolumeClaim.spec', 'dataSource dataSourceRef resources'),
  unread(
    'PersistentVolumeClaim.status',
    'accessModes allocatedResourceStatuses allocatedResources capacity conditions currentVolumeAttributesClassName modifyVolumeStatus',
  ),
  { of: 'PersistentVolumeClaim.status', fields: 'healthStatus', why: 'no plugin reads it', since: '1.37' },
  unread('PersistentVolumeClaim.metadata', `labels uid ${OBJECT}`),
  unread('PersistentVolumeClaim', 'apiVersion kind'),
]

const VOLUMES: readonly FieldRow[] = [
  {
    of: 'PersistentVolume',
    fields: 'metadata.name',
    plugins: 'VolumeBinding',
    shown: { [READ]: ['is another object with another value of a member'] },
  },
  {
    of: 'PersistentVolume',
    fields: 'metadata.labels',
    plugins: 'VolumeZone (labels of zones and regions)',
    shown: { 'shared/wire/kube/workloads.test.ts': ['a volume with the label of its zones'] },
  },
  {
    of: 'PersistentVolume',
    fields: 'metadata.deletionTimestamp',
    plugins: 'VolumeBinding (which existing volume a claim can have)',
    shown: { 'test/scenarios/volumes.ts': ['V12 a volume that goes'] },
    rare: 'random volumes do not end',
  },
  {
    of: 'PersistentVolume.spec',
    fields: 'nodeAffinity.required.nodeSelectorTerms.matchExpressions',
    plugins: 'VolumeBinding',
    shown: { 'test/scenarios/volumes.ts': ['V21 a volume of one zone', 'V22 a volume on a host, beside a zone'] },
  },
  {
    of: 'PersistentVolume.spec',
    fields: 'nodeAffinity.required.nodeSelectorTerms.matchFields',
    plugins: 'VolumeBinding',
    why: `no driver writes them; ${NOT_MODELLED}`,
  },
  {
    of: 'PersistentVolume.spec',
    fields: 'csi.driver',
    plugins: 'NodeVolumeLimits',
    shown: { 'test/scenarios/volumes.ts': ['V1 a node takes as many disks as its driver says'] },
  },
  {
    of: 'PersistentVolume.spec',
    fields: 'azureDisk azureFile',
    plugins: 'NodeVolumeLimits (as volumes of the drivers that replaced them)',
    shown: { [READ]: ['is another object without any of its members'] },
    rare: 'volumes of plugins that the CSI drivers replaced',
  },
  {
    of: 'PersistentVolume.spec',
    fields: 'csi.volumeHandle',
    plugins: 'NodeVolumeLimits (two volumes with one handle are one)',
    why: 'two volumes of one disk count as two: a node may get a disk fewer than it takes, never more',
  },
  {
    of: 'PersistentVolume.spec',
    fields: 'accessModes capacity claimRef storageClassName volumeMode',
    plugins: 'VolumeBinding (which existing volume a claim can have)',
    shown: {
      'test/scenarios/volumeClaims.ts': [
        'V36 a volume that is too small',
        'V36.2 a volume without an access mode of the claim',
        'V36.4 a device where a file system is asked for',
        'V36.8 a volume that is reserved for another claim',
        'V36.11 a volume of another class',
      ],
    },
    rare: NO_STATIC,
  },
  {
    of: 'PersistentVolume.spec',
    fields: 'volumeAttributesClassName',
    plugins: 'VolumeBinding (which existing volume a claim can have)',
    why: `volumes of a class that makes none have none; ${NOT_MODELLED}`,
  },
  unread(
    'PersistentVolume.spec',
    'awsElasticBlockStore cephfs cinder csi fc flexVolume flocker gcePersistentDisk glusterfs hostPath iscsi local mountOptions nfs persistentVolumeReclaimPolicy photonPersistentDisk portworxVolume quobyte rbd scaleIO storageos vsphereVolume',
  ),
  {
    of: 'PersistentVolume.status',
    fields: 'phase',
    plugins: 'VolumeBinding (which existing volume a claim can have)',
    shown: { 'test/scenarios/volumeClaims.ts': ['V35.2 without a free volume no machine is of use'] },
    rare: NO_STATIC,
  },
  unread('PersistentVolume.status', 'lastPhaseTransitionTime message reason'),
  unread('PersistentVolume.metadata', `annotations namespace uid ${OBJECT}`),
  unread('PersistentVolume', 'apiVersion kind'),
]

const CLASSES: readonly FieldRow[] = [
  {
    of: 'StorageClass',
    fields: 'metadata.name volumeBindingMode allowedTopologies',
    plugins: 'VolumeBinding',
    shown: { 'test/scenarios/volumes.ts': ['V6 a class of two zones', 'V10 not bound, of a class that binds at once'] },
  },
  {
    of: 'StorageClass',
    fields: 'provisioner',
    plugins: 'VolumeBinding, NodeVolumeLimits',
    shown: {
      'test/scenarios/volumes.ts': ['V16 the built-in plugin is its driver'],
      'test/scenarios/volumeClaims.ts': ['V35 a local volume that is free: its node, and no other, gets the pod'],
    },
  },
  {
    of: 'StorageClass',
    fields: 'metadata.annotations metadata.creationTimestamp',
    plugins: 'none: the API server fills in the default class',
    shown: { 'test/scenarios/volumes.ts': ['V8.2 volumes made for the pod, of the newest default class'] },
    rare: 'random claims name their class',
  },
  unread('StorageClass', 'allowVolumeExpansion mountOptions parameters reclaimPolicy apiVersion kind'),
  unread(
    'StorageClass.metadata',
    'deletionTimestamp labels namespace uid deletionGracePeriodSeconds finalizers generateName generation managedFields ownerReferences resourceVersion selfLink',
  ),
]

const NODES: readonly FieldRow[] = [
  {
    of: 'CSINode',
    fields: 'metadata.name spec.drivers.name spec.drivers.allocatable.count',
    plugins: 'NodeVolumeLimits',
    shown: { 'test/scenarios/volumes.ts': ['V1 a node takes as many disks as its driver says'] },
  },
  {
    of: 'CSINode',
    fields: 'metadata.annotations',
    plugins: 'NodeVolumeLimits, VolumeBinding (plugins that a node has migrated to CSI)',
    why: 'since Kubernetes 1.27 every node has migrated the Azure plugins',
  },
  unread('CSINode', 'spec.drivers.nodeID spec.drivers.topologyKeys apiVersion kind'),
  { of: 'CSINode', fields: 'status', why: 'no plugin reads it', since: '1.37' },
  unread('CSINode.metadata', `deletionTimestamp labels namespace uid ${OBJECT}`),
  {
    of: 'Node',
    fields: 'metadata.name metadata.labels',
    plugins: 'NodeAffinity, NodeName, PodTopologySpread, InterPodAffinity, VolumeZone, VolumeBinding',
    shown: { 'test/scenarios/existingNodes.ts': ['E13 a pod that asks for a label the node does not have'] },
  },
  {
    of: 'Node.spec',
    fields: 'taints',
    plugins: 'TaintToleration, PodTopologySpread',
    shown: { 'test/scenarios/inFlight.ts': ['N10 a taint of somebody’s own counts on a node that is up'] },
  },
  {
    of: 'Node.spec',
    fields: 'unschedulable',
    plugins: 'NodeUnschedulable',
    shown: { 'test/scenarios/existingNodes.ts': ['E12 a cordoned node takes no pods'] },
  },
  {
    of: 'Node.status',
    fields: 'allocatable',
    plugins: 'NodeResourcesFit',
    shown: { 'test/scenarios/existingNodes.ts': ['E16 nodes whose room is overdrawn take nothing', 'E7.1 a device that is none'] },
  },
  {
    of: 'Node.status',
    fields: 'images',
    plugins: 'ImageLocality (score)',
    why: 'a score for nodes that have the image; kube-scheduler alone chooses between nodes that fit',
  },
  {
    of: 'Node.status',
    fields: 'declaredFeatures',
    plugins: 'NodeDeclaredFeatures',
    why: `as for the fields of pods that need the features; ${NOT_MODELLED}`,
  },
  unread('Node.spec', 'configSource externalID podCIDR podCIDRs providerID'),
  {
    of: 'Node.spec',
    fields: 'podPreemptionPolicy',
    plugins: 'DeferredPodScheduling (alpha)',
    why: 'concerns resizes of pods that run on the node',
    since: '1.37',
  },
  unread(
    'Node.status',
    'addresses capacity conditions config daemonEndpoints features nodeInfo phase runtimeHandlers volumesAttached volumesInUse',
  ),
  unread('Node.metadata', `annotations deletionTimestamp namespace uid ${OBJECT}`),
  unread('Node', 'apiVersion kind'),
]

const NAMESPACES: readonly FieldRow[] = [
  {
    of: 'Namespace',
    fields: 'metadata.name metadata.labels',
    plugins: 'InterPodAffinity',
    shown: { 'test/scenarios/affinity.ts': ['Y30.1 to a pod of namespaces that a selector leaves out'] },
  },
  unread('Namespace', 'spec status apiVersion kind'),
  unread('Namespace.metadata', `annotations deletionTimestamp namespace uid ${OBJECT}`),
]

export const OBJECT_FIELDS: readonly FieldRow[] = [...CLAIMS, ...VOLUMES, ...CLASSES, ...NODES, ...NAMESPACES]
