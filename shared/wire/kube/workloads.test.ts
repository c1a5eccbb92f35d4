import { describe, expect, it } from 'vitest'
import type { ObjectByKind, ObjectKind } from '../../model/clusterObjects.ts'
import { objectFromKube } from './object.ts'

const inNamespace = { name: 'x', namespace: 'ns', uid: 'u' }
const atCluster = { name: 'x', uid: 'u' }
const terms = [{ matchExpressions: [{ key: 'zone', operator: 'In', values: ['1'] }] }]

type Case<Kind extends ObjectKind> = { readonly kind: Kind; readonly json: unknown; readonly want: Partial<ObjectByKind[Kind]> | object }

describe('what is read of', () => {
  const table: { [name: string]: Case<ObjectKind> } = {
    'a disruption budget': {
      kind: 'podDisruptionBudget',
      json: {
        metadata: inNamespace,
        spec: { selector: { matchLabels: { a: 'b' } }, unhealthyPodEvictionPolicy: 'AlwaysAllow', minAvailable: '50%', maxUnavailable: 1 },
        status: { disruptionsAllowed: 2 },
      },
      want: {
        key: 'ns/x',
        uid: 'u',
        selector: { matchLabels: { a: 'b' }, matchExpressions: [] },
        disruptionsAllowed: 2,
        unhealthyPodEvictionPolicy: 'AlwaysAllow',
        conditions: [],
        minAvailable: '50%',
        maxUnavailable: '1',
      },
    },
    'PB-02 a disruption budget that says nothing of pods that are not ready': {
      kind: 'podDisruptionBudget',
      json: { metadata: inNamespace, spec: { maxUnavailable: 0 } },
      want: {
        ...{ key: 'ns/x', uid: 'u', disruptionsAllowed: 0, conditions: [] },
        unhealthyPodEvictionPolicy: 'IfHealthyBudget',
        maxUnavailable: '0',
      },
    },
    'a volume claim that is being deleted': {
      kind: 'persistentVolumeClaim',
      json: { metadata: { ...inNamespace, deletionTimestamp: '2026-01-01T00:00:00Z' }, spec: { volumeName: 'v', storageClassName: '' } },
      want: { key: 'ns/x', uid: 'u', volumeName: 'v', storageClassName: '', deleted: true, isBinding: true },
    },
    'a volume claim that is bound': {
      kind: 'persistentVolumeClaim',
      json: {
        metadata: { ...inNamespace, annotations: { 'pv.kubernetes.io/bind-completed': 'yes' } },
        spec: { volumeName: 'v' },
        status: { phase: 'Bound' },
      },
      want: { key: 'ns/x', uid: 'u', volumeName: 'v', deleted: false },
    },
    'a volume claim whose volume is gone': {
      kind: 'persistentVolumeClaim',
      json: { metadata: inNamespace, spec: {}, status: { phase: 'Lost' } },
      want: { key: 'ns/x', uid: 'u', deleted: false, isLost: true, asks: { storage: 0, accessModes: [] } },
    },
    'a volume that is being deleted': {
      kind: 'persistentVolume',
      json: { metadata: { ...atCluster, deletionTimestamp: '2026-01-01T00:00:00Z' }, spec: { local: { path: '/mnt' } } },
      want: { name: 'x', uid: 'u', deleted: true },
    },
    'a volume of a driver': {
      kind: 'persistentVolume',
      json: { metadata: atCluster, spec: { csi: { driver: 'd' }, nodeAffinity: { required: { nodeSelectorTerms: terms } } } },
      want: { name: 'x', uid: 'u', driver: 'd', nodeTerms: [{ ...terms[0], matchFields: [] }] },
    },
    'a volume of the plugin that a driver replaced': {
      kind: 'persistentVolume',
      json: { metadata: atCluster, spec: { azureDisk: { diskName: 'x' } } },
      want: { name: 'x', uid: 'u', driver: 'disk.csi.azure.com' },
    },
    'a volume with the label of its zones': {
      kind: 'persistentVolume',
      json: {
        metadata: { ...atCluster, labels: { 'failure-domain.beta.kubernetes.io/zone': 'eastus-1__eastus-2', team: 'a' } },
        spec: { csi: { driver: 'd' } },
      },
      want: {
        name: 'x',
        uid: 'u',
        driver: 'd',
        nodeTerms: [
          {
            matchExpressions: [{ key: 'failure-domain.beta.kubernetes.io/zone', operator: 'In', values: ['eastus-1', 'eastus-2'] }],
            matchFields: [],
          },
        ],
      },
    },
    'a volume with node affinity and the label of its region': {
      kind: 'persistentVolume',
      json: {
        metadata: { ...atCluster, labels: { 'topology.kubernetes.io/region': 'eastus' } },
        spec: { csi: { driver: 'd' }, nodeAffinity: { required: { nodeSelectorTerms: terms } } },
      },
      want: {
        name: 'x',
        uid: 'u',
        driver: 'd',
        nodeTerms: [
          {
            matchExpressions: [
              { key: 'zone', operator: 'In', values: ['1'] },
              { key: 'topology.kubernetes.io/region', operator: 'In', values: ['eastus'] },
            ],
            matchFields: [],
          },
        ],
      },
    },
    'a storage class': {
      kind: 'storageClass',
      json: {
        metadata: {
          ...atCluster,
          creationTimestamp: '1970-01-01T00:00:01Z',
          annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' },
        },
        provisioner: 'p',
        volumeBindingMode: 'WaitForFirstConsumer',
        allowedTopologies: [{ matchLabelExpressions: [{ key: 'zone', values: ['1'] }] }],
      },
      want: {
        name: 'x',
        uid: 'u',
        provisioner: 'p',
        bindingMode: 'WaitForFirstConsumer',
        isDefault: true,
        createdAt: 1000,
        allowedTopologies: [[{ key: 'zone', values: ['1'] }]],
      },
    },
    'the attach limits of a node': {
      kind: 'csiNode',
      json: { metadata: atCluster, spec: { drivers: [{ name: 'a', allocatable: { count: 8 } }, { name: 'b' }] } },
      want: { name: 'x', uid: 'u', limits: { a: 8 }, unlimited: ['b'] },
    },
    'a node without drivers': {
      kind: 'csiNode',
      json: { metadata: atCluster, spec: {} },
      want: { name: 'x', uid: 'u', limits: {} },
    },
    'a namespace': {
      kind: 'namespace',
      json: { metadata: { ...atCluster, labels: { a: 'b' } } },
      want: { name: 'x', uid: 'u', labels: { a: 'b' } },
    },
    'a replication controller': {
      kind: 'replicationController',
      json: { metadata: inNamespace, spec: { selector: { a: 'b' } } },
      want: {
        key: 'ns/x',
        uid: 'u',
        apiVersion: 'v1',
        kind: 'ReplicationController',
        replicas: 1,
        selector: { matchLabels: { a: 'b' }, matchExpressions: [] },
      },
    },
    'a service': {
      kind: 'service',
      json: { metadata: inNamespace, spec: { selector: { a: 'b' }, ports: [{ port: 80 }], clusterIP: '10.0.0.7' } },
      want: { key: 'ns/x', uid: 'u', selector: { a: 'b' } },
    },
    'a service that finds nothing': {
      kind: 'service',
      json: { metadata: inNamespace, spec: { selector: {} } },
      want: { key: 'ns/x', uid: 'u' },
    },
  }
  for (const [name, { kind, json, want }] of Object.entries(table))
    it(name, () => expect(objectFromKube(kind, json)).toEqual({ ok: true, value: want }))
})

