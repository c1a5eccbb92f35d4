import { uid } from '../../shared/model/ids.ts'
import { DAEMON_SET } from '../builders/pod.ts'
import { GPU, size } from './fixtureTypes.ts'
import type { Scenarios } from './scenario.ts'

const COMING = { stage: 'registered' } as const
const LARGE = { cpu: 15.9, memory: 100, pods: 20 } as const

/** Claims of an earlier decision are used by the next one, at every stage of their life. */
export const IN_FLIGHT: Scenarios = {
  'N1 a second pod like the first': {
    given: { pods: { p: {} } },
    want: { claims: 1 },
    then: [{ given: { pods: { q: {} } }, want: { claims: 0, nodes: 1 } }],
  },
  'SV-10 a claim that is not launched keeps no other pool from making nodes': {
    given: {
      pools: { a: {}, b: {} },
      nodes: { stuck: { pool: 'a', stage: 'created' } },
      pods: { p: { select: 'karpenter.sh/nodepool=a', asks: { cpu: 3 } }, q: { select: 'karpenter.sh/nodepool=b' } },
      promised: { p: 'stuck' },
    },
    want: { claims: [{ pool: 'b', pods: 'q' }] },
  },
  'N2 a second pod whose zones meet, and one whose zones do not': {
    given: { pods: { p: { needs: 'zone in z1 z2' } } },
    want: { claims: 1 },
    then: [
      { given: { pods: { q: { needs: 'zone in z1 z2 z3' } } }, want: { claims: 0 } },
      { given: { pods: { r: { needs: 'zone=z3' } } }, want: { claims: [{ zone: 'z3' }] } },
    ],
  },
  'N3 a second pod too large for the rest': {
    given: { pods: { p: { asks: { cpu: '1001m' } } } },
    want: { claims: [{ type: 'small' }] },
    then: [{ given: { pods: { q: { asks: { cpu: 1 } } } }, want: { claims: 1 } }],
  },
  'N4 a second pod of another architecture': {
    given: { pods: { p: {} } },
    want: { claims: 1 },
    then: [{ given: { pods: { q: { select: 'arch=arm64' } } }, want: { claims: [{ types: 'arm' }] } }],
  },
  'N5 the first node is gone': {
    given: { pods: { p: {} } },
    want: { claims: 1 },
    then: [{ gone: 'nodes', given: { pods: { q: {} } }, want: { claims: [{ pods: 'q' }] } }],
  },
  'N6 pods that spread over zones fill up the nodes of the pass before': {
    given: { pods: { p: { count: 4, spread: 'zone' } } },
    want: { skew: { 'zone p': [1, 1, 2] } },
    then: [{ given: { pods: { p: { count: 9, spread: 'zone' } } }, want: { skew: { 'zone p': [3, 3, 3] }, claims: 0 } }],
  },
  'N7 pods that spread over hosts need a host each': {
    given: { pods: { p: { count: 4, spread: 'hostname' } } },
    want: { claims: 4, skew: { 'hostname p': [1, 1, 1, 1] } },
    then: [
      {
        given: { pods: { q: { count: 5, labels: 'app=p', spread: [{ over: 'hostname', of: 'app=p' }] } } },
        want: { claims: 5, skew: { 'hostname p': [1, 1, 1, 1, 1, 1, 1, 1, 1] } },
      },
    ],
  },
  'N8 a node that is not ready and has no taint yet': { given: { nodes: { n1: COMING }, pods: { p: {} } }, want: { on: { n1: 'p' } } },
  'N9 a taint that goes by itself does not count while the node comes up': {
    given: { nodes: { n1: { ...COMING, taints: 'node.kubernetes.io/not-ready:NoExecute' } }, pods: { p: {} } },
    want: { on: { n1: 'p' } },
  },
  'N10 a taint of somebody’s own counts on a node that is up': {
    given: { nodes: { n1: { taints: 'own' } }, pods: { p: {} } },
    want: { claims: 1, on: { n1: '' } },
  },
  'N10.1 nobody declared the taint of a node that comes up, so another node would get it, too': {
    given: { nodes: { n1: { ...COMING, taints: 'own' } }, pods: { p: {} } },
    want: { claims: 0, on: { n1: 'p' } },
  },
  'N10.2 a cordon counts while the node comes up': {
    given: { nodes: { n1: { ...COMING, cordoned: true } }, pods: { p: {} } },
    want: { claims: 1, on: { n1: '' } },
  },
  'N11 a startup taint does not count while the node comes up': {
    given: { nodes: { n1: { ...COMING, taints: 'start', startupTaints: 'start' } }, pods: { p: {} } },
    want: { on: { n1: 'p' } },
  },
  'N12 a startup taint counts once the node is up': {
    given: { nodes: { n1: { taints: 'start', startupTaints: 'start' } }, pods: { p: {} } },
    want: { claims: 1 },
  },
  'N13 a taint that goes by itself counts once the node was up': {
    given: { nodes: { n1: { taints: 'node.kubernetes.io/not-ready:NoExecute' } }, pods: { p: {} } },
    want: { claims: 1 },
  },
  'N14 a daemon still to come keeps its room': {
    given: { nodes: { n1: { room: LARGE } }, daemons: { agent: { asks: { cpu: 1 } } }, pods: { p: { asks: { cpu: 14.9 } } } },
    want: { claims: 0, on: { n1: 'p' } },
  },
  'N14.1 a daemon that is there is not counted twice': {
    given: {
      nodes: { n1: { room: LARGE } },
      daemons: { agent: { asks: { cpu: 1 } } },
      pods: {
        d: { on: 'n1', asks: { cpu: 1 }, namespace: 'kube-system', owner: { ...DAEMON_SET, uid: uid('uid-ds-agent') } },
        p: { asks: { cpu: 14.9 } },
      },
    },
    want: { claims: 0, on: { n1: 'p' } },
  },
  'N14.2 with the daemon’s room counted there is too little': {
    given: { nodes: { n1: { room: LARGE } }, daemons: { agent: { asks: { cpu: 1 } } }, pods: { p: { asks: { cpu: 15 } } } },
    want: { claims: 0, unplaced: { p: 'SCHEDULING.RESOURCES' } },
  },
  'N15 a daemon’s pod that no DaemonSet explains gives no room back': {
    given: { nodes: { n1: { room: LARGE } }, pods: { d: { on: 'n1', asks: { cpu: 1 }, owner: DAEMON_SET }, p: { asks: { cpu: 15.5 } } } },
    want: { claims: [{ type: 'arm' }] },
  },
  'N16 a daemon of nodes that are up counts on new ones, whose claims do not carry that label': {
    given: {
      daemons: { agent: { asks: { cpu: 1 }, needs: 'karpenter.sh/initialized=true, karpenter.sh/registered=true' } },
      pods: { p: { asks: { cpu: 3.5 } } },
    },
    want: { claims: [{ types: 'arm', without: 'karpenter.sh/initialized karpenter.sh/registered', requests: { cpu: 4.5, pods: 2 } }] },
  },
  'N17 pass after pass at most one node has room left': {
    given: { types: [size('four', { cpus: 4.1 })], pods: { a: { count: 3, asks: { cpu: 1 } } } },
    want: { claims: 1 },
    then: [
      { given: { pods: { b: { count: 5, asks: { cpu: 1 } } } }, want: { claims: 1, nodes: 2 } },
      { want: { claims: 0 } },
      { given: { pods: { c: { count: 2, asks: { cpu: 1 } } } }, want: { claims: 1 } },
      { given: { pods: { d: { count: 6, asks: { cpu: 1 } } } }, want: { claims: 1, nodes: 2 } },
      { given: { pods: { e: { count: 9, asks: { cpu: 1 } } } }, want: { claims: 3, nodes: 3 } },
    ],
  },
  'N18 the first pod is not bound yet': {
    given: { pods: { p: {} } },
    want: { claims: 1 },
    then: [{ bound: false, given: { pods: { q: {} } }, want: { claims: 0, nodes: 1 } }],
  },
  'N18.1 the machine is not there yet': {
    given: { pools: { default: { needs: 'type=small' } }, pods: { p: {} } },
    want: { claims: 1 },
    then: [
      { stage: 'draft', given: { pods: { q: {} } }, want: { claims: 0, nodes: 1 } },
      { stage: 'draft', want: { claims: 0, nodes: 1 } },
    ],
  },
  'N18.2 the claim is not launched yet': {
    given: { pools: { default: { needs: 'type=small' } }, pods: { p: {} } },
    want: { claims: 1 },
    then: [{ stage: 'created', given: { pods: { q: {} } }, want: { claims: 0, nodes: 1 } }],
  },
  'N18.3 the claim is launched and has no node yet': {
    given: { pods: { p: {} } },
    want: { claims: 1 },
    then: [{ stage: 'launched', given: { pods: { q: {} } }, want: { claims: 0, nodes: 1 } }],
  },
  'N19 a node that is up comes before machines that are not': {
    given: { nodes: { a: { count: 99, stage: 'launched' }, z: {} }, pods: { p: {} } },
    want: { claims: 0, on: { z: 'p' } },
  },
  'N20 two pods with one host port': {
    given: { pods: { p: { count: 2, ports: '80' } } },
    want: { claims: 2, fullest: { 'hostname p': 1 } },
  },
  'N21 a device that the kubelet does not report yet': {
    given: { nodes: { n1: { ...COMING, room: { [GPU.a]: 1 }, reports: { [GPU.a]: 0 } } }, pods: { p: { asks: { [GPU.a]: 1 } } } },
    want: { claims: 0, on: { n1: 'p' } },
  },
}
