import { ago, hence, MINUTE, NOW, SECOND } from '../builders/clock.ts'
import { NODE_OWNER } from '../builders/pod.ts'
import type { Scenarios } from './scenario.ts'

const BIG = { asks: { cpu: 3 } } as const
const STALE = { over: { nominatedAt: ago(10 * MINUTE), unschedulableSince: ago(MINUTE) } } as const

/** Pods that kube-scheduler has nominated for a node: they wait for preempted pods to end, or for their volumes to be made. */
export const NOMINATED_PODS: Scenarios = {
  'NN1 a nominated pod gets no machine': { given: { nodes: { n1: {} }, pods: { p: { ...BIG, nominated: 'n1' } } }, want: { claims: 0 } },
  'NN2 its room is taken': {
    given: { nodes: { n1: {} }, pods: { p: { ...BIG, nominated: 'n1' }, q: BIG } },
    want: { claims: [{ pods: 'q' }], on: { n1: '' } },
  },
  'NN2.1 also on a node that no claim made': {
    given: { nodes: { own: { pool: null } }, pods: { p: { ...BIG, nominated: 'own' }, q: BIG } },
    want: { claims: [{ pods: 'q' }] },
  },
  'NN2.2 the rest of the room is not': {
    given: { nodes: { n1: {} }, pods: { p: { ...BIG, nominated: 'n1' }, q: { asks: { cpu: 0.5 } } } },
    want: { claims: 0, on: { n1: 'q' } },
  },
  'NN2.3 neither are its host ports free': {
    given: { nodes: { n1: {} }, pods: { p: { nominated: 'n1', ports: '80' }, q: { ports: '80' } } },
    want: { claims: [{ pods: 'q' }], on: { n1: '' } },
  },
  'NN2.4 nor its attached disks': {
    given: {
      nodes: { n1: { attach: { 'disk.csi.azure.com': 1 } } },
      classes: { disk: { driver: 'disk.csi.azure.com' } },
      volumeClaims: { a: { class: 'disk' }, b: { class: 'disk' } },
      pods: { p: { nominated: 'n1', mounts: 'a' }, q: { mounts: 'b' } },
    },
    want: { claims: [{ pods: 'q' }], on: { n1: '' } },
  },
  'NN3 it keeps other pods away by anti-affinity': {
    given: { nodes: { n1: {} }, pods: { p: { nominated: 'n1', apart: 'app=q over hostname' }, q: {} } },
    want: { claims: [{ pods: 'q' }], on: { n1: '' } },
  },
  'NN3.1 it counts for affinity': {
    given: {
      nodes: { n1: {}, n2: {} },
      pods: { p: { nominated: 'n2' }, q: { near: 'app=p over hostname' } },
    },
    want: { claims: 0, on: { n2: 'q' } },
  },
  'NN3.2 it counts for spread': {
    given: {
      nodes: { n1: { labels: 'zone=z1' }, n2: { labels: 'zone=z2' } },
      pods: { p: { labels: 'app=s', nominated: 'n1' }, q: { labels: 'app=s', spread: [{ over: 'zone', of: 'app=s' }] } },
    },
    want: { claims: 0, on: { n1: '', n2: 'q' } },
  },
  'NN4 the pods that it preempts count until they are gone': {
    given: {
      nodes: { n1: {} },
      pods: { v: { ...BIG, on: 'n1', over: { deletedAt: NOW } }, p: { ...BIG, nominated: 'n1' }, q: { asks: { cpu: 0.5 } } },
    },
    want: { claims: [{ pods: 'q' }], on: { n1: '' } },
  },
  'NN5 a node that does not exist': {
    given: { nodes: { n1: {} }, pods: { p: { ...BIG, nominated: 'gone' } } },
    want: { claims: 0, on: { n1: 'p' } },
  },
  'NN5.1 a node that is being deleted': {
    given: { nodes: { n1: { deleting: true } }, pods: { p: { ...BIG, nominated: 'n1' } } },
    want: { claims: [{ pods: 'p' }] },
  },
  'NN5.2 a node whose machine ends': {
    given: { nodes: { n1: { ending: true } }, pods: { p: { ...BIG, nominated: 'n1' } } },
    want: { claims: [{ pods: 'p' }] },
  },
  'NN6 a name that has not come true for ten minutes': {
    given: { nodes: { n1: {} }, pods: { p: { ...BIG, nominated: 'n1', ...STALE }, q: { ...BIG, on: 'n1' } } },
    want: { claims: [{ pods: 'p' }] },
  },
  'NN6.1 one second earlier': {
    given: {
      nodes: { n1: {} },
      pods: { p: { ...BIG, nominated: 'n1', over: { nominatedAt: ago(10 * MINUTE - SECOND) } }, q: { ...BIG, on: 'n1' } },
    },
    want: { claims: 0 },
  },
  'NN6.2 while preempted pods may still end': {
    given: {
      nodes: { n1: {} },
      pods: { v: { ...BIG, on: 'n1', over: { deletedAt: hence(30 * MINUTE) } }, p: { ...BIG, nominated: 'n1', ...STALE } },
    },
    want: { claims: 0 },
  },
  'NN7 pods that are not planned in any case': {
    given: {
      nodes: { n1: {} },
      pods: {
        ending: { ...BIG, nominated: 'n1', over: { deletedAt: NOW } },
        done: { ...BIG, nominated: 'n1', over: { phase: 'Failed' } },
        static: { asks: { cpu: 0.1 }, nominated: 'gone', owner: NODE_OWNER },
        w: BIG,
      },
    },
    want: { claims: 0, on: { n1: 'w' } },
  },
}
