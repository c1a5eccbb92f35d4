import type { ObjectKind } from '../../../model/clusterObjects.ts'

/** Objects in which every member that is read differs from its default. */
export type FullObject = { readonly kind: ObjectKind; readonly json: { readonly [member: string]: unknown } }

const TIME = '2026-01-01T00:00:00Z'
const LATER = '2026-01-02T00:00:00Z'
const REQUIREMENT = { key: 'zone', operator: 'In', values: ['1', '2'], minValues: 2 }
const SELECTOR = { matchLabels: { app: 'web' }, matchExpressions: [{ key: 'tier', operator: 'NotIn', values: ['back'] }] }
const TAINT = { key: 'team', value: 'a', effect: 'NoExecute' }
const CONDITION = {
  type: 'Ready',
  status: 'True',
  reason: 'Because',
  message: 'it is',
  lastTransitionTime: TIME,
  observedGeneration: 3,
}
const META = {
  uid: 'u',
  labels: { app: 'web' },
  annotations: { 'karpenter.sh/x': 'y' },
  creationTimestamp: TIME,
  deletionTimestamp: LATER,
  generation: 4,
  resourceVersion: '77',
  finalizers: ['karpenter.sh/termination'],
}
const PLAIN = { name: 'web', namespace: 'shop', uid: 'u' }
const CLASS = { group: 'karpenter.azure.com', kind: 'AKSNodeClass', name: 'default' }

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

