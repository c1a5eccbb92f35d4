import { uid } from '../../shared/model/ids.ts'
import { DAEMON_SET } from '../builders/pod.ts'
import { growing } from './fixtureTypes.ts'
import type { Scenarios } from './scenario.ts'

const ONE = { asks: { cpu: 1, memory: 1 } } as const
const POD = { p: ONE } as const
const COUNTED = { claims: [{ type: 'default', types: 'arm default gpu-a gpu-b' }] } as const
const IGNORED = { claims: [{ type: 'small' }] } as const
const OF_AGENT = { ...DAEMON_SET, uid: uid('uid-ds-agent') }
const NO_ROOM = { claims: 0, unplaced: { p: 'SCHEDULING.RESOURCES' } } as const

/** The overhead of DaemonSets on new machines. The pod alone would fit on a small machine. */
export const DAEMON_SETS: Scenarios = {
  'J1 a daemon takes its part': { given: { daemons: { agent: ONE }, pods: POD }, want: COUNTED },
  'J2 a daemon holds the host port that the pod asks for': {
    given: { daemons: { agent: { ports: '80' } }, pods: { p: { ports: '80' } } },
    want: { claims: 0, unplaced: { p: 'SCHEDULING.PORT' } },
  },
  'J3 a startup taint keeps no daemon away': {
    given: { pools: { default: { startupTaints: 'start' } }, daemons: { agent: ONE }, pods: POD },
    want: COUNTED,
  },
  'J4 a daemon too large for every size': { given: { daemons: { agent: { asks: { cpu: 10_000 } } }, pods: POD }, want: NO_ROOM },
  'J5 a daemon’s pod that runs says more than its template': {
    given: {
      nodes: { n1: { room: { pods: 1 } } },
      daemons: { agent: { asks: { cpu: 10 } } },
      pods: { d: { on: 'n1', namespace: 'kube-system', owner: OF_AGENT, asks: { cpu: 0.1 } }, ...POD },
    },
    want: IGNORED,
  },
  'J7 a daemon’s start asks for more than its run': {
    given: { daemons: { agent: { asks: { cpu: 0.1 }, start: [{ init: { cpu: 1, memory: 1 } }] } }, pods: POD },
    want: COUNTED,
  },
  'J8 a daemon’s containers together are too large': {
    given: { daemons: { agent: { containers: [{ cpu: 10_000 }, { cpu: 10_000 }] } }, pods: POD },
    want: NO_ROOM,
  },
  'J9 a daemon’s start is too large': { given: { daemons: { agent: { start: [{ init: { cpu: 10_000 } }] } }, pods: POD }, want: NO_ROOM },
  'J10 a daemon that asks for nothing': { given: { daemons: { agent: {} }, pods: POD }, want: IGNORED },
  'J11 a daemon that does not tolerate the pool’s taint': {
    given: { pools: { default: { taints: 'team' } }, daemons: { agent: ONE }, pods: { p: { ...ONE, tolerates: 'team' } } },
    want: IGNORED,
  },
  'J12 a daemon of nodes with a label that the pool does not have': {
    given: { daemons: { agent: { ...ONE, select: 'team=a' } }, pods: POD },
    want: IGNORED,
  },
  'J13 a daemon of a size that does not exist': {
    given: { daemons: { agent: { ...ONE, select: 'type=none' } }, pods: POD },
    want: IGNORED,
  },
  'J14 a daemon of nodes with a label that the pool has': {
    given: { pools: { default: { labels: 'team=a' } }, daemons: { agent: { ...ONE, select: 'team=a' } }, pods: POD },
    want: COUNTED,
  },
  'J15 a daemon of one size makes others better': {
    given: { daemons: { agent: { ...ONE, select: 'type=small' } }, pods: POD },
    want: { claims: [{ types: 'arm default gpu-a gpu-b single' }] },
  },
  'J15.1 a daemon of another size': { given: { daemons: { agent: { ...ONE, select: 'type=arm' } }, pods: POD }, want: IGNORED },
  'J16 a daemon of nodes without a value of a label that nobody has': {
    given: { daemons: { agent: { ...ONE, needs: 'team notin a' } }, pods: POD },
    want: COUNTED,
  },
  'J17 a daemon’s pod that is held to its node': {
    given: {
      nodes: { n1: { room: { pods: 1 } } },
      daemons: { agent: { ...ONE, needs: 'os=linux' } },
      pods: {
        d: {
          on: 'n1',
          namespace: 'kube-system',
          owner: OF_AGENT,
          ...ONE,
          over: {
            requiredNodeTerms: [{ matchExpressions: [], matchFields: [{ key: 'metadata.name', operator: 'In', values: ['joiner-n1'] }] }],
          },
        },
        p: { ...ONE, select: 'os=linux' },
      },
    },
    want: COUNTED,
  },
  'J18 a daemon whose second alternative is met': {
    given: { daemons: { agent: { ...ONE, needs: ['arch=riscv', 'arch=amd64'] } }, pods: { p: { ...ONE, select: 'arch=amd64' } } },
    want: { claims: [{ types: 'default gpu-a gpu-b' }] },
  },
  'J19 a daemon with a wish that cannot be met': { given: { daemons: { agent: { ...ONE, prefers: 'team=a' } }, pods: POD }, want: COUNTED },
  'J20 a taint that asks to be avoided keeps no daemon away': {
    given: { pools: { default: { taints: 'soft:PreferNoSchedule' } }, daemons: { agent: ONE }, pods: POD },
    want: COUNTED,
  },
  'J21 a daemon of large sizes holds the host port': {
    given: { types: growing(6), daemons: { agent: { ports: '80', select: 'shape=large' } }, pods: { p: { ports: '80' } } },
    want: { claims: [{ types: 'it-1 it-2 it-3 it-4' }] },
  },
  'J22 a daemon whose first alternative fits one pool and whose second fits another': {
    given: {
      pools: { a: {}, b: {} },
      daemons: { agent: { ...ONE, needs: ['pool=a', 'pool=b'] } },
      pods: { p: { ...ONE, select: 'pool=a' }, q: { ...ONE, select: 'pool=b' } },
    },
    want: {
      claims: [
        { pods: 'p', type: 'default' },
        { pods: 'q', type: 'default' },
      ],
    },
  },
  'J23 a soft taint keeps no daemon from a node that is there': {
    given: {
      nodes: { n1: { taints: 'soft:PreferNoSchedule' } },
      daemons: { agent: { asks: { cpu: 1 } } },
      pods: { p: { asks: { cpu: 3.5 }, tolerates: 'soft' } },
    },
    want: { claims: [{ pods: 'p' }] },
  },
  'J24 a daemon that the pod keeps away from': {
    given: {
      types: growing(6),
      daemons: { agent: { select: 'shape=large' } },
      pods: { p: { apart: [{ term: 'app=agent over hostname', namespaces: ['kube-system'] }] } },
    },
    want: { claims: [{ types: 'it-1 it-2 it-3 it-4' }] },
  },
  'J24.1 a daemon everywhere that the pod keeps away from': {
    given: { daemons: { agent: {} }, pods: { p: { apart: [{ term: 'app=agent over zone', namespaces: ['kube-system'] }] } } },
    want: { claims: 0, unplaced: { p: 'SCHEDULING.ANTI_AFFINITY' } },
  },
  'J24.2 a daemon that will run on a claim on its way': {
    given: {
      types: growing(6),
      nodes: { n1: { stage: 'created', needs: 'type=it-6' } },
      daemons: { agent: { select: 'shape=large' } },
      pods: { p: { apart: [{ term: 'app=agent over hostname', namespaces: ['kube-system'] }] } },
    },
    want: { claims: [{ types: 'it-1 it-2 it-3 it-4' }] },
  },
  'J24.3 a daemon that will run on a machine without a node, and keeps its zone': {
    given: {
      types: growing(6),
      nodes: { n1: { stage: 'launched', labels: 'type=it-6 shape=large zone=z1' } },
      daemons: { agent: { select: 'shape=large' } },
      pods: { p: { apart: [{ term: 'app=agent over zone', namespaces: ['kube-system'] }] } },
    },
    want: { claims: [{ types: 'it-1 it-2 it-3 it-4', zone: 'z2' }] },
    firstFit: { claims: [{ types: 'it-1 it-2 it-3 it-4', zone: 'z2 z3' }] },
  },
  'J24.4 a daemon on its way that the pod would rather keep away from': {
    given: {
      nodes: { n1: { stage: 'launched', labels: 'type=default zone=z1' } },
      daemons: { agent: { select: 'type=default' } },
      pods: { p: { asks: { cpu: 1 }, preferApart: 'app=agent over zone' } },
    },
    want: { claims: 0, on: { n1: 'p' } },
  },
  'J25 a daemon that keeps away from the pod': {
    given: {
      daemons: { agent: { apart: [{ term: 'app=p over hostname', namespaces: ['default'] }] } },
      pods: { p: {}, q: {} },
    },
    want: { claims: [{ pods: 'q' }], unplaced: { p: 'SCHEDULING.ANTI_AFFINITY' } },
  },
  'J25.1 a daemon on its way that keeps the pod out of its zone': {
    given: {
      types: growing(6),
      nodes: { n1: { stage: 'launched', labels: 'type=it-6 shape=large zone=z1' } },
      daemons: { agent: { select: 'shape=large', apart: [{ term: 'app=p over zone', namespaces: ['default'] }] } },
      pods: { p: {} },
    },
    want: { claims: [{ types: 'it-1 it-2 it-3 it-4', zone: 'z2' }] },
    firstFit: { claims: [{ types: 'it-1 it-2 it-3 it-4', zone: 'z2 z3' }] },
  },
  'J25.2 a daemon that will not come, since a pod runs in the zone that it keeps away from': {
    given: {
      types: growing(6),
      nodes: {
        n1: { stage: 'launched', labels: 'type=it-6 shape=large zone=z1' },
        n2: { labels: 'zone=z1', room: { pods: 1 } },
      },
      daemons: { agent: { select: 'shape=large', apart: [{ term: 'app=p over zone', namespaces: ['default'] }] } },
      pods: { old: { labels: 'app=p', on: 'n2' }, p: { select: 'zone=z1' } },
    },
    want: { claims: [{ types: 'it-1 it-2 it-3 it-4', zone: 'z1' }] },
  },
}
