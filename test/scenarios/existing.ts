/** Nodes, claims and drafts that are there already. Groups 37.9, 37.10 and 37.12 of the catalogue. */
import { nodeClaimName, nodePoolName, objectKey, uid } from '../../shared/model/ids.ts'
import { LABEL } from '../../shared/model/labels.ts'
import type { NodeClaimDraft } from '../../shared/model/nodeClaim.ts'
import { durationMs } from '../../shared/model/units.ts'
import { hence, MINUTE, NOW, SECOND } from '../builders/clock.ts'
import { condition } from '../builders/condition.ts'
import { daemonSet } from '../builders/daemonSet.ts'
import { instanceType } from '../builders/instanceType.ts'
import { node } from '../builders/node.ts'
import { nodeClaim } from '../builders/nodeClaim.ts'
import { nodeClassRef, nodePool } from '../builders/nodePool.ts'
import { DAEMON_SET, daemonPod, NODE_OWNER, pod, pods, STATEFUL_SET } from '../builders/pod.ts'
import { resources } from '../builders/resources.ts'
import type { Scenarios } from './scenario.ts'

const up = { node: [node()], nodeClaim: [nodeClaim()] }
const NOT_READY = { key: 'node.kubernetes.io/not-ready', effect: 'NoExecute' } as const
const CUSTOM = { key: 'example.com/custom', effect: 'NoSchedule' } as const
const going = { ...up, nodeClaim: [nodeClaim({ meta: { deletedAt: NOW } })] }

