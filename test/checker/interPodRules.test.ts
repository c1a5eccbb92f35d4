import { LABEL } from '../../shared/model/labels.ts'
import type { PodAffinityTerm } from '../../shared/model/pod.ts'
import { daemonSet } from '../builders/daemonSet.ts'
import { type PodShape, pod } from '../builders/pod.ts'
import { describePlacements } from './testing/placementCases.ts'
import { apart, app, inZone, near, TWO_NODES } from './testing/shapes.ts'

const together = (...terms: PodAffinityTerm[]): PodShape => ({ podAffinity: { required: terms, preferred: [] } })
/** One of machines of a team, with the label that pods here keep away from. */
const ofTeam = (team: string, shape: PodShape = { labels: { app: 'a' } }) =>
  daemonSet({ name: team, namespace: 'default', nodeSelector: { team }, ...shape })

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
  'one that a bound pod keeps away from': {
    pods: [app('x'), pod({ name: 'loner', ...apart(LABEL.zone), nodeName: 'joiner-a' })],
    objects: TWO_NODES,
    targets: { 'joiner-a': ['x'] },
    breaks: 'antiAffinity',
  },
})
