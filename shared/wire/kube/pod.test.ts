import { describe, expect, it } from 'vitest'
import type { Pod } from '../../model/pod.ts'
import { objectFromKube } from './object.ts'
import { podFromKube } from './pod.ts'

const TIME = '2026-01-01T00:00:00Z'
const AT = Date.parse(TIME)

const kube = (spec: object = {}, status: object = {}, metadata: object = {}): unknown => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'web', namespace: 'shop', uid: 'u', creationTimestamp: TIME, ...metadata },
  spec: { containers: [{ name: 'main' }], ...spec },
  status,
})

function parsed(json: unknown): Pod {
  const result = podFromKube(json)
  if (!result.ok) throw new Error(result.error.message)
  return result.value
}

describe('a pod that was given more than it asks for', () => {
  it('takes what it was given', () => {
    const given = { resources: { requests: { memory: '3Gi' } }, allocatedResources: { cpu: '2' } }
    expect(parsed(kube({ resources: { requests: { cpu: '1', memory: '1Gi' } } }, given)).requests).toEqual({
      cpu: 2_000,
      memory: 3 * 2 ** 30,
      pods: 1,
    })
  })
})

describe('the nominated node of a pod', () => {
  const status = { nominatedNodeName: 'node-2' }
  const owned = (fields: object): object => ({ manager: 'kube-scheduler', time: TIME, fieldsV1: { 'f:status': fields } })

  it('has the time at which its owner wrote it', () => {
    const managedFields = [owned({ 'f:conditions': {} }), { ...owned({ 'f:nominatedNodeName': {} }), time: '2026-01-01T00:00:07Z' }]
    expect(parsed(kube({}, status, { managedFields }))).toMatchObject({ nominatedNodeName: 'node-2', nominatedAt: AT + 7_000 })
  })

  it.each([[], [owned({})], [{ manager: 'x' }], 'unreadable', [7]])(
    'has no time where the API server does not tell one: %j',
    (managedFields) => {
      const { nominatedNodeName, nominatedAt } = parsed(kube({}, status, { managedFields }))
      expect([nominatedNodeName, nominatedAt]).toEqual(['node-2', undefined])
    },
  )

  it('is none once the pod is bound', () => {
    expect(parsed(kube({ nodeName: 'node-2' }, status))).not.toHaveProperty('nominatedNodeName')
  })
})

describe('tolerations', () => {
  const standard = ['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable'].map((key) => ({
    key,
    operator: 'Exists',
    effect: 'NoExecute',
    tolerationSeconds: 300,
  }))

  it('that every pod has are one list in memory', () => {
    expect(parsed(kube({ tolerations: standard })).tolerations).toBe(parsed(kube({ tolerations: [...standard] })).tolerations)
  })

  it.each([{ key: 'other' }, { operator: 'Lt' }, { effect: 'NoSchedule' }, { tolerationSeconds: 30 }, { value: 'a' }])(
    'that differ in one member are not taken for those: %j',
    (change) => {
      for (const index of [0, 1]) {
        const tolerations = standard.with(index, { ...standard[index], ...change } as (typeof standard)[number])
        expect(parsed(kube({ tolerations })).tolerations).toEqual(tolerations)
      }
      expect(parsed(kube({ tolerations: standard.slice(1) })).tolerations).toEqual(standard.slice(1))
    },
  )
})