describe('a node class', () => {
  const spec = {
    vnetSubnetID: 's',
    osDiskSizeGB: 64,
    osDiskType: 'Managed',
    imageFamily: 'AzureLinux',
    fipsMode: 'FIPS',
    tags: { a: 'b' },
    maxPods: 110,
    kubelet: { cpuCFSQuota: false, imageGCHighThresholdPercent: 80, allowedUnsafeSysctls: ['net.*'], failSwapOn: false },
    gpu: { mode: 'None' },
    security: { encryptionAtHost: true, trustedLaunch: { vtpm: true } },
    artifactStreaming: { enabled: true },
    localDNS: { mode: 'Preferred' },
    linuxOSConfig: { swapFileSize: '1Gi' },
  }
  it('has everything its machines are made from', () => {
    expect(
      objectFromKube('nodeClass', {
        metadata: atCluster,
        spec,
        status: { kubernetesVersion: '1.34.1', images: [{ id: 'i', requirements: [] }] },
      }),
    ).toMatchObject({
      ok: true,
      value: {
        spec: {
          vnetSubnetId: 's',
          osDiskSizeGb: 64,
          osDiskType: 'Managed',
          imageFamily: 'AzureLinux',
          fipsMode: 'FIPS',
          tags: { a: 'b' },
          maxPods: 110,
          kubelet: { cpuCfsQuota: false, imageGcHighThresholdPercent: 80, allowedUnsafeSysctls: ['net.*'], failSwapOn: false },
          gpuMode: 'None',
          encryptionAtHost: true,
          trustedLaunch: { vtpm: true },
          artifactStreaming: true,
          localDns: { mode: 'Preferred' },
          linuxOsConfig: { swapFileSize: '1Gi' },
        },
        status: { kubernetesVersion: '1.34.1', images: [{ id: 'i', requirements: [] }], conditions: [] },
      },
    })
  })
  it('that says nothing has the values the API server fills in', () => {
    expect(objectFromKube('nodeClass', { metadata: atCluster })).toMatchObject({
      ok: true,
      value: { spec: { osDiskSizeGb: 128, imageFamily: 'Ubuntu', gpuMode: 'Driver', tags: {}, kubelet: {} } },
    })
  })
})