const POD: FullObject = {
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
const NOMINATED: FullObject = {
  kind: 'pod',
  json: {
    metadata: { ...PLAIN, managedFields: [{ time: TIME, fieldsV1: { 'f:status': { 'f:nominatedNodeName': {} } } }] },
    spec: {},
    status: { nominatedNodeName: 'node-2' },
  },
}

/** Pods of groups that are bound together. */
const GROUPED: readonly FullObject[] = [
  { schedulingGroup: { podGroupName: 'gang' } },
  { workloadRef: { name: 'training', podGroup: 'workers' } },
].map((spec) => ({ kind: 'pod', json: { metadata: PLAIN, spec } }))

/** A pod whose kubelet allocated more than its requests. */
const RESIZED: FullObject = {
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
const RESIZED_AS_A_WHOLE: FullObject = {
  kind: 'pod',
  json: {
    metadata: PLAIN,
    spec: { hostNetwork: true, containers: [{ ports: [{ containerPort: 80 }] }], resources: { requests: { cpu: '1', memory: '1Gi' } } },
    status: { resources: { requests: { cpu: '2' } }, allocatedResources: { memory: '2Gi' } },
  },
}

/** A pod with pod-level resources and container resources. */
const WHOLE: FullObject = {
  kind: 'pod',
  json: { metadata: PLAIN, spec: { containers: [{ resources: { requests: { cpu: '1' } } }], resources: { requests: { memory: '2Gi' } } } },
}

const TEMPLATE_SPEC = { ...POD_SPEC, containers: [{ resources: { limits: { cpu: '3' }, requests: { memory: '1Gi' } } }] }
const TEMPLATE = { metadata: { labels: { app: 'web' }, annotations: { 'karpenter.sh/x': 'y' } }, spec: TEMPLATE_SPEC }
const SHARED_SPEC = { replicas: 3, selector: SELECTOR, template: TEMPLATE }

const CLAIM_SPEC = {
  nodeClassRef: CLASS,
  requirements: [REQUIREMENT],
  taints: [TAINT],
  startupTaints: [{ ...TAINT, key: 'starting' }],
  expireAfter: '24h',
  terminationGracePeriod: '5m',
}

export const FULL_OBJECTS: readonly FullObject[] = [
  POD,
  NOMINATED,
  ...GROUPED,
  RESIZED,
  RESIZED_AS_A_WHOLE,
  WHOLE,
  {
    kind: 'node',
    json: {
      // Without a resource version, which changes with each heartbeat.
      metadata: { ...META, name: 'node-1', resourceVersion: undefined },
      spec: { providerID: 'azure:///vm', taints: [TAINT], unschedulable: true },
      status: {
        capacity: { cpu: '4' },
        allocatable: { cpu: '3', 'example.com/gpu': '1' },
        conditions: [CONDITION],
        nodeInfo: { kubeletVersion: 'v1.34.2' },
      },
    },
  },
  {
    kind: 'nodeClaim',
    json: {
      metadata: { ...META, name: 'claim-1' },
      spec: { ...CLAIM_SPEC, resources: { requests: { cpu: '2' } } },
      status: {
        conditions: [CONDITION],
        nodeName: 'node-1',
        providerID: 'azure:///vm',
        imageID: 'image-1',
        capacity: { cpu: '4' },
        allocatable: { cpu: '3' },
        lastPodEventTime: TIME,
      },
    },
  },
  {
    kind: 'nodePool',
    json: {
      metadata: { ...META, name: 'default' },
      spec: {
        template: { metadata: { labels: { team: 'a' }, annotations: { 'example.com/b': 'c' } }, spec: CLAIM_SPEC },
        disruption: {
          consolidationPolicy: 'WhenEmpty',
          consolidateAfter: '1m',
          budgets: [{ nodes: '5', schedule: '@daily', duration: '10m', reasons: ['Drifted'] }],
        },
        limits: { cpu: '100' },
        weight: 10,
        replicas: 2,
      },
      status: { conditions: [CONDITION], resources: { cpu: '8' }, nodes: 2, nodeClassObservedGeneration: 5 },
    },
  },
  {
    kind: 'nodeClass',
    json: {
      metadata: { ...META, name: 'default' },
      spec: {
        vnetSubnetID: '/subnets/a',
        osDiskSizeGB: 256,
        imageFamily: 'AzureLinux',
        fipsMode: 'FIPS',
        tags: { team: 'a' },
        maxPods: 40,
        kubelet: {
          cpuManagerPolicy: 'static',
          cpuCFSQuota: true,
          cpuCFSQuotaPeriod: '50ms',
          imageGCHighThresholdPercent: 90,
          imageGCLowThresholdPercent: 70,
          topologyManagerPolicy: 'best-effort',
          allowedUnsafeSysctls: ['kernel.msg*'],
          containerLogMaxSize: '10Mi',
          containerLogMaxFiles: 3,
          podPidsLimit: 100,
          failSwapOn: false,
        },
        gpu: { mode: 'None' },
        security: { encryptionAtHost: true, trustedLaunch: { vtpm: true, secureBoot: false } },
        artifactStreaming: { enabled: true },
        localDNS: { mode: 'Required' },
        linuxOSConfig: { swapFileSizeMB: 1 },
      },
      status: {
        conditions: [CONDITION],
        kubernetesVersion: '1.34.1',
        images: [{ id: 'image-1', requirements: [REQUIREMENT] }],
        localDNSState: 'Enabled',
      },
    },
  },
  { kind: 'daemonSet', json: { metadata: PLAIN, spec: { template: TEMPLATE } } },
  {
    kind: 'podDisruptionBudget',
    json: {
      metadata: PLAIN,
      spec: { selector: SELECTOR, unhealthyPodEvictionPolicy: 'AlwaysAllow', minAvailable: 2, maxUnavailable: '25%' },
      status: { disruptionsAllowed: 1, currentHealthy: 3, desiredHealthy: 2, expectedPods: 4, conditions: [CONDITION] },
    },
  },
  {
    kind: 'persistentVolumeClaim',
    json: {
      metadata: { ...PLAIN, deletionTimestamp: LATER, annotations: { 'pv.kubernetes.io/bind-completed': 'yes' } },
      spec: { volumeName: 'disk-1', storageClassName: 'fast', accessModes: ['ReadWriteOncePod'] },
      status: { phase: 'Lost' },
    },
  },
  {
    kind: 'persistentVolumeClaim',
    json: {
      metadata: { ...PLAIN, annotations: { 'volume.kubernetes.io/selected-node': 'node-2' } },
      spec: {
        accessModes: ['ReadWriteOnce'],
        resources: { requests: { storage: '5Gi' } },
        volumeMode: 'Block',
        selector: { matchLabels: { disk: 'fast' } },
      },
    },
  },
  {
    kind: 'persistentVolume',
    json: {
      metadata: { name: 'disk-1', uid: 'u', deletionTimestamp: LATER, labels: { 'topology.kubernetes.io/zone': 'eastus-1' } },
      spec: {
        csi: { driver: 'disk.csi.azure.com' },
        nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions: [REQUIREMENT] }] } },
      },
    },
  },
  {
    kind: 'persistentVolume',
    json: {
      metadata: { name: 'local-1', uid: 'u', labels: { disk: 'fast' } },
      spec: {
        storageClassName: 'local',
        capacity: { storage: '5Gi' },
        accessModes: ['ReadWriteOnce'],
        volumeMode: 'Block',
        claimRef: { namespace: 'shop', name: 'data', uid: 'c' },
      },
      status: { phase: 'Available' },
    },
  },
  { kind: 'persistentVolume', json: { metadata: { name: 'disk-1', uid: 'u' }, spec: { azureDisk: {} } } },
  { kind: 'persistentVolume', json: { metadata: { name: 'share-1', uid: 'u' }, spec: { azureFile: {} } } },
  {
    kind: 'storageClass',
    json: {
      metadata: {
        name: 'fast',
        uid: 'u',
        creationTimestamp: TIME,
        annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' },
      },
      provisioner: 'disk.csi.azure.com',
      volumeBindingMode: 'WaitForFirstConsumer',
      allowedTopologies: [{ matchLabelExpressions: [{ key: 'zone', values: ['1'] }] }],
    },
  },
  {
    kind: 'csiNode',
    json: { metadata: { name: 'node-1', uid: 'u' }, spec: { drivers: [{ name: 'disk.csi.azure.com', allocatable: { count: 8 } }] } },
  },
  {
    kind: 'volumeAttachment',
    json: { metadata: { name: 'csi-1', uid: 'u' }, spec: { nodeName: 'node-1', source: { persistentVolumeName: 'disk-1' } } },
  },
  { kind: 'namespace', json: { metadata: { name: 'shop', uid: 'u', labels: { team: 'a' } } } },
  {
    kind: 'nodeOverlay',
    json: {
      metadata: { ...META, name: 'cheaper' },
      spec: { requirements: [REQUIREMENT], price: '1.5', priceAdjustment: '-10%', capacity: { 'example.com/x': '2' }, weight: 3 },
      status: { conditions: [CONDITION] },
    },
  },
  {
    kind: 'capacityBuffer',
    json: {
      metadata: { ...META, name: 'spare', namespace: 'shop' },
      spec: {
        provisioningStrategy: 'other',
        podTemplateRef: { name: 'web' },
        scalableRef: { apiGroup: 'apps', kind: 'Deployment', name: 'web' },
        replicas: 2,
        percentage: 20,
        limits: { cpu: '10' },
      },
      status: {
        podTemplateRef: { name: 'web' },
        podTemplateGeneration: 2,
        replicas: 3,
        provisioningStrategy: 'other',
        conditions: [CONDITION],
      },
    },
  },
  { kind: 'podTemplate', json: { metadata: { ...PLAIN, generation: 2 }, template: TEMPLATE } },
  { kind: 'deployment', json: { metadata: PLAIN, spec: SHARED_SPEC } },
  { kind: 'statefulSet', json: { metadata: PLAIN, spec: SHARED_SPEC } },
  { kind: 'replicaSet', json: { metadata: PLAIN, spec: SHARED_SPEC } },
  { kind: 'replicationController', json: { metadata: PLAIN, spec: { ...SHARED_SPEC, selector: { app: 'web' } } } },
  { kind: 'service', json: { metadata: PLAIN, spec: { selector: { app: 'web' } } } },
]
