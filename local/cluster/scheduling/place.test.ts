import { describe, expect, it } from 'vitest'
import type { Node, Pod } from '../client/objects.ts'
import { testNode, testPod } from '../testing/objects.ts'
import { createClusterModel } from './clusterView.ts'
import { place } from './place.ts'

type Case = {
  readonly nodes: readonly Node[]
  /** The running pods, each with the name of its node. */
  readonly running?: readonly (readonly [string, Pod])[]
  readonly pod: Pod
  readonly want: string
}

const spread = (parts: object = {}) => ({
  topologySpreadConstraints: [
    { maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'DoNotSchedule', labelSelector: { matchLabels: { app: 'x' } }, ...parts },
  ],
})
const affinity = (kind: string, topologyKey = 'zone', parts: object = {}) => ({
  affinity: {
    [kind]: { requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey, labelSelector: { matchLabels: { app: 'x' } }, ...parts }] },
  },
})
const zoneNode = (name: string, zone: string) => testNode(name, { labels: { zone } })
const x = (name: string, spec: object = {}) => testPod(name, { labels: { app: 'x' }, spec })

const going = (pod: Pod): Pod => ({ ...pod, metadata: { ...pod.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } })
const elsewhere = (pod: Pod): Pod => ({ ...pod, metadata: { ...pod.metadata, namespace: 'other' } })
const TAINTED = testNode('b', { labels: { zone: '2' }, spec: { taints: [{ key: 'team', value: 'other', effect: 'NoSchedule' }] } })

