import type { ObjectKind } from '../../../model/clusterObjects.ts'

/** Objects in which every member that is read differs from its default. */
export type FullObject = { readonly kind: ObjectKind; readonly json: { readonly [member: string]: unknown } }

export const TIME = '2026-01-01T00:00:00Z'
export const LATER = '2026-01-02T00:00:00Z'
export const REQUIREMENT = { key: 'zone', operator: 'In', values: ['1', '2'], minValues: 2 }
export const SELECTOR = { matchLabels: { app: 'web' }, matchExpressions: [{ key: 'tier', operator: 'NotIn', values: ['back'] }] }
export const TAINT = { key: 'team', value: 'a', effect: 'NoExecute' }
export const CONDITION = {
  type: 'Ready',
  status: 'True',
  reason: 'Because',
  message: 'it is',
  lastTransitionTime: TIME,
  observedGeneration: 3,
}
export const META = {
  uid: 'u',
  labels: { app: 'web' },
  annotations: { 'karpenter.sh/x': 'y' },
  creationTimestamp: TIME,
  deletionTimestamp: LATER,
  generation: 4,
  resourceVersion: '77',
  finalizers: ['karpenter.sh/termination'],
}
export const PLAIN = { name: 'web', namespace: 'shop', uid: 'u' }
export const CLASS = { group: 'karpenter.azure.com', kind: 'AKSNodeClass', name: 'default' }

const AFFINITY_TERM = {
  topologyKey: 'zone',
  labelSelector: SELECTOR,
  namespaces: ['shop'],
  namespaceSelector: SELECTOR,
  matchLabelKeys: ['hash'],
  mismatchLabelKeys: ['tenant'],
}
const POD_AFFINITY = {
  requiredDuringSchedulingIgnoredDuringExecution: [AFFINITY_TERM],
  preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 5, podAffinityTerm: { topologyKey: 'zone', labelSelector: SELECTOR } }],
}

/** The spec that pods and templates share. */
const POD_SPEC = {
  nodeName: 'node-1',
  schedulerName: 'mine',
  schedulingGates: [{ name: 'gate' }],
  initContainers: [
    { resources: { requests: { 'example.com/init': '1' } } },
    { restartPolicy: 'Always', resources: { requests: { 'example.com/sidecar': '1' } }, ports: [{ hostPort: 81 }] },
  ],
  containers: [
    { resources: { requests: { cpu: '1', memory: '1Gi' } }, ports: [{ hostPort: 80, hostIP: '10.0.0.1', protocol: 'UDP' }] },
    { resources: { requests: { cpu: '2' } } },
  ],
  overhead: { cpu: '250m' },
  tolerations: [
    { key: 'a', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 60 },
    { key: 'b', value: 'c' },
  ],
  nodeSelector: { disk: 'ssd' },
  topologySpreadConstraints: [
    {
      maxSkew: 2,
      topologyKey: 'zone',
      whenUnsatisfiable: 'DoNotSchedule',
      labelSelector: SELECTOR,
      minDomains: 3,
      nodeAffinityPolicy: 'Ignore',
      nodeTaintsPolicy: 'Honor',
      matchLabelKeys: ['hash'],
    },
  ],
  affinity: {
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: [
          {
            matchExpressions: [{ key: 'arch', operator: 'In', values: ['arm64'] }],
            matchFields: [{ key: 'metadata.name', operator: 'In', values: ['node-1'] }],
          },
        ],
      },
      preferredDuringSchedulingIgnoredDuringExecution: [
        { weight: 5, preference: { matchExpressions: [{ key: 'fast', operator: 'Exists' }] } },
      ],
    },
    podAffinity: POD_AFFINITY,
    podAntiAffinity: POD_AFFINITY,
  },
  volumes: [
    { persistentVolumeClaim: { claimName: 'data' } },
    { name: 'scratch', ephemeral: { volumeClaimTemplate: { spec: { storageClassName: 'fast' } } } },
    { csi: { driver: 'disk' } },
    { rbd: {} },
  ],
  resourceClaims: [{ name: 'gpu' }],
  priority: 7,
  priorityClassName: 'high',
  preemptionPolicy: 'Never',
  terminationGracePeriodSeconds: 9,
}