describe('a pod', () => {
  it('with nothing special has the usual values', () => {
    expect(parsed(kube())).toEqual({
      key: 'shop/web',
      uid: 'u',
      labels: {},
      annotations: {},
      createdAt: AT,
      phase: 'Pending',
      schedulerName: 'default-scheduler',
      schedulingGates: [],
      requests: { pods: 1 },
      nodeSelector: {},
      preferredNodeTerms: [],
      tolerations: [],
      topologySpread: [],
      podAffinity: { required: [], preferred: [] },
      podAntiAffinity: { required: [], preferred: [] },
      hostPorts: [],
      volumes: [],
      resourceClaims: [],
      priority: 0,
      preemptionPolicy: 'PreemptLowerPriority',
    })
  })

  const table: { [name: string]: { json: unknown; want: Partial<Pod> } } = {
    'is unschedulable by the reason of the condition, whatever its status': {
      json: kube({}, { conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', lastTransitionTime: TIME }] }),
      want: { unschedulableSince: AT as Pod['createdAt'] },
    },
    'was bound when its condition says so': {
      json: kube({}, { conditions: [{ type: 'PodScheduled', status: 'True', lastTransitionTime: TIME }] }),
      want: { scheduledAt: AT as Pod['createdAt'] },
    },
    'has a start where a time of protection runs from it': {
      json: kube({}, { startTime: TIME }, { annotations: { 'karpenter.sh/do-not-disrupt': '10m' } }),
      want: { annotations: { 'karpenter.sh/do-not-disrupt': '10m' }, startedAt: AT as Pod['createdAt'] },
    },
    'has no start where nothing depends on it': { json: kube({}, { startTime: TIME }), want: {} },
    'is unready while it runs and says so': {
      json: kube({}, { phase: 'Running', conditions: [{ type: 'Ready', status: 'False' }] }),
      want: { phase: 'Running', isUnready: true },
    },
    'is not called unready before it runs': {
      json: kube({}, { phase: 'Pending', conditions: [{ type: 'Ready', status: 'False' }] }),
      want: { phase: 'Pending' },
    },
    'is ready when it says so': {
      json: kube({}, { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] }),
      want: { phase: 'Running' },
    },
    'is owned by its controller, not by the first in the list': {
      json: kube(
        {},
        {},
        {
          ownerReferences: [
            { apiVersion: 'v1', kind: 'Thing', name: 'a', uid: '1' },
            { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'b', uid: '2', controller: true },
          ],
        },
      ),
      want: { owner: { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'b', uid: '2' as Pod['uid'] } },
    },
    'says of the first owner that it does not control the pod, where none does': {
      json: kube(
        {},
        {},
        {
          ownerReferences: [
            { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'a', uid: '1' },
            { apiVersion: 'v1', kind: 'Thing', name: 'b', uid: '2', controller: false },
          ],
        },
      ),
      want: { owner: { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'a', uid: '1' as Pod['uid'], controls: false } },
    },
    'keeps the annotations decisions depend on, and no others': {
      json: kube(
        {},
        {},
        {
          annotations: {
            'karpenter.sh/do-not-disrupt': 'true',
            'example.com/note': 'x',
            'controller.kubernetes.io/pod-deletion-cost': '5',
          },
        },
      ),
      want: { annotations: { 'karpenter.sh/do-not-disrupt': 'true', 'controller.kubernetes.io/pod-deletion-cost': '5' } },
    },
    'requests what its containers do, sidecars and overhead included': {
      json: kube({
        containers: [{ name: 'a', resources: { requests: { cpu: '250m', memory: '1Gi' }, limits: { cpu: '2', 'example.com/x': 1 } } }],
        initContainers: [{ name: 's', restartPolicy: 'Always', resources: { requests: { cpu: '0.1' } } }],
        overhead: { memory: '1Mi' },
      }),
      want: { requests: { cpu: 350, memory: 1_074_790_400, pods: 1 } },
    },
    'requests what it holds while a resize in place shrinks it': {
      json: kube(
        { containers: [{ name: 'a', resources: { requests: { cpu: '1' } } }] },
        { containerStatuses: [{ name: 'a', resources: { requests: { cpu: '2' } }, allocatedResources: { cpu: '3' } }] },
      ),
      want: { requests: { cpu: 3000, pods: 1 } },
    },
    'requests what it holds when a resize in place cannot be done': {
      json: kube(
        { containers: [{ name: 'a', resources: { requests: { cpu: '5' } } }] },
        {
          containerStatuses: [{ name: 'a', resources: { requests: { cpu: '2' } } }],
          conditions: [{ type: 'PodResizePending', status: 'True', reason: 'Infeasible' }],
        },
      ),
      want: { requests: { cpu: 2000, pods: 1 } },
    },
    'tolerates without an operator by value': {
      json: kube({
        tolerations: [
          { key: 'a', value: 'b' },
          { key: 'c', operator: 'Exists', effect: '' },
        ],
      }),
      want: {
        tolerations: [
          { key: 'a', operator: 'Equal', value: 'b' },
          { key: 'c', operator: 'Exists' },
        ],
      },
    },
    'has host ports of containers and sidecars, not of init containers': {
      json: kube({
        containers: [
          { name: 'a', ports: [{ containerPort: 80, hostPort: 8080, protocol: 'UDP', hostIP: '10.0.0.1' }, { containerPort: 81 }] },
        ],
        initContainers: [
          { name: 's', restartPolicy: 'Always', ports: [{ containerPort: 9, hostPort: 9 }] },
          { name: 'i', ports: [{ containerPort: 7, hostPort: 7 }] },
        ],
      }),
      want: {
        hostPorts: [
          { ip: '10.0.0.1', port: 8080, protocol: 'UDP' },
          { ip: '0.0.0.0', port: 9, protocol: 'TCP' },
        ],
      },
    },
    'on the network of its host takes its ports there': {
      json: kube({ hostNetwork: true, containers: [{ name: 'a', ports: [{ containerPort: 80 }] }] }),
      want: { hostPorts: [{ ip: '0.0.0.0', port: 80, protocol: 'TCP' }] },
    },
    'has the volumes that can tie it to a place': {
      json: kube({
        volumes: [
          { name: 'a', emptyDir: {} },
          { name: 'b', persistentVolumeClaim: { claimName: 'data' } },
          { name: 'c', ephemeral: { volumeClaimTemplate: { spec: { storageClassName: 'fast' } } } },
          { name: 'd', csi: { driver: 'secrets-store' } },
          { name: 'e', azureDisk: { diskName: 'x' } },
        ],
      }),
      want: {
        volumes: [
          { kind: 'claim', claimName: 'data' },
          { kind: 'ephemeral', claimName: 'web-c', storageClassName: 'fast' },
          { kind: 'csi', driver: 'secrets-store' },
          { kind: 'other', type: 'azureDisk' },
        ],
      },
    },
    'has its gates and claims by name': {
      json: kube({ schedulingGates: [{ name: 'g' }], resourceClaims: [{ name: 'r', resourceClaimName: 'x' }] }),
      want: { schedulingGates: ['g'], resourceClaims: ['r'] },
    },
    'has its node affinity, and null members count as absent': {
      json: kube({
        affinity: {
          nodeAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: {
              nodeSelectorTerms: [{ matchExpressions: [{ key: 'a', operator: 'Exists', values: null }] }],
            },
            preferredDuringSchedulingIgnoredDuringExecution: [
              { weight: 5, preference: { matchFields: [{ key: 'metadata.name', operator: 'In', values: ['n'] }] } },
            ],
          },
          podAffinity: null,
          podAntiAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: 'zone', labelSelector: { matchLabels: { a: 'b' } } }],
            preferredDuringSchedulingIgnoredDuringExecution: [
              { weight: 1, podAffinityTerm: { topologyKey: 'host', namespaceSelector: {} } },
            ],
          },
        },
      }),
      want: {
        requiredNodeTerms: [{ matchExpressions: [{ key: 'a', operator: 'Exists', values: [] }], matchFields: [] }],
        preferredNodeTerms: [
          { weight: 5, term: { matchExpressions: [], matchFields: [{ key: 'metadata.name', operator: 'In', values: ['n'] }] } },
        ],
        podAntiAffinity: {
          required: [
            {
              topologyKey: 'zone',
              selector: { matchLabels: { a: 'b' }, matchExpressions: [] },
              namespaces: [],
              matchLabelKeys: [],
              mismatchLabelKeys: [],
            },
          ],
          preferred: [
            {
              weight: 1,
              term: {
                topologyKey: 'host',
                namespaceSelector: { matchLabels: {}, matchExpressions: [] },
                namespaces: [],
                matchLabelKeys: [],
                mismatchLabelKeys: [],
              },
            },
          ],
        },
      },
    },
    'has its spread with the usual policies': {
      json: kube({ topologySpreadConstraints: [{ maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'DoNotSchedule' }] }),
      want: {
        topologySpread: [
          {
            maxSkew: 1,
            topologyKey: 'zone',
            whenUnsatisfiable: 'DoNotSchedule',
            nodeAffinityPolicy: 'Honor',
            nodeTaintsPolicy: 'Ignore',
            matchLabelKeys: [],
          },
        ],
      },
    },
  }
  for (const [name, { json, want }] of Object.entries(table)) it(name, () => expect(parsed(json)).toMatchObject(want))
})

describe('a DaemonSet', () => {
  it('is the pod its template makes, with limits standing for requests that are not there', () => {
    const result = objectFromKube('daemonSet', {
      metadata: { name: 'agent', namespace: 'kube-system', uid: 'd', labels: { of: 'the set' } },
      spec: {
        template: {
          metadata: { labels: { app: 'agent' } },
          spec: { containers: [{ name: 'a', resources: { limits: { cpu: '1', memory: '1Mi' }, requests: { cpu: '100m' } } }] },
        },
      },
    })
    expect(result).toMatchObject({
      ok: true,
      value: {
        key: 'kube-system/agent',
        uid: 'd',
        pod: {
          key: 'kube-system/agent',
          labels: { app: 'agent' },
          owner: { apiVersion: 'apps/v1', kind: 'DaemonSet', name: 'agent', uid: 'd' },
          requests: { cpu: 100, memory: 1_048_576, pods: 1 },
        },
      },
    })
  })
})
