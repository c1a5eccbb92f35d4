import { uid } from '../../shared/model/ids.ts'
import { LABEL } from '../../shared/model/labels.ts'
import type { PodAffinityTerm } from '../../shared/model/pod.ts'
import { daemonSet } from '../builders/daemonSet.ts'
import { node } from '../builders/node.ts'
import { type PodShape, pod } from '../builders/pod.ts'
import { describePlacements, type PlacementCase } from './testing/placementCases.ts'
import { apart, app, inZone, near, TWO_NODES } from './testing/shapes.ts'

const together = (...terms: PodAffinityTerm[]): PodShape => ({ podAffinity: { required: terms, preferred: [] } })
/** A DaemonSet for the machines of a team. Its pods have the label that the pods here avoid. */
const ofTeam = (team: string, shape: PodShape = { labels: { app: 'a' } }) =>
  daemonSet({ name: team, namespace: 'default', nodeSelector: { team }, ...shape })

const { selector: _, ...WHOEVER } = near(LABEL.zone)

/** A pod with affinity to a pod of namespace `there`, which has the label `team: t`. */
function ofNamespace(term: Partial<PodAffinityTerm>, breaks?: 'affinity'): PlacementCase {
  return {
    pods: [
      app('x', together({ ...near(LABEL.zone, 'b'), ...term })),
      pod({ name: 'b', namespace: 'there', labels: { app: 'b' }, nodeName: 'joiner-a' }),
    ],
    objects: {
      ...TWO_NODES,
      namespace: [
        { name: 'default', uid: uid('default'), labels: {} },
        { name: 'there', uid: uid('there'), labels: { team: 't' } },
      ],
    },
    targets: { 'joiner-a': ['x'] },
    ...(breaks === undefined ? {} : { breaks }),
  }
}

/** A pod of revision 1 with affinity to a pod of revision `rev`. */
function ofRevision(term: Partial<PodAffinityTerm>, rev: string, breaks?: 'affinity'): PlacementCase {
  return {
    pods: [
      app('x', { ...together({ ...near(LABEL.zone, 'b'), ...term }), labels: { app: 'a', rev: '1' } }),
      pod({ name: 'b', labels: { app: 'b', rev }, nodeName: 'joiner-a' }),
    ],
    objects: TWO_NODES,
    targets: { 'joiner-a': ['x'] },
    ...(breaks === undefined ? {} : { breaks }),
  }
}