export const EXISTING: Scenarios = {
  'a pod goes to the node that has room': {
    given: { objects: { ...up, pod: [pod({ name: 'p' })] } },
    wantClaims: 0,
    wantPromised: { p: 'default-aaaaa' },
  },
  'a pod goes to a node nobody’s claim made': {
    given: { objects: { node: [node({ name: 'own' })], pod: pods(3) } },
    wantClaims: 0,
  },
  'the rest of the pods gets a new claim': {
    given: { objects: { ...up, pod: pods(5, { name: 'p' }) } },
    wantClaims: 1,
    wantPromised: { 'p-0': 'default-aaaaa', 'p-1': 'default-aaaaa', 'p-2': 'default-aaaaa' },
  },
  'bound pods take their room': {
    given: { objects: { ...up, pod: [pod({ name: 'old', cpus: 3, nodeName: 'aks-default-aaaaa' }), pod({ name: 'p' })] } },
    wantClaims: 1,
    wantPromised: {},
  },
  'pods that have ended take none': {
    given: {
      objects: { ...up, pod: [pod({ name: 'old', cpus: 3, nodeName: 'aks-default-aaaaa', phase: 'Succeeded' }), pod({ name: 'p' })] },
    },
    wantPromised: { p: 'default-aaaaa' },
  },
  'an initialized node comes before one that is coming up': {
    given: {
      objects: {
        node: [node({ claim: 'default-aaaaa', initialized: false }), node({ claim: 'default-bbbbb' })],
        nodeClaim: [nodeClaim({ stage: 'registered' }), nodeClaim({ name: 'default-bbbbb' })],
        pod: [pod({ name: 'p' })],
      },
    },
    wantPromised: { p: 'default-bbbbb' },
  },
  'daemons that are still to come keep their room': {
    given: { objects: { ...up, pod: pods(3, { name: 'p' }), daemonSet: [daemonSet({ cpus: 1 })] } },
    wantClaims: 1,
    wantPromised: { 'p-0': 'default-aaaaa', 'p-1': 'default-aaaaa' },
  },
  'daemons that are there already are not counted twice': {
    given: {
      objects: {
        ...up,
        pod: [...pods(2, { name: 'p' }), daemonPod('aks-default-aaaaa', { cpus: 1, owner: { ...DAEMON_SET, uid: uid('uid-ds-agent') } })],
        daemonSet: [daemonSet({ cpus: 1 })],
      },
    },
    wantPromised: { 'p-0': 'default-aaaaa', 'p-1': 'default-aaaaa' },
  },
  'a taint that will go does not count while the node comes up': {
    given: {
      objects: {
        node: [node({ initialized: false, taints: [NOT_READY] })],
        nodeClaim: [nodeClaim({ stage: 'registered' })],
        pod: [pod({ name: 'p' })],
      },
    },
    wantPromised: { p: 'default-aaaaa' },
  },
  'the same taint counts once the node was initialized': {
    given: { objects: { ...up, node: [node({ taints: [NOT_READY] })], pod: [pod({ name: 'p' })] } },
    wantClaims: 1,
  },
  'a startup taint counts only after initialization': {
    given: {
      objects: {
        node: [node({ initialized: false, taints: [CUSTOM] })],
        nodeClaim: [nodeClaim({ stage: 'registered', spec: { startupTaints: [CUSTOM] } })],
        pod: [pod({ name: 'p' })],
      },
    },
    wantPromised: { p: 'default-aaaaa' },
  },
  'a cordoned node takes no pods': {
    given: { objects: { ...up, node: [node({ unschedulable: true })], pod: [pod({ name: 'p' })] } },
    wantClaims: 1,
  },
  'a resource the kubelet does not report yet counts as the claim promised': {
    given: {
      objects: {
        node: [node({ initialized: false, allocatable: resources(3.86, 13, { pods: 110, 'example.com/gpu': 0 }) })],
        nodeClaim: [nodeClaim({ stage: 'registered', status: { allocatable: resources(3.86, 13, { pods: 110, 'example.com/gpu': 1 }) } })],
        pod: [pod({ name: 'p', requests: { cpu: 100, pods: 1, 'example.com/gpu': 1 } })],
      },
    },
    wantPromised: { p: 'default-aaaaa' },
  },
  'a launched claim without a node takes pods': {
    given: { objects: { nodeClaim: [nodeClaim({ stage: 'launched' })], pod: [pod({ name: 'p' })] } },
    wantPromised: { p: 'default-aaaaa' },
  },
  'a launched claim whose status is empty is as large as its size': {
    given: {
      objects: { nodeClaim: [nodeClaim({ stage: 'launched', status: { capacity: {}, allocatable: {} } })], pod: [pod({ name: 'p' })] },
    },
    wantPromised: { p: 'default-aaaaa' },
  },
  'a claim that is not launched takes what its smallest size holds': {
    given: {
      objects: {
        nodeClaim: [nodeClaim({ stage: 'created', spec: sizes('Standard_D2as_v6', 'Standard_D8as_v6') })],
        pod: pods(2, { name: 'p' }),
      },
    },
    wantClaims: 1,
    wantPromised: { 'p-0': 'default-aaaaa' },
  },
  'a claim that is not launched may end in a zone the pod does not want': {
    given: {
      objects: { nodeClaim: [nodeClaim({ stage: 'created' })], pod: [pod({ name: 'p', nodeSelector: { [LABEL.zone]: 'eastus-1' } })] },
    },
    wantClaims: 1,
    wantPromised: {},
  },
  'a claim that is not launched takes the least of every resource, whichever size has it': {
    given: {
      objects: {
        nodeClaim: [nodeClaim({ stage: 'created', spec: sizes('Standard_D8as_v6', 'Standard_E2as_v6') })],
        pod: pods(2, { name: 'p' }),
      },
    },
    wantClaims: 1,
    wantPromised: { 'p-0': 'default-aaaaa' },
  },
  'a claim that is not launched may get either value of a label its size leaves open': {
    given: {
      types: [instanceType({ name: 'both', os: ['linux', 'windows'] })],
      objects: {
        nodeClaim: [nodeClaim({ stage: 'created', spec: sizes('both') })],
        pod: [pod({ name: 'p', nodeSelector: { [LABEL.os]: 'linux' } })],
      },
    },
    wantClaims: 1,
    wantPromised: {},
  },
  'a draft the watch has not shown takes its pods': {
    given: { drafts: [draft('default-ccccc')], objects: { pod: [pod({ name: 'p' })] } },
    wantClaims: 0,
    wantPromised: { p: 'default-ccccc' },
  },
  'a promised pod goes where it was promised': {
    given: {
      objects: {
        node: [node({ claim: 'default-aaaaa' }), node({ claim: 'default-bbbbb' })],
        nodeClaim: [nodeClaim(), nodeClaim({ name: 'default-bbbbb' })],
        pod: [pod({ name: 'p' })],
      },
      nominations: [{ pod: uid('uid-default-p'), claim: nodeClaimName('default-bbbbb'), until: hence(SECOND) }],
    },
    wantPromised: { p: 'default-bbbbb' },
  },
  'a promise that has run out does not bind': {
    given: {
      objects: {
        node: [node({ claim: 'default-aaaaa' }), node({ claim: 'default-bbbbb' })],
        nodeClaim: [nodeClaim(), nodeClaim({ name: 'default-bbbbb' })],
        pod: [pod({ name: 'p' })],
      },
      nominations: [{ pod: uid('uid-default-p'), claim: nodeClaimName('default-bbbbb'), until: NOW }],
    },
    wantPromised: { p: 'default-aaaaa' },
  },

  'pods of a node that goes get a new place': {
    given: { objects: { ...going, pod: [pod({ name: 'p', nodeName: 'aks-default-aaaaa' })] } },
    wantClaims: 1,
  },
  'a machine that goes leaves its part of the limits to the one that comes': {
    given: {
      objects: {
        ...going,
        nodePool: [nodePool({ limits: { nodes: 1, cpu: 16_000 } })],
        pod: [pod({ name: 'p', nodeName: 'aks-default-aaaaa' })],
      },
    },
    wantClaims: 1,
  },
  'pods of a machine that ends get a new place': {
    given: {
      objects: {
        node: [node()],
        nodeClaim: [nodeClaim({ status: { conditions: [condition('InstanceTerminating')] } })],
        pod: [pod({ name: 'p', nodeName: 'aks-default-aaaaa' })],
      },
    },
    wantClaims: 1,
  },
  'daemons, static pods, ended and ending pods of a node that goes get none': {
    given: {
      objects: {
        ...going,
        pod: [
          daemonPod('aks-default-aaaaa'),
          pod({ name: 'static', owner: NODE_OWNER, nodeName: 'aks-default-aaaaa' }),
          pod({ name: 'done', phase: 'Failed', nodeName: 'aks-default-aaaaa' }),
          pod({ name: 'ending', deletedAt: NOW, nodeName: 'aks-default-aaaaa' }),
        ],
      },
    },
    wantClaims: 0,
  },
  'a stateful pod that ends comes back': {
    given: { objects: { ...going, pod: [pod({ name: 'db', owner: STATEFUL_SET, deletedAt: NOW, nodeName: 'aks-default-aaaaa' })] } },
    wantClaims: 1,
  },
  'a pod that must not be disrupted gets no new place yet': {
    given: {
      objects: {
        ...going,
        pod: [pod({ name: 'p', annotations: { 'karpenter.sh/do-not-disrupt': 'true' }, nodeName: 'aks-default-aaaaa' })],
      },
    },
    wantClaims: 0,
  },
  'pods that wait and pods that move share one new node': {
    given: {
      objects: {
        ...going,
        pod: [...pods(3, { name: 'old', cpus: 0.5, nodeName: 'aks-default-aaaaa' }), ...pods(2, { name: 'new', cpus: 0.5 })],
      },
    },
    wantClaims: 1,
  },

  'gated, deleted and preempting pods are left alone': {
    given: {
      objects: {
        pod: [
          pod({ name: 'gated', schedulingGates: ['wait'] }),
          pod({ name: 'deleted', deletedAt: hence(MINUTE) }),
          pod({ name: 'daemon', owner: DAEMON_SET }),
        ],
      },
    },
    wantClaims: 0,
  },
  'what is not handled is refused by name': {
    given: {
      objects: {
        pod: [
          pod({ name: 'spread', topologySpread: [spread()] }),
          pod({ name: 'anti', podAntiAffinity: { required: [term({ app: 'x' })], preferred: [] } }),
          pod({ name: 'volume', volumes: [{ kind: 'claim', claimName: 'data' }] }),
          pod({ name: 'port', hostPorts: [{ ip: '0.0.0.0', port: 80, protocol: 'TCP' }] }),
          pod({ name: 'soft', preferredNodeTerms: [{ weight: 1, term: { matchExpressions: [], matchFields: [] } }] }),
          pod({ name: 'device', resourceClaims: ['gpu'] }),
          pod({
            name: 'field',
            requiredNodeTerms: [{ matchExpressions: [], matchFields: [{ key: 'metadata.name', operator: 'In', values: ['n'] }] }],
          }),
          pod({
            name: 'out',
            requiredNodeTerms: [{ matchExpressions: [{ key: LABEL.nodePool, operator: 'DoesNotExist', values: [] }], matchFields: [] }],
          }),
        ],
      },
    },
    wantClaims: 0,
    wantRefused: {
      spread: 'POD.UNSUPPORTED_SPREAD',
      anti: 'POD.UNSUPPORTED_AFFINITY',
      volume: 'POD.UNSUPPORTED_VOLUME',
      port: 'POD.UNSUPPORTED_PORT',
      soft: 'POD.UNSUPPORTED_PREFERENCE',
      device: 'POD.UNSUPPORTED_RESOURCE_CLAIM',
      field: 'POD.UNSUPPORTED_MATCH_FIELDS',
      out: 'POD.OPT_OUT',
    },
  },
  'a pod that a placed pod keeps away is refused': {
    given: {
      objects: {
        ...up,
        pod: [
          pod({ name: 'guard', nodeName: 'aks-default-aaaaa', podAntiAffinity: { required: [term({ app: 'x' })], preferred: [] } }),
          pod({ name: 'p', labels: { app: 'x' } }),
          pod({ name: 'elsewhere', key: objectKey('other', 'elsewhere'), uid: uid('uid-other'), labels: { app: 'x' } }),
        ],
      },
    },
    wantRefused: { p: 'POD.UNSUPPORTED_AFFINITY' },
    wantPromised: { elsewhere: 'default-aaaaa' },
  },
}

function sizes(...values: string[]) {
  return { requirements: [{ key: LABEL.instanceType, operator: 'In' as const, values }] }
}

function draft(name: string): NodeClaimDraft {
  return {
    name: nodeClaimName(name),
    nodePool: nodePoolName('default'),
    labels: { [LABEL.nodePool]: 'default' },
    annotations: {},
    spec: {
      nodeClassRef: nodeClassRef('default'),
      ...sizes('Standard_D2as_v6', 'Standard_D4as_v6'),
      requests: resources(1, 1, { pods: 1 }),
      taints: [],
      startupTaints: [],
      expireAfter: durationMs(720 * 60 * MINUTE),
    },
  }
}

function spread() {
  return {
    maxSkew: 1,
    topologyKey: LABEL.zone,
    whenUnsatisfiable: 'ScheduleAnyway',
    nodeAffinityPolicy: 'Honor',
    nodeTaintsPolicy: 'Ignore',
    matchLabelKeys: [],
  } as const
}

function term(matchLabels: { readonly [key: string]: string }) {
  return {
    topologyKey: LABEL.hostname,
    selector: { matchLabels, matchExpressions: [] },
    namespaces: [],
    matchLabelKeys: [],
    mismatchLabelKeys: [],
  }
}