export const POD: FullObject = {
  kind: 'pod',
  json: {
    metadata: {
      ...PLAIN,
      labels: { app: 'web' },
      annotations: {
        'karpenter.sh/do-not-disrupt': 'true',
        'joiner.dev/x': 'y',
        'controller.kubernetes.io/pod-deletion-cost': '5',
        'cluster-autoscaler.kubernetes.io/safe-to-evict': 'false',
        'kubernetes.io/config.mirror': 'm',
      },
      creationTimestamp: TIME,
      deletionTimestamp: LATER,
      ownerReferences: [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web', uid: 'o' }],
    },
    spec: POD_SPEC,
    status: {
      phase: 'Running',
      startTime: TIME,
      conditions: [
        { type: 'PodScheduled', status: 'True', reason: 'Unschedulable', lastTransitionTime: LATER },
        { type: 'Ready', status: 'False' },
      ],
    },
  },
}

/** A pod that the scheduler is about to bind. */
export const NOMINATED: FullObject = {
  kind: 'pod',
  json: {
    metadata: { ...PLAIN, managedFields: [{ time: TIME, fieldsV1: { 'f:status': { 'f:nominatedNodeName': {} } } }] },
    spec: {},
    status: { nominatedNodeName: 'node-2' },
  },
}

/** Pods of groups that are bound together. */
export const GROUPED: readonly FullObject[] = [
  { schedulingGroup: { podGroupName: 'gang' } },
  { workloadRef: { name: 'training', podGroup: 'workers' } },
].map((spec) => ({ kind: 'pod', json: { metadata: PLAIN, spec } }))

/** A pod whose kubelet allocated more than its requests. */
export const RESIZED: FullObject = {
  kind: 'pod',
  json: {
    metadata: PLAIN,
    spec: { containers: [{ name: 'a' }, { name: 'b' }], initContainers: [{ name: 'c', restartPolicy: 'Always' }] },
    status: {
      containerStatuses: [
        { name: 'a', resources: { requests: { cpu: '2' } } },
        { name: 'b', resources: {}, allocatedResources: { memory: '1Gi' } },
      ],
      initContainerStatuses: [
        { name: 'c', resources: { requests: { 'example.com/sidecar': '3' } }, allocatedResources: { 'example.com/disk': '1' } },
      ],
    },
  },
}

/** A pod whose kubelet allocated more than its pod-level requests, in the network of the host. */
export const RESIZED_AS_A_WHOLE: FullObject = {
  kind: 'pod',
  json: {
    metadata: PLAIN,
    spec: { hostNetwork: true, containers: [{ ports: [{ containerPort: 80 }] }], resources: { requests: { cpu: '1', memory: '1Gi' } } },
    status: { resources: { requests: { cpu: '2' } }, allocatedResources: { memory: '2Gi' } },
  },
}

/** A pod with pod-level resources and container resources. */
export const WHOLE: FullObject = {
  kind: 'pod',
  json: { metadata: PLAIN, spec: { containers: [{ resources: { requests: { cpu: '1' } } }], resources: { requests: { memory: '2Gi' } } } },
}

const TEMPLATE_SPEC = { ...POD_SPEC, containers: [{ resources: { limits: { cpu: '3' }, requests: { memory: '1Gi' } } }] }
export const TEMPLATE = { metadata: { labels: { app: 'web' }, annotations: { 'karpenter.sh/x': 'y' } }, spec: TEMPLATE_SPEC }
export const SHARED_SPEC = { replicas: 3, selector: SELECTOR, template: TEMPLATE }
