/** Objects in which every member that is read differs from its default. */
import {
  CLASS,
  CONDITION,
  type FullObject,
  GROUPED,
  LATER,
  META,
  NOMINATED,
  PLAIN,
  POD,
  REQUIREMENT,
  RESIZED,
  RESIZED_AS_A_WHOLE,
  SELECTOR,
  SHARED_SPEC,
  TAINT,
  TEMPLATE,
  TIME,
  WHOLE,
} from './fullPods.ts'

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
        osDiskType: 'Managed',
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
