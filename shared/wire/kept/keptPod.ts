import { ANNOTATION, POD_ANNOTATION } from '../../model/labels.ts'
import type { Kept, KeptMembers, KeptRule } from './kept.ts'
import { has, is, isEmpty, REQUIREMENT, SELECTOR } from './keptParts.ts'

const NO_NODE = isEmpty('spec', 'nodeName')

/**
 * The owner of the field is the only place of the time at which the scheduler nominated a node. A bound pod has none: before 1.35 the scheduler left
 * the name on it.
 */
const NOMINATION: readonly KeptRule[] = [
  {
    where: [has('fieldsV1', 'f:status', 'f:nominatedNodeName')],
    when: [NO_NODE, { at: ['status', 'nominatedNodeName'], not: [null, ''] }],
    keep: { time: true, fieldsV1: { 'f:status': { 'f:nominatedNodeName': {} } } },
  },
]

const TEMPLATE_METADATA: KeptMembers = {
  name: true,
  labels: true,
  annotations: {
    'karpenter.sh/*': true,
    'joiner.dev/*': true,
    [POD_ANNOTATION.deletionCost]: true,
    'cluster-autoscaler.kubernetes.io/safe-to-evict': true,
    'kubernetes.io/config.mirror': true,
  },
  creationTimestamp: true,
  deletionTimestamp: true,
  ownerReferences: { apiVersion: true, kind: true, name: true, uid: true, controller: true },
}

const NODE_TERM: KeptMembers = { matchExpressions: REQUIREMENT, matchFields: REQUIREMENT }

const AFFINITY_TERM: KeptMembers = {
  topologyKey: true,
  labelSelector: SELECTOR,
  namespaces: true,
  namespaceSelector: SELECTOR,
  matchLabelKeys: true,
  mismatchLabelKeys: true,
}

const POD_AFFINITY: KeptMembers = {
  requiredDuringSchedulingIgnoredDuringExecution: AFFINITY_TERM,
  preferredDuringSchedulingIgnoredDuringExecution: { weight: true, podAffinityTerm: AFFINITY_TERM },
}

export const NODE_TERMS: KeptMembers = { nodeSelectorTerms: NODE_TERM }

const AFFINITY: KeptMembers = {
  nodeAffinity: {
    requiredDuringSchedulingIgnoredDuringExecution: NODE_TERMS,
    preferredDuringSchedulingIgnoredDuringExecution: { weight: true, preference: NODE_TERM },
  },
  podAffinity: POD_AFFINITY,
  podAntiAffinity: POD_AFFINITY,
}

/**
 * The types of volumes that are available on every node, so that they do not restrict where the pod runs. A volume of another type, also of a type to
 * come, is kept by the name of its type.
 */
export const VOLUMES_ANYWHERE: readonly string[] = [
  'configMap',
  'secret',
  'emptyDir',
  'downwardAPI',
  'projected',
  'hostPath',
  'image',
  'gitRepo',
  'nfs',
  'azureFile',
  'cephfs',
  'glusterfs',
]

const VOLUMES: readonly KeptRule[] = [
  { where: [has('persistentVolumeClaim')], keep: { persistentVolumeClaim: { claimName: true } } },
  { where: [has('ephemeral')], keep: { name: true, ephemeral: { volumeClaimTemplate: { spec: { storageClassName: true } } } } },
  { where: [has('csi')], keep: { csi: { driver: true } } },
  { where: VOLUMES_ANYWHERE.map((type) => ({ at: [type], is: [null] })), keep: { name: [], '*': {} } },
]

/** `base` is the path of the spec in the whole object. */
function containers(resources: KeptMembers, base: readonly string[]): KeptMembers {
  return {
    name: true,
    restartPolicy: [{ where: [is([], 'Always')], keep: true }],
    resources,
    ports: [
      { where: [has('hostPort')], keep: { hostPort: true, hostIP: true, protocol: true } },
      { when: [is([...base, 'hostNetwork'], true)], keep: { containerPort: true, hostIP: true, protocol: true } },
    ],
  }
}

/** Readers take a missing member for this value. */
function unless(usual: string | number): readonly KeptRule[] {
  return [{ where: [{ at: [], not: [usual] }], keep: true }]
}

const REQUESTS: KeptMembers = { requests: true }
/** The API server sets requests of pods where only limits are given. A template has them as written. */
const REQUESTS_AND_LIMITS: KeptMembers = { requests: true, limits: true }

function spec(resources: KeptMembers, base: readonly string[]): KeptMembers {
  return {
    nodeName: true,
    schedulerName: unless('default-scheduler'),
    schedulingGates: { name: true },
    hostNetwork: true,
    containers: containers(resources, base),
    initContainers: containers(resources, base),
    overhead: true,
    resources,
    tolerations: { key: true, operator: true, value: true, effect: true, tolerationSeconds: true },
    nodeSelector: true,
    affinity: AFFINITY,
    topologySpreadConstraints: {
      maxSkew: true,
      topologyKey: true,
      whenUnsatisfiable: true,
      labelSelector: SELECTOR,
      minDomains: true,
      nodeAffinityPolicy: true,
      nodeTaintsPolicy: true,
      matchLabelKeys: true,
    },
    volumes: VOLUMES,
    resourceClaims: { name: true },
    schedulingGroup: { podGroupName: true },
    workloadRef: { name: true, podGroup: true },
    priority: unless(0),
    priorityClassName: true,
    preemptionPolicy: unless('PreemptLowerPriority'),
    terminationGracePeriodSeconds: true,
  }
}

/** Only what changes a decision: a condition that is added while a container starts would be a change more for each pod. */
const CONDITIONS: readonly KeptRule[] = [
  { where: [is(['type'], 'PodScheduled')], keep: { type: true, status: true, reason: true, lastTransitionTime: true } },
  {
    where: [is(['type'], 'Ready'), is(['status'], 'False')],
    when: [is(['status', 'phase'], 'Running')],
    keep: { type: true, status: true },
  },
  { where: [is(['type'], 'PodResizePending'), is(['reason'], 'Infeasible')], keep: { type: true, reason: true } },
]

const HELD: KeptMembers = { resources: REQUESTS, allocatedResources: true }
const CONTAINER_STATUSES: readonly KeptRule[] = [{ where: [has('resources')], keep: { name: true, ...HELD } }]

const STATUS: KeptMembers = {
  phase: true,
  conditions: CONDITIONS,
  nominatedNodeName: [{ when: [NO_NODE], keep: true }],
  startTime: [{ when: [has('metadata', 'annotations', ANNOTATION.doNotDisrupt)], keep: true }],
  containerStatuses: CONTAINER_STATUSES,
  initContainerStatuses: CONTAINER_STATUSES,
  ...HELD,
}

const METADATA: KeptMembers = { ...TEMPLATE_METADATA, namespace: true, uid: true, managedFields: NOMINATION }

export const POD: Kept = { metadata: METADATA, spec: spec(REQUESTS, ['spec']), status: STATUS }

/** A template of pods whose path in the object is `base`. */
export function podTemplateAt(...base: readonly string[]): KeptMembers {
  return { metadata: TEMPLATE_METADATA, spec: spec(REQUESTS_AND_LIMITS, [...base, 'spec']) }
}
