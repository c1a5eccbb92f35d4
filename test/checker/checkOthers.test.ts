import { LABEL } from '../../shared/model/labels.ts'
import type { Pod } from '../../shared/model/pod.ts'
import { node } from '../builders/node.ts'
import { pod } from '../builders/pod.ts'
import { describePlacements } from './testing/placementCases.ts'
import { app, inZone, near, spread, TWO_NODES } from './testing/shapes.ts'

const besides = (name: string, other: string): Pod =>
  pod({ name, labels: { app: name }, podAffinity: { required: [near(LABEL.zone, other)], preferred: [] } })
const spot = { key: LABEL.capacityType, operator: 'In' as const, values: ['spot'] }

describePlacements('what claims may turn out to be', {
  'a spread that one of the zones breaks': {
    pods: [app('x', { topologySpread: [spread()] }), app('old', { nodeName: 'joiner-b' })],
    objects: TWO_NODES,
    claims: [{ pods: ['x'], where: [inZone('1', '2')] }],
    breaks: 'spread',
  },
  'a spread that every zone keeps': {
    pods: [app('x', { topologySpread: [spread()] })],
    objects: TWO_NODES,
    claims: [{ pods: ['x'], where: [inZone('1', '2')] }],
  },
  'a spread over nodes of which one counts only as spot, by affinity': {
    pods: [
      ...['x', 'y'].map((name) =>
        app(name, { topologySpread: [spread()], requiredNodeTerms: [{ matchExpressions: [spot], matchFields: [] }] }),
      ),
      pod({ name: 'other' }),
    ],
    claims: [
      { pods: ['x', 'y'], where: [inZone('1'), spot] },
      { pods: ['other'], where: [inZone('2')] },
    ],
    breaks: 'spread',
  },
  'a spread over nodes of which one counts only as spot, by selector': {
    pods: [
      ...['x', 'y'].map((name) => app(name, { topologySpread: [spread()], nodeSelector: { [LABEL.capacityType]: 'spot' } })),
      pod({ name: 'other' }),
    ],
    claims: [
      { pods: ['x', 'y'], where: [inZone('1'), spot] },
      { pods: ['other'], where: [inZone('2')] },
    ],
    breaks: 'spread',
  },
  'two of three machines that may come to different zones': {
    pods: [besides('x', 'z'), besides('y', 'y'), pod({ name: 'z', labels: { app: 'z' } })],
    claims: ['x', 'y', 'z'].map((name) => ({ pods: [name], where: [inZone('1', '2')] })),
    breaks: 'affinity',
  },
  'many machines of which two may come to one zone': {
    pods: [
      ...['a', 'b', 'c', 'd'].map((name) => besides(name, name)),
      pod({ name: 'x', labels: { app: 'x' }, podAntiAffinity: { required: [near(LABEL.zone, 'y')], preferred: [] } }),
      pod({ name: 'y', labels: { app: 'y' } }),
    ],
    claims: ['a', 'b', 'c', 'd', 'x', 'y'].map((name) => ({ pods: [name], where: [inZone('1', '2', '3')] })),
    breaks: 'antiAffinity',
  },
  'machines that nobody is planned for, which may come later': {
    pods: [besides('x', 'y')],
    objects: { node: [node({ name: 'own', zone: 'eastus-1' })] },
    claims: [{ pods: ['x'], where: [inZone('1', '2')] }],
    breaks: 'affinity',
  },
})
