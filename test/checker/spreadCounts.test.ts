import { LABEL } from '../../shared/model/labels.ts'
import type { TopologySpreadConstraint } from '../../shared/model/pod.ts'
import { node } from '../builders/node.ts'
import type { PodShape } from '../builders/pod.ts'
import { describePlacements } from './testing/placementCases.ts'
import { app, inZone, TWO_NODES } from './testing/shapes.ts'

const spread = (shape: Partial<TopologySpreadConstraint> = {}): TopologySpreadConstraint => ({
  maxSkew: 1,
  topologyKey: LABEL.zone,
  whenUnsatisfiable: 'DoNotSchedule',
  selector: { matchLabels: { app: 'a' }, matchExpressions: [] },
  nodeAffinityPolicy: 'Honor',
  nodeTaintsPolicy: 'Ignore',
  matchLabelKeys: [],
  ...shape,
})
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
})
