import { realisticPod } from '../../../../bench/shimPods.ts'
import { LABEL, TAINT_KEY } from '../../../model/labels.ts'
import { FULL_OBJECTS } from '../../kube/testing/fullObjects.ts'
import type { FullObject } from '../../kube/testing/fullPods.ts'

type Json = FullObject['json']

const NAMED = { name: 'web', namespace: 'shop', uid: 'u' }
const TIME = '2026-01-01T00:00:00Z'
const NOMINATION = { time: TIME, fieldsV1: { 'f:status': { 'f:nominatedNodeName': {} } } }
const FIELDS = { time: TIME, manager: 'kubelet', fieldsV1: { 'f:status': { 'f:phase': {} } } }

function pod(json: { readonly metadata?: Json; readonly spec?: Json; readonly status?: Json }): FullObject {
  return { kind: 'pod', json: { metadata: { ...NAMED, ...json.metadata }, spec: json.spec ?? {}, status: json.status ?? {} } }
}

const VOLUMES = ['configMap', 'secret', 'emptyDir', 'projected', 'hostPath', 'iscsi', 'persistentVolumeClaim', 'csi', 'ephemeral'].map(
  (type) => ({
    name: `a-${type}`,
    [type]: { claimName: 'data', driver: 'disk', secretName: 's' },
  }),
)

const PORTS = [
  { containerPort: 80, protocol: 'TCP' },
  { containerPort: 81, hostPort: 81, hostIP: '10.0.0.1' },
]

const PREFERRED = 'preferredDuringSchedulingIgnoredDuringExecution'
const EXPRESSION = { key: 'a', operator: 'In', values: ['b'], minValues: 1 }
const SELECTOR = { matchLabels: { a: 'b' }, matchExpressions: [EXPRESSION] }

function joiningNode(labels: Json, taints: readonly Json[], more: Json = {}): FullObject {
  const metadata = { name: 'node-1', uid: 'u', resourceVersion: '77', labels, ...more }
  const condition = { type: 'Ready', status: 'True', lastHeartbeatTime: TIME, lastTransitionTime: TIME }
  return { kind: 'node', json: { metadata, spec: { taints }, status: { conditions: [condition], images: [{ names: ['a'] }] } } }
}

const UNREGISTERED = { key: TAINT_KEY.unregistered, effect: 'NoExecute' }
const APPLIED = { 'kubectl.kubernetes.io/last-applied-configuration': '{"a":"a-secret"}', 'example.com/a': 'b' }

const OTHERS: readonly FullObject[] = [
  { kind: 'pod', json: realisticPod(1) as Json },
  { kind: 'pod', json: realisticPod(2, { pending: true }) as Json },
  pod({ spec: { volumes: VOLUMES }, status: { startTime: TIME, phase: 'Running' } }),
  pod({ spec: { containers: [{ name: 'a', ports: PORTS }], initContainers: [{ name: 'b', restartPolicy: 'Never', ports: PORTS }] } }),
  pod({
    spec: {
      resources: { requests: { cpu: '2' }, limits: { cpu: '3', memory: '1Gi' } },
      affinity: {
        nodeAffinity: { [PREFERRED]: [{ weight: 1, preference: { matchFields: [EXPRESSION], matchExpressions: [EXPRESSION] } }] },
        podAffinity: { [PREFERRED]: [{ weight: 1, podAffinityTerm: { topologyKey: 'zone', namespaceSelector: SELECTOR } }] },
        podAntiAffinity: { [PREFERRED]: [{ weight: 1, podAffinityTerm: { topologyKey: 'zone', namespaceSelector: SELECTOR } }] },
      },
    },
  }),
  pod({
    spec: { hostNetwork: true, containers: [{ name: 'a', ports: PORTS }], initContainers: [{ restartPolicy: 'Always', ports: PORTS }] },
  }),
  pod({ metadata: { managedFields: [FIELDS, NOMINATION, FIELDS] }, status: { nominatedNodeName: 'node-2' } }),
  pod({ metadata: { managedFields: [NOMINATION] }, spec: { nodeName: 'node-1' }, status: { nominatedNodeName: 'node-2' } }),
  pod({
    spec: { containers: [{ name: 'a', resources: { requests: { cpu: '2' } } }] },
    status: {
      phase: 'Running',
      conditions: [
        { type: 'PodResizePending', status: 'True', reason: 'Infeasible', message: 'a-secret' },
        { type: 'Ready', status: 'False', lastTransitionTime: TIME },
        { type: 'Initialized', status: 'True' },
      ],
      containerStatuses: [{ name: 'a', image: 'a', resources: { requests: { cpu: '1' } }, allocatedResources: { cpu: '1' } }],
    },
  }),
  pod({
    metadata: { ownerReferences: ['a', 'b'].map((name) => ({ apiVersion: 'v1', kind: 'K', name, uid: name, controller: name === 'b' })) },
  }),
  joiningNode({ [LABEL.nodePool]: 'default' }, []),
  joiningNode({ [LABEL.nodeClass]: 'default' }, []),
  joiningNode({}, [{ key: 'a', effect: 'NoSchedule' }, UNREGISTERED]),
  joiningNode({}, []),
  joiningNode({}, [], { annotations: { 'karpenter.azure.com/a': 'b', 'joiner.dev/a': 'b', 'network.example.com/a': 'a-secret' } }),
  { kind: 'persistentVolumeClaim', json: { metadata: NAMED, spec: { selector: SELECTOR, volumeMode: 'Block' } } },
  joiningNode({ [LABEL.nodePool]: 'default', [LABEL.initialized]: 'true' }, []),
  joiningNode({ [LABEL.nodePool]: 'default' }, [], { deletionTimestamp: TIME }),
  {
    kind: 'persistentVolume',
    json: {
      metadata: { name: 'disk-1', uid: 'u' },
      spec: { nodeAffinity: { required: { nodeSelectorTerms: [{ matchFields: [EXPRESSION] }] } } },
    },
  },
  {
    kind: 'nodePool',
    json: {
      metadata: { name: 'default', uid: 'u', annotations: APPLIED, managedFields: [FIELDS] },
      spec: { template: { spec: { nodeClassRef: { group: 'g', kind: 'k', name: 'n' } } } },
    },
  },
]

const PODS = [...FULL_OBJECTS, ...OTHERS].filter(({ kind }) => kind === 'pod')

/** Each pod as the template of each kind that has one. */
const TEMPLATES: readonly FullObject[] = PODS.flatMap(({ json: { metadata, spec } }) => {
  const template = { metadata, spec }
  const json = { metadata: NAMED, spec: { template } }
  const workloads = (['daemonSet', 'deployment', 'statefulSet', 'replicaSet', 'replicationController'] as const).map((kind) => ({
    kind,
    json,
  }))
  return [{ kind: 'podTemplate', json: { metadata: NAMED, template } }, ...workloads]
})

/** Objects of which lists keep a part by their tests, beside those of `FULL_OBJECTS`. */
export const SAMPLES: readonly FullObject[] = [...OTHERS, ...TEMPLATES]
