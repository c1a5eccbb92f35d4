import type { ObjectKind } from '../../model/clusterObjects.ts'
import { LABEL, TAINT_KEY } from '../../model/labels.ts'
import type { Kept, KeptMembers, KeptRule, Test } from './kept.ts'
import { CONDITION, has, NAMED, NAMESPACED, NODE_CLASS_REF, nodeMeta, REQUIREMENT, RESOURCE_META, SELECTOR, TAINT } from './keptParts.ts'
import { NODE_TERMS, POD, podTemplateAt } from './keptPod.ts'

/** Only the node of a machine that joins keeps its resource version, so that it can be patched without another read. Heartbeats change the version. */
const JOINING: readonly KeptRule[] = [
  has('metadata', 'labels', LABEL.nodePool),
  has('metadata', 'labels', LABEL.nodeClass),
  { at: ['spec', 'taints', 'key'], is: [TAINT_KEY.unregistered] } satisfies Test,
].map((ours) => ({
  when: [ours, { at: ['metadata', 'labels', LABEL.initialized], not: ['true'] }, { at: ['metadata', 'deletionTimestamp'], is: [null] }],
  keep: true,
}))

const CLAIM_SPEC: KeptMembers = {
  nodeClassRef: NODE_CLASS_REF,
  requirements: REQUIREMENT,
  taints: TAINT,
  startupTaints: TAINT,
  expireAfter: true,
  terminationGracePeriod: true,
}

const WORKLOAD: Kept = { metadata: NAMESPACED, spec: { replicas: true, selector: SELECTOR, template: podTemplateAt('spec', 'template') } }

const BUFFER_POD: KeptMembers = { name: true }

/** What the app reads of each kind. `keptPaths.test.ts` compares this with what the readers ask for. */
export const KEPT_PATHS: { readonly [Kind in ObjectKind]: Kept } = {
  pod: POD,
  node: {
    metadata: nodeMeta(JOINING),
    spec: { providerID: true, taints: TAINT, unschedulable: true },
    status: { capacity: true, allocatable: true, conditions: CONDITION, nodeInfo: { kubeletVersion: true } },
  },
  nodeClaim: {
    metadata: RESOURCE_META,
    spec: { ...CLAIM_SPEC, resources: { requests: true } },
    status: {
      conditions: CONDITION,
      nodeName: true,
      providerID: true,
      imageID: true,
      capacity: true,
      allocatable: true,
      lastPodEventTime: true,
    },
  },
  nodePool: {
    metadata: RESOURCE_META,
    spec: {
      template: { metadata: { labels: true, annotations: true }, spec: CLAIM_SPEC },
      disruption: {
        consolidationPolicy: true,
        consolidateAfter: true,
        budgets: { nodes: true, schedule: true, duration: true, reasons: true },
      },
      limits: true,
      weight: true,
      replicas: true,
    },
    status: { conditions: CONDITION, resources: true, nodes: true, nodeClassObservedGeneration: true },
  },
  nodeClass: {
    metadata: RESOURCE_META,
    spec: {
      vnetSubnetID: true,
      osDiskSizeGB: true,
      osDiskType: true,
      imageFamily: true,
      fipsMode: true,
      tags: true,
      maxPods: true,
      kubelet: {
        cpuManagerPolicy: true,
        cpuCFSQuota: true,
        cpuCFSQuotaPeriod: true,
        imageGCHighThresholdPercent: true,
        imageGCLowThresholdPercent: true,
        topologyManagerPolicy: true,
        allowedUnsafeSysctls: true,
        containerLogMaxSize: true,
        containerLogMaxFiles: true,
        podPidsLimit: true,
        failSwapOn: true,
      },
      gpu: { mode: true },
      security: { encryptionAtHost: true, trustedLaunch: { vtpm: true, secureBoot: true } },
      artifactStreaming: { enabled: true },
      localDNS: true,
      linuxOSConfig: true,
    },
    status: {
      conditions: CONDITION,
      kubernetesVersion: true,
      images: { id: true, requirements: REQUIREMENT },
      localDNSState: true,
    },
  },
  daemonSet: { metadata: NAMESPACED, spec: { template: podTemplateAt('spec', 'template') } },
  podDisruptionBudget: {
    metadata: NAMESPACED,
    spec: { selector: SELECTOR, unhealthyPodEvictionPolicy: true, minAvailable: true, maxUnavailable: true },
    status: { disruptionsAllowed: true, currentHealthy: true, desiredHealthy: true, expectedPods: true, conditions: CONDITION },
  },
  persistentVolumeClaim: {
    metadata: {
      ...NAMESPACED,
      deletionTimestamp: true,
      annotations: { 'pv.kubernetes.io/bind-completed': true, 'volume.kubernetes.io/selected-node': true },
    },
    spec: {
      volumeName: true,
      storageClassName: true,
      accessModes: true,
      resources: { requests: true },
      volumeMode: true,
      selector: SELECTOR,
    },
    status: { phase: true },
  },
  persistentVolume: {
    metadata: { ...NAMED, deletionTimestamp: true, labels: true },
    spec: {
      azureDisk: {},
      azureFile: {},
      csi: { driver: true },
      nodeAffinity: { required: NODE_TERMS },
      storageClassName: true,
      capacity: true,
      accessModes: true,
      volumeMode: true,
      claimRef: { namespace: true, name: true, uid: true },
    },
    status: { phase: true },
  },
  storageClass: {
    metadata: { ...NAMED, creationTimestamp: true, annotations: { 'storageclass.kubernetes.io/is-default-class': true } },
    provisioner: true,
    volumeBindingMode: true,
    allowedTopologies: { matchLabelExpressions: { key: true, values: true } },
  },
  csiNode: { metadata: NAMED, spec: { drivers: { name: true, allocatable: { count: true } } } },
  volumeAttachment: { metadata: NAMED, spec: { nodeName: true, source: { persistentVolumeName: true } } },
  namespace: { metadata: { ...NAMED, labels: true } },
  nodeOverlay: {
    metadata: RESOURCE_META,
    spec: { requirements: REQUIREMENT, price: true, priceAdjustment: true, capacity: true, weight: true },
    status: { conditions: CONDITION },
  },
  capacityBuffer: {
    metadata: { ...RESOURCE_META, namespace: true },
    spec: {
      provisioningStrategy: true,
      podTemplateRef: BUFFER_POD,
      scalableRef: { apiGroup: true, kind: true, name: true },
      replicas: true,
      percentage: true,
      limits: true,
    },
    status: {
      podTemplateRef: BUFFER_POD,
      podTemplateGeneration: true,
      replicas: true,
      provisioningStrategy: true,
      conditions: CONDITION,
    },
  },
  podTemplate: { metadata: { ...NAMESPACED, generation: true }, template: podTemplateAt('template') },
  deployment: WORKLOAD,
  statefulSet: WORKLOAD,
  replicaSet: WORKLOAD,
  replicationController: { ...WORKLOAD, spec: { replicas: true, selector: true, template: podTemplateAt('spec', 'template') } },
  service: { metadata: NAMESPACED, spec: { selector: true } },
}
