import { LABEL } from '../../shared/model/labels.ts'
import type { TopologySpreadConstraint } from '../../shared/model/pod.ts'
import { NOW } from '../builders/clock.ts'
import { node } from '../builders/node.ts'
import { nodeClaim } from '../builders/nodeClaim.ts'
import type { PodShape } from '../builders/pod.ts'
import { describePlacements } from './testing/placementCases.ts'
import { app, inZone, spread, TWO_NODES } from './testing/shapes.ts'

const even = (shape: Partial<TopologySpreadConstraint> = {}): PodShape => ({ topologySpread: [spread(shape)] })

describePlacements('pods that spread', {
  'three pods in a zone while another has none': {
    pods: ['x', 'y', 'z'].map((name) => app(name, even())),
    objects: TWO_NODES,
    targets: { 'joiner-a': ['x', 'y', 'z'] },
    breaks: 'spread',
  },
  'pods spread evenly': {
    pods: ['x', 'y', 'z'].map((name) => app(name, even())),
    objects: TWO_NODES,
    targets: { 'joiner-a': ['x', 'z'], 'joiner-b': ['y'] },
  },
  'pods spread over zones that the claims leave open': {
    pods: ['w', 'x', 'y', 'z'].map((name) => app(name, even())),
    claims: [
      { pods: ['x', 'y'], where: [inZone('1')] },
      { pods: ['z'], where: [inZone('1', '2')] },
      { pods: ['w'], where: [inZone('2')] },
    ],
    breaks: 'spread',
  },
  'fewer domains than asked for': {
    pods: ['x', 'y'].map((name) => app(name, even({ minDomains: 3 }))),
    objects: TWO_NODES,
    targets: { 'joiner-a': ['x', 'y'] },
    breaks: 'spread',
  },
  'a zone the pods cannot go to does not count': {
    pods: ['x', 'y'].map((name) => app(name, { ...even(), nodeSelector: { [LABEL.zone]: 'eastus-1' } })),
    objects: TWO_NODES,
    targets: { 'joiner-a': ['x', 'y'] },
  },
  'it counts when affinity is ignored': {
    pods: ['x', 'y'].map((name) => app(name, { ...even({ nodeAffinityPolicy: 'Ignore' }), nodeSelector: { [LABEL.zone]: 'eastus-1' } })),
    objects: TWO_NODES,
    targets: { 'joiner-a': ['x', 'y'] },
    breaks: 'spread',
  },
  'a tainted node counts': {
    pods: ['x', 'y'].map((name) => app(name, even())),
    objects: {
      ...TWO_NODES,
      node: [node({ claim: 'a' }), node({ claim: 'b', zone: 'eastus-2', taints: [{ key: 'a', effect: 'NoSchedule' }] })],
    },
    targets: { 'joiner-a': ['x', 'y'] },
    breaks: 'spread',
  },
  'a tainted node does not count when taints are honoured': {
    pods: ['x', 'y'].map((name) => app(name, even({ nodeTaintsPolicy: 'Honor' }))),
    objects: {
      ...TWO_NODES,
      node: [node({ claim: 'a' }), node({ claim: 'b', zone: 'eastus-2', taints: [{ key: 'a', effect: 'NoSchedule' }] })],
    },
    targets: { 'joiner-a': ['x', 'y'] },
  },
  'each revision is spread alone': {
    pods: ['x', 'y'].map((name) => app(name, { ...even({ matchLabelKeys: ['rev'] }), labels: { app: 'a', rev: name } })),
    objects: TWO_NODES,
    targets: { 'joiner-a': ['x', 'y'] },
  },
  'as many more as the skew allows': {
    pods: ['x', 'y'].map((name) => app(name, even({ maxSkew: 2 }))),
    objects: TWO_NODES,
    targets: { 'joiner-a': ['x', 'y'] },
  },
  'one more than the skew allows': {
    pods: ['w', 'x', 'y'].map((name) => app(name, even({ maxSkew: 2 }))),
    objects: TWO_NODES,
    targets: { 'joiner-a': ['w', 'x', 'y'] },
    breaks: 'spread',
  },
  'a spread that is only wished for': {
    pods: ['x', 'y'].map((name) => app(name, even({ whenUnsatisfiable: 'ScheduleAnyway' }))),
    objects: TWO_NODES,
    targets: { 'joiner-a': ['x', 'y'] },
  },
  'a spread that is wished for beside one that is asked for': {
    pods: ['x', 'y'].map((name) =>
      app(name, { topologySpread: [spread({ whenUnsatisfiable: 'ScheduleAnyway' }), spread({ topologyKey: LABEL.hostname })] }),
    ),
    objects: TWO_NODES,
    targets: { 'joiner-a': ['x'], 'joiner-b': ['y'] },
  },
  'as many domains as asked for': {
    pods: ['x', 'y'].map((name) => app(name, even({ minDomains: 2 }))),
    objects: TWO_NODES,
    targets: { 'joiner-a': ['x'], 'joiner-b': ['y'] },
  },
  'fewer domains than asked for, and one pod in each': {
    pods: ['x', 'y'].map((name) => app(name, even({ minDomains: 3 }))),
    objects: TWO_NODES,
    targets: { 'joiner-a': ['x'], 'joiner-b': ['y'] },
  },
  'a node without the label that is spread over': {
    pods: [app('x', even({ topologyKey: 'rack' }))],
    objects: TWO_NODES,
    targets: { 'joiner-a': ['x'] },
    breaks: 'spread',
  },
  'a spread by the old name of a label': {
    pods: ['x', 'y'].map((name) => app(name, even({ topologyKey: 'failure-domain.beta.kubernetes.io/zone' }))),
    objects: TWO_NODES,
    targets: { 'joiner-a': ['x'], 'joiner-b': ['y'] },
  },
  'pods that are there and count': {
    pods: [app('x', even()), app('old', { nodeName: 'joiner-a' })],
    objects: TWO_NODES,
    targets: { 'joiner-a': ['x'] },
    breaks: 'spread',
  },
  'pods that are there and go': {
    pods: [app('x', even()), app('old', { nodeName: 'joiner-a', deletedAt: NOW })],
    objects: TWO_NODES,
    targets: { 'joiner-a': ['x'] },
  },
  'pods that are there, of another namespace': {
    pods: [app('x', even()), app('old', { nodeName: 'joiner-a', namespace: 'other' })],
    objects: TWO_NODES,
    targets: { 'joiner-a': ['x'] },
  },
  'pods that are there, with other labels': {
    pods: [app('x', even()), app('old', { nodeName: 'joiner-a', labels: { app: 'b' } })],
    objects: TWO_NODES,
    targets: { 'joiner-a': ['x'] },
  },
  'pods that are there, of another revision': {
    pods: [
      app('x', { ...even({ matchLabelKeys: ['rev'] }), labels: { app: 'a', rev: '2' } }),
      app('old', { nodeName: 'joiner-a', labels: { app: 'a', rev: '1' } }),
    ],
    objects: TWO_NODES,
    targets: { 'joiner-a': ['x'] },
  },
  'pods that are there, where nobody has a revision': {
    pods: [app('x', even({ matchLabelKeys: ['rev'] })), app('old', { nodeName: 'joiner-a' })],
    objects: TWO_NODES,
    targets: { 'joiner-a': ['x'] },
    breaks: 'spread',
  },
  'pods that spread among others and do not count themselves': {
    pods: ['x', 'y', 'z'].map((name) => app(name, { ...even(), labels: { app: 'b' } })),
    objects: TWO_NODES,
    targets: { 'joiner-a': ['x', 'y', 'z'] },
  },
  'a node that lacks the label of another spread of the pod does not count': {
    pods: ['x', 'y'].map((name) => app(name, { topologySpread: [spread(), spread({ topologyKey: 'rack', maxSkew: 5 })] })),
    objects: { ...TWO_NODES, node: [node({ claim: 'a', meta: { labels: { rack: 'r' } } }), node({ claim: 'b', zone: 'eastus-2' })] },
    targets: { 'joiner-a': ['x', 'y'] },
  },
  'a zone that only a machine on its way has, to which nobody goes': {
    pods: ['x', 'y'].map((name) => app(name, even())),
    objects: {
      node: [node({ claim: 'a', zone: 'eastus-1' })],
      nodeClaim: [nodeClaim({ name: 'a' }), nodeClaim({ name: 'c', stage: 'launched', zone: 'eastus-2' })],
    },
    targets: { 'joiner-a': ['x', 'y'] },
  },
  'a zone that a machine on its way has, which comes up last': {
    pods: ['w', 'x', 'y', 'z'].map((name) => app(name, even())),
    objects: {
      node: [node({ claim: 'a', zone: 'eastus-1' })],
      nodeClaim: [nodeClaim({ name: 'a' }), nodeClaim({ name: 'c', stage: 'launched', zone: 'eastus-2' })],
    },
    targets: { 'joiner-a': ['w', 'x', 'y'], c: ['z'] },
  },
})