const CASES: { readonly [sentence: string]: Case } = {
  'no node at all': { nodes: [], pod: testPod('p'), want: 'no nodes available to schedule pods' },
  'the emptier node wins': { nodes: [testNode('a'), testNode('b')], running: [['a', testPod('r')]], pod: testPod('p'), want: 'b' },
  'names break ties': { nodes: [testNode('b'), testNode('a')], pod: testPod('p'), want: 'a' },
  'too little of two resources': {
    nodes: [testNode('a'), testNode('b', { status: { allocatable: { cpu: '1', memory: '1Gi', pods: '10' } } })],
    pod: testPod('p', { spec: { containers: [{ name: 'c', resources: { requests: { cpu: '5', memory: '2Gi' } } }] } }),
    want: '0/2 nodes are available: 1 Insufficient memory, 2 Insufficient cpu.',
  },
  'too many pods': {
    nodes: [testNode('a', { status: { allocatable: { cpu: '4', pods: '1' } } })],
    running: [['a', testPod('r')]],
    pod: testPod('p'),
    want: '0/1 nodes are available: 1 Too many pods.',
  },
  'a taint': {
    nodes: [testNode('a', { spec: { taints: [{ key: 'team', value: 'b', effect: 'NoSchedule' }] } })],
    pod: testPod('p'),
    want: '0/1 nodes are available: 1 node(s) had untolerated taint {team: b}.',
  },
  'a tolerated taint': {
    nodes: [testNode('a', { spec: { taints: [{ key: 'team', value: 'b', effect: 'NoSchedule' }] } })],
    pod: testPod('p', { spec: { tolerations: [{ key: 'team', operator: 'Exists' }] } }),
    want: 'a',
  },
  'a cordoned node': {
    nodes: [testNode('a', { spec: { unschedulable: true } })],
    pod: testPod('p'),
    want: '0/1 nodes are available: 1 node(s) were unschedulable.',
  },
  'a selector nobody meets': {
    nodes: [testNode('a'), testNode('b')],
    pod: testPod('p', { spec: { nodeSelector: { disk: 'ssd' } } }),
    want: "0/2 nodes are available: 2 node(s) didn't match Pod's node affinity/selector.",
  },
  'a host port taken': {
    nodes: [testNode('a')],
    running: [['a', testPod('r', { spec: { containers: [{ name: 'c', ports: [{ hostPort: 80, containerPort: 80 }] }] } })]],
    pod: testPod('p', { spec: { containers: [{ name: 'c', ports: [{ hostPort: 80, containerPort: 8080, hostIP: '10.0.0.1' }] }] } }),
    want: "0/1 nodes are available: 1 node(s) didn't have free ports for the requested pod ports.",
  },
  'the nominated node before a better one': {
    nodes: [testNode('a'), testNode('b')],
    running: [['b', testPod('r')]],
    pod: testPod('p', { status: { nominatedNodeName: 'b' } }),
    want: 'b',
  },
  'a preferred node before an emptier one': {
    nodes: [testNode('a'), testNode('b', { labels: { fast: 'yes' } })],
    running: [['b', testPod('r')]],
    pod: testPod('p', {
      spec: {
        affinity: {
          nodeAffinity: {
            preferredDuringSchedulingIgnoredDuringExecution: [
              { weight: 10, preference: { matchExpressions: [{ key: 'fast', operator: 'Exists' }] } },
            ],
          },
        },
      },
    }),
    want: 'b',
  },
  'spread takes the emptier zone': {
    nodes: [zoneNode('a', '1'), zoneNode('b', '2')],
    running: [['a', x('r')]],
    pod: x('p', spread()),
    want: 'b',
  },
  'spread refuses a zone too far ahead': {
    nodes: [zoneNode('a', '1'), testNode('b', { labels: { zone: '2' }, spec: { unschedulable: true } })],
    running: [['a', x('r')]],
    pod: x('p', spread()),
    want: "0/2 nodes are available: 1 node(s) didn't match pod topology spread constraints, 1 node(s) were unschedulable.",
  },
  'spread counts a missing domain as empty while there are fewer than minDomains': {
    nodes: [zoneNode('a', '1')],
    running: [['a', x('r')]],
    pod: x('p', spread({ minDomains: 2 })),
    want: "0/1 nodes are available: 1 node(s) didn't match pod topology spread constraints.",
  },
  'spread needs the label': {
    nodes: [testNode('a')],
    pod: x('p', spread()),
    want: "0/1 nodes are available: 1 node(s) didn't match pod topology spread constraints (missing required label).",
  },
  'affinity joins its group': {
    nodes: [zoneNode('a', '1'), zoneNode('b', '2')],
    running: [['b', x('r')]],
    pod: testPod('p', { spec: affinity('podAffinity') }),
    want: 'b',
  },
  'affinity without a group': {
    nodes: [zoneNode('a', '1')],
    pod: testPod('p', { spec: affinity('podAffinity') }),
    want: "0/1 nodes are available: 1 node(s) didn't match pod affinity rules.",
  },
  'the first of its own group goes anywhere': { nodes: [zoneNode('a', '1')], pod: x('p', affinity('podAffinity')), want: 'a' },
  'anti-affinity keeps apart': {
    nodes: [zoneNode('a', '1'), zoneNode('b', '1'), zoneNode('c', '2')],
    running: [['a', x('r')]],
    pod: testPod('p', { spec: affinity('podAntiAffinity') }),
    want: 'c',
  },
  'anti-affinity of those that run counts too': {
    nodes: [testNode('a')],
    running: [['a', testPod('r', { spec: affinity('podAntiAffinity', 'kubernetes.io/hostname') })]],
    pod: x('p'),
    want: "0/1 nodes are available: 1 node(s) didn't satisfy existing pods anti-affinity rules.",
  },
  'spread counts pods of its own namespace that stay, and no others': {
    nodes: [zoneNode('a', '1'), zoneNode('b', '2')],
    running: [
      ['a', going(x('going'))],
      ['a', elsewhere(x('foreign'))],
      ['a', testPod('other', { labels: { app: 'y' } })],
      ['b', x('here')],
    ],
    // Zone 2 has too many pods only if none of the three pods on node a counts. Otherwise node b would win, because node a is fuller.
    pod: x('p', spread()),
    want: 'a',
  },
  'spread without a selector counts nobody': {
    nodes: [zoneNode('a', '1')],
    running: [['a', x('r')]],
    pod: x('p', spread({ labelSelector: undefined, minDomains: 2 })),
    want: 'a',
  },
  'spread that only wishes refuses nothing': {
    nodes: [zoneNode('a', '1')],
    running: [['a', x('r')]],
    pod: x('p', spread({ whenUnsatisfiable: 'ScheduleAnyway', minDomains: 2 })),
    want: 'a',
  },
  'spread of a pod that it does not select is judged by the others alone': {
    nodes: [zoneNode('a', '1')],
    running: [['a', x('r')]],
    pod: testPod('p', { labels: { app: 'y' }, spec: spread({ minDomains: 2 }) }),
    want: 'a',
  },
  'spread by the pods of one version counts those alone': {
    nodes: [zoneNode('a', '1'), zoneNode('b', '2')],
    running: [
      ['b', testPod('new', { labels: { app: 'x', version: '2' } })],
      ['a', x('old')],
      ['a', x('older')],
    ],
    pod: testPod('p', { labels: { app: 'x', version: '2' }, spec: spread({ matchLabelKeys: ['version', 'none'] }) }),
    want: 'a',
  },
  'spread leaves out zones that the pod cannot be in': {
    nodes: [zoneNode('a', '1'), testNode('b', { labels: { zone: '2', team: 'other' } })],
    running: [['a', x('r')]],
    pod: x('p', { nodeSelector: { 'kubernetes.io/hostname': 'a' }, ...spread() }),
    want: 'a',
  },
  'spread counts zones that the pod cannot be in where it is told to': {
    nodes: [zoneNode('a', '1'), zoneNode('b', '2')],
    running: [['a', x('r')]],
    pod: x('p', { nodeSelector: { 'kubernetes.io/hostname': 'a' }, ...spread({ nodeAffinityPolicy: 'Ignore' }) }),
    want: "0/2 nodes are available: 1 node(s) didn't match Pod's node affinity/selector, 1 node(s) didn't match pod topology spread constraints.",
  },
  'spread counts tainted zones': {
    nodes: [zoneNode('a', '1'), TAINTED],
    running: [['a', x('r')]],
    pod: x('p', spread()),
    want: "0/2 nodes are available: 1 node(s) didn't match pod topology spread constraints, 1 node(s) had untolerated taint {team: other}.",
  },
  'spread leaves out tainted zones where it is told to': {
    nodes: [zoneNode('a', '1'), TAINTED],
    running: [['a', x('r')]],
    pod: x('p', spread({ nodeTaintsPolicy: 'Honor' })),
    want: 'a',
  },
  'spread over two keys counts nodes that have both': {
    nodes: [testNode('a', { labels: { zone: '1', rack: 'r' } }), zoneNode('b', '2')],
    running: [['a', x('r')]],
    pod: x('p', {
      topologySpreadConstraints: ['zone', 'rack'].flatMap((topologyKey) => spread({ topologyKey }).topologySpreadConstraints),
    }),
    want: 'a',
  },
  'spread allows the skew that it names': {
    nodes: [zoneNode('a', '1'), testNode('b', { labels: { zone: '2' }, spec: { unschedulable: true } })],
    running: [['a', x('r')]],
    pod: x('p', spread({ maxSkew: 2 })),
    want: 'a',
  },
  'affinity means its own namespace': {
    nodes: [zoneNode('a', '1')],
    running: [['a', elsewhere(x('r'))]],
    pod: testPod('p', { spec: affinity('podAffinity') }),
    want: "0/1 nodes are available: 1 node(s) didn't match pod affinity rules.",
  },
  'affinity means the namespaces that it names': {
    nodes: [zoneNode('a', '1')],
    running: [['a', elsewhere(x('r'))]],
    pod: testPod('p', { spec: affinity('podAffinity', 'zone', { namespaces: ['other'] }) }),
    want: 'a',
  },
  'affinity means the namespaces that it selects': {
    nodes: [zoneNode('a', '1')],
    running: [['a', elsewhere(x('r'))]],
    pod: testPod('p', { spec: affinity('podAffinity', 'zone', { namespaceSelector: { matchLabels: { team: 'red' } } }) }),
    want: 'a',
  },
  'affinity means no namespace that it does not select': {
    nodes: [zoneNode('a', '1')],
    running: [['a', x('r')]],
    pod: testPod('p', { spec: affinity('podAffinity', 'zone', { namespaceSelector: { matchLabels: { team: 'red' } } }) }),
    want: "0/1 nodes are available: 1 node(s) didn't match pod affinity rules.",
  },
  'affinity to the same version joins that one': {
    nodes: [zoneNode('a', '1'), zoneNode('b', '2')],
    running: [
      ['a', x('old')],
      ['b', testPod('new', { labels: { app: 'x', version: '2' } })],
    ],
    pod: testPod('p', { labels: { version: '2' }, spec: affinity('podAffinity', 'zone', { matchLabelKeys: ['version'] }) }),
    want: 'b',
  },
  'anti-affinity to other versions leaves its own': {
    nodes: [zoneNode('a', '1'), zoneNode('b', '2')],
    running: [
      ['a', testPod('old', { labels: { app: 'x', version: '1' } })],
      ['b', testPod('new', { labels: { app: 'x', version: '2' } })],
    ],
    pod: testPod('p', { labels: { version: '2' }, spec: affinity('podAntiAffinity', 'zone', { mismatchLabelKeys: ['version'] }) }),
    want: 'b',
  },
  'affinity needs the label of its key': {
    nodes: [testNode('a')],
    pod: x('p', affinity('podAffinity')),
    want: "0/1 nodes are available: 1 node(s) didn't match pod affinity rules.",
  },
  'affinity without a selector means nobody': {
    nodes: [zoneNode('a', '1')],
    running: [['a', x('r')]],
    pod: x('p', affinity('podAffinity', 'zone', { labelSelector: undefined })),
    want: "0/1 nodes are available: 1 node(s) didn't match pod affinity rules.",
  },
  'anti-affinity of those that run reaches as far as its key': {
    nodes: [zoneNode('a', '1'), zoneNode('b', '1'), zoneNode('c', '2')],
    running: [['a', testPod('r', { spec: affinity('podAntiAffinity') })]],
    pod: x('p'),
    want: 'c',
  },
}

describe('place', () => {
  for (const [sentence, { nodes, running, pod, want }] of Object.entries(CASES)) {
    it(sentence, () => {
      const model = createClusterModel((name) => (name === 'other' ? { team: 'red' } : {}))
      for (const node of nodes) model.putNode(node)
      for (const [node, other] of running ?? []) model.putPod(other, node)
      const placement = place(pod, model, 'leastAllocated')
      expect('node' in placement ? placement.node : placement.message).toBe(want)
    })
  }

  it('packs when asked to', () => {
    const model = createClusterModel(() => ({}))
    for (const node of [testNode('a'), testNode('b')]) model.putNode(node)
    model.putPod(testPod('r'), 'b')
    expect(place(testPod('p'), model, 'mostAllocated')).toEqual({ node: 'b' })
  })

  it('gives room back when a pod goes', () => {
    const model = createClusterModel(() => ({}))
    model.putNode(testNode('a'))
    model.putPod(testPod('r', { cpu: '4' }), 'a')
    model.dropPod('uid-r')
    expect(place(testPod('p', { cpu: '4' }), model, 'leastAllocated')).toEqual({ node: 'a' })
  })
})