describePlacements('pods that look for others or keep away', {
  'nobody to be near to': { pods: [app('x', together(near(LABEL.hostname, 'b')))], claims: [{ pods: ['x'] }], breaks: 'affinity' },
  'a friend that is bound elsewhere': {
    pods: [app('x', together(near(LABEL.zone, 'b'))), pod({ name: 'b', labels: { app: 'b' }, nodeName: 'joiner-a' })],
    objects: TWO_NODES,
    targets: { 'joiner-b': ['x'] },
    breaks: 'affinity',
  },
  'a friend in a zone that the claim may leave': {
    pods: [app('x', together(near(LABEL.zone, 'b'))), pod({ name: 'b', labels: { app: 'b' }, nodeName: 'joiner-a' })],
    objects: TWO_NODES,
    claims: [{ pods: ['x'], where: [inZone('1', '2')] }],
    breaks: 'affinity',
  },
  'the first of its kind, and those that follow it': {
    pods: ['x', 'y'].map((name) => app(name, together(near(LABEL.zone)))),
    claims: [
      { pods: ['x'], where: [inZone('1')] },
      { pods: ['y'], where: [inZone('1')] },
    ],
  },
  'a second beginning': {
    pods: ['x', 'y'].map((name) => app(name, together(near(LABEL.zone)))),
    claims: [
      { pods: ['x'], where: [inZone('1')] },
      { pods: ['y'], where: [inZone('2')] },
    ],
    breaks: 'affinity',
  },
  'two friends that no one pod is': {
    pods: [
      app('x', together(near(LABEL.zone, 'b'), near(LABEL.zone, 'c'))),
      pod({ name: 'b', labels: { app: 'b' } }),
      pod({ name: 'c', labels: { app: 'c' } }),
    ],
    claims: [{ pods: ['b', 'c', 'x'], where: [inZone('1')] }],
    breaks: 'affinity',
  },
  'two that keep apart on one node': {
    pods: [app('x', apart(LABEL.hostname)), app('y')],
    claims: [{ pods: ['x', 'y'] }],
    breaks: 'antiAffinity',
  },
  'one that keeps away from a daemon': {
    pods: [app('x', apart(LABEL.hostname))],
    objects: { daemonSet: [daemonSet({ namespace: 'default', labels: { app: 'a' } })] },
    claims: [{ pods: ['x'] }],
    breaks: 'antiAffinity',
  },
  'one that keeps away from a daemon of another new machine, and is bound first': {
    pods: [app('x', apart(LABEL.zone)), pod({ name: 'y' })],
    objects: { daemonSet: [ofTeam('one')] },
    claims: [
      { pods: ['y'], labels: { team: 'one' }, where: [inZone('1')] },
      { pods: ['x'], where: [inZone('1')] },
    ],
  },
  'two that each keep away from a daemon of the other’s machine': {
    pods: ['x', 'y'].map((name) => pod({ name, ...apart(LABEL.zone) })),
    objects: { daemonSet: [ofTeam('one'), ofTeam('two')] },
    claims: ['one', 'two'].map((team, at) => ({ pods: [at === 0 ? 'x' : 'y'], labels: { team }, where: [inZone('1')] })),
    breaks: 'antiAffinity',
  },
  'one that a daemon keeps away from': {
    pods: [app('x')],
    objects: { daemonSet: [ofTeam('one', apart(LABEL.zone))] },
    claims: [{ pods: ['x'], labels: { team: 'one' } }],
    breaks: 'antiAffinity',
  },
  'one that a daemon would keep away from that a pod keeps out': {
    pods: [app('x'), app('old', { nodeName: 'joiner-a' })],
    objects: { ...TWO_NODES, daemonSet: [ofTeam('one', apart(LABEL.zone))] },
    claims: [{ pods: ['x'], labels: { team: 'one' }, where: [inZone('1')] }],
  },
  'two that keep apart on two nodes': { pods: [app('x', apart(LABEL.hostname)), app('y')], claims: [{ pods: ['x'] }, { pods: ['y'] }] },
  'two that keep apart and may meet in a zone': {
    pods: [app('x', apart(LABEL.zone)), app('y')],
    claims: [
      { pods: ['x'], where: [inZone('1', '2')] },
      { pods: ['y'], where: [inZone('2', '3')] },
    ],
    breaks: 'antiAffinity',
  },
  'one that a bound pod keeps away from, among others': {
    pods: [
      app('x'),
      pod({ name: 'loner', podAntiAffinity: { required: [near(LABEL.zone, 'b'), near(LABEL.zone)], preferred: [] }, nodeName: 'joiner-a' }),
    ],
    objects: TWO_NODES,
    targets: { 'joiner-a': ['x'] },
    breaks: 'antiAffinity',
  },
  'one that a bound pod keeps away from': {
    pods: [app('x'), pod({ name: 'loner', ...apart(LABEL.zone), nodeName: 'joiner-a' })],
    objects: TWO_NODES,
    targets: { 'joiner-a': ['x'] },
    breaks: 'antiAffinity',
  },
  'a friend on the same node': {
    pods: [app('x', together(near(LABEL.hostname, 'b'))), pod({ name: 'b', labels: { app: 'b' }, nodeName: 'joiner-a' })],
    objects: TWO_NODES,
    targets: { 'joiner-a': ['x'] },
  },
  'a friend near by one key and not by the other': {
    pods: [
      app('x', together(near(LABEL.zone, 'b'), near(LABEL.hostname, 'b'))),
      pod({ name: 'b', labels: { app: 'b' }, nodeName: 'joiner-a' }),
      pod({ name: 'z', nodeName: 'joiner-b' }),
    ],
    objects: { ...TWO_NODES, node: [node({ claim: 'a' }), node({ claim: 'b' })] },
    targets: { 'joiner-b': ['x'] },
    breaks: 'affinity',
  },
  'a node without the label by which to be near': {
    pods: [app('x', together(near('rack')))],
    objects: TWO_NODES,
    targets: { 'joiner-a': ['x'] },
    breaks: 'affinity',
  },
  'the first of its kind that also wants another': {
    pods: [app('x', together(near(LABEL.zone), near(LABEL.zone, 'b')))],
    claims: [{ pods: ['x'], where: [inZone('1')] }],
    breaks: 'affinity',
  },
  'a friend of another namespace': ofNamespace({}, 'affinity'),
  'a friend of a namespace that is named': ofNamespace({ namespaces: ['there'] }),
  'a friend of a namespace that is not among those named': ofNamespace({ namespaces: ['elsewhere'] }, 'affinity'),
  'a friend of a namespace that is selected': ofNamespace({ namespaceSelector: { matchLabels: { team: 't' }, matchExpressions: [] } }),
  'a friend of a namespace that is not selected': ofNamespace(
    { namespaceSelector: { matchLabels: { team: 'u' }, matchExpressions: [] } },
    'affinity',
  ),
  'a friend of any namespace': ofNamespace({ namespaceSelector: { matchLabels: {}, matchExpressions: [] } }),
  'a friend of a namespace that is named beside a selector': ofNamespace({
    namespaces: ['there'],
    namespaceSelector: { matchLabels: { team: 'u' }, matchExpressions: [] },
  }),
  'a friend of the own namespace where another is named': {
    pods: [
      app('x', together({ ...near(LABEL.zone, 'b'), namespaces: ['there'] })),
      pod({ name: 'b', labels: { app: 'b' }, nodeName: 'joiner-a' }),
    ],
    objects: TWO_NODES,
    targets: { 'joiner-a': ['x'] },
    breaks: 'affinity',
  },
  'a friend of a namespace that nobody knows': {
    ...ofNamespace({ namespaceSelector: { matchLabels: { team: 't' }, matchExpressions: [] } }, 'affinity'),
    objects: TWO_NODES,
  },
  'a friend of the same revision': ofRevision({ matchLabelKeys: ['rev'] }, '1'),
  'a friend of another revision': ofRevision({ matchLabelKeys: ['rev'] }, '2', 'affinity'),
  'a friend of the same revision where another is wanted': ofRevision({ mismatchLabelKeys: ['rev'] }, '1', 'affinity'),
  'a friend of another revision where another is wanted': ofRevision({ mismatchLabelKeys: ['rev'] }, '2'),
  'a friend whichever its revision, where the pod has none': {
    ...ofRevision({ matchLabelKeys: ['other'], mismatchLabelKeys: ['another'] }, '2'),
  },
  'nobody, where no selector says whom': {
    pods: [app('x', together(WHOEVER)), pod({ name: 'b', nodeName: 'joiner-a' })],
    objects: TWO_NODES,
    targets: { 'joiner-a': ['x'] },
    breaks: 'affinity',
  },
  'one that keeps away from nobody in particular': {
    pods: [app('x', { podAntiAffinity: { required: [WHOEVER], preferred: [] } }), pod({ name: 'b', nodeName: 'joiner-a' })],
    objects: TWO_NODES,
    targets: { 'joiner-a': ['x'] },
  },
  'one that would rather keep away': {
    pods: [app('x', { podAntiAffinity: { required: [], preferred: [{ weight: 1, term: near(LABEL.hostname) }] } }), app('y')],
    claims: [{ pods: ['x', 'y'] }],
  },
  'one that keeps away by a label that no node has': {
    pods: [app('x', apart('rack')), app('y')],
    claims: [{ pods: ['x', 'y'] }],
  },
  'one that keeps away from a pod that is there': {
    pods: [app('x', apart(LABEL.zone)), app('old', { nodeName: 'joiner-a' })],
    objects: TWO_NODES,
    targets: { 'joiner-a': ['x'] },
    breaks: 'antiAffinity',
  },
  'one that keeps away from a pod that has ended': {
    pods: [app('x', apart(LABEL.zone)), app('old', { nodeName: 'joiner-a', phase: 'Failed' })],
    objects: TWO_NODES,
    targets: { 'joiner-a': ['x'] },
  },
  'one that keeps away from a pod that gets another place': {
    pods: [app('x', apart(LABEL.zone)), app('old', { nodeName: 'joiner-a' })],
    objects: TWO_NODES,
    targets: { 'joiner-a': ['x'], 'joiner-b': ['old'] },
  },
})
