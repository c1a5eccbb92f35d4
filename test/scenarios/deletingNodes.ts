import { NOW } from '../builders/clock.ts'
import { DAEMON_SET, NODE_OWNER, STATEFUL_SET } from '../builders/pod.ts'
import type { Scenarios } from './scenario.ts'

const DELETING = { n1: { deleting: true } } as const

/** Pods of nodes that are being deleted need a place just like pending pods. */
export const DELETING_NODES: Scenarios = {
  'D1 a running pod': {
    given: { nodes: DELETING, pods: { p: { on: 'n1', asks: { cpu: 3 } } } },
    want: { claims: [{ pods: 'p' }], price: 0.8 },
  },
  'D1.1 of a machine that ends': {
    given: { nodes: { n1: { ending: true } }, pods: { p: { on: 'n1' } } },
    want: { claims: [{ pods: 'p' }] },
  },
  'D1.2 of a node that no claim made': {
    given: { nodes: { own: { pool: null, deleting: true } }, pods: { p: { on: 'own' } } },
    want: { claims: [{ pods: 'p' }] },
  },
  'D2 pods that have ended or are ending': {
    given: {
      nodes: DELETING,
      pods: {
        done: { on: 'n1', over: { phase: 'Succeeded' } },
        failed: { on: 'n1', over: { phase: 'Failed' } },
        ending: { on: 'n1', over: { deletedAt: NOW } },
      },
    },
    want: { claims: 0, nodes: 0 },
  },
  'D3 a daemon’s pod': { given: { nodes: DELETING, pods: { d: { on: 'n1', owner: DAEMON_SET } } }, want: { claims: 0 } },
  'D3.1 a static pod': { given: { nodes: DELETING, pods: { s: { on: 'n1', owner: NODE_OWNER } } }, want: { claims: 0 } },
  'D4 a pod of a ReplicaSet that is ending': {
    given: { nodes: DELETING, pods: { p: { on: 'n1', over: { deletedAt: NOW } } } },
    want: { claims: 0 },
  },
  'D5 a pod of a StatefulSet that is ending comes back': {
    given: { nodes: DELETING, pods: { p: { on: 'n1', owner: STATEFUL_SET, over: { deletedAt: NOW } } } },
    want: { claims: [{ pods: 'p' }] },
  },
  'D6 a budget that lets no pod be away': {
    given: { nodes: DELETING, budgets: { b: { of: 'app=p', maxUnavailable: '0' } }, pods: { p: { on: 'n1' } } },
    want: { claims: 0 },
  },
  'D6.1 a budget that lets no share be away': {
    given: { nodes: DELETING, budgets: { b: { of: 'app=p', maxUnavailable: '0%' } }, pods: { p: { on: 'n1' } } },
    want: { claims: 0 },
  },
  'D6.2 a budget that wants all to stay': {
    given: { nodes: DELETING, budgets: { b: { of: 'app=p', minAvailable: '100%' } }, pods: { p: { on: 'n1' } } },
    want: { claims: 0 },
  },
  'D6.3 two budgets': {
    given: {
      nodes: DELETING,
      budgets: {
        a: { of: 'app=p', maxUnavailable: '1', disruptionsAllowed: 1 },
        b: { of: 'app=p', maxUnavailable: '1', disruptionsAllowed: 1 },
      },
      pods: { p: { on: 'n1' } },
    },
    want: { claims: 0 },
  },
  'D6.4 a budget that has nothing left just now': {
    given: { nodes: DELETING, budgets: { b: { of: 'app=p', maxUnavailable: '1', disruptionsAllowed: 0 } }, pods: { p: { on: 'n1' } } },
    want: { claims: [{ pods: 'p' }] },
  },
  'D6.5 a budget of other pods': {
    given: { nodes: DELETING, budgets: { b: { of: 'app=q', maxUnavailable: '0' } }, pods: { p: { on: 'n1' } } },
    want: { claims: [{ pods: 'p' }] },
  },
  'PB-06 a pod that is not ready, and a budget that lets those go': {
    given: {
      nodes: DELETING,
      budgets: { b: { of: 'app=p', maxUnavailable: '0', unhealthyPodEvictionPolicy: 'AlwaysAllow' } },
      pods: { p: { on: 'n1', over: { isUnready: true } } },
    },
    want: { claims: [{ pods: 'p' }] },
  },
  'PB-07 a pod that is not ready, and a budget that says nothing of those': {
    given: {
      nodes: DELETING,
      budgets: { b: { of: 'app=p', maxUnavailable: '0' } },
      pods: { p: { on: 'n1', over: { isUnready: true } } },
    },
    want: { claims: 0 },
  },
  'D7 pods that wait and pods that move share one new node': {
    given: { nodes: DELETING, pods: { old: { count: 3, on: 'n1', asks: { cpu: 0.5 } }, p: { count: 2, asks: { cpu: 0.5 } } } },
    want: { claims: [{ pods: 'old p' }] },
  },
  'D7.1 all pods of a node share one new node': {
    given: { nodes: DELETING, pods: { p: { count: 4, on: 'n1', asks: { cpu: 0.5, memory: 0.5 } } } },
    want: { claims: [{ pods: 4 }] },
  },
  'D8 a pod that must not be disrupted': {
    given: { nodes: DELETING, pods: { p: { on: 'n1', over: { annotations: { 'karpenter.sh/do-not-disrupt': 'true' } } } } },
    want: { claims: 0 },
  },
  'D9 what goes leaves its part of the limits to what comes': {
    given: { nodes: DELETING, pools: { default: { limits: { nodes: 1, cpu: 4 } } }, pods: { p: { on: 'n1', asks: { cpu: 3 } } } },
    want: { claims: [{ pods: 'p' }] },
  },
  'D10 nobody is sent to a node that goes': { given: { nodes: DELETING, pods: { p: {} } }, want: { claims: [{ pods: 'p' }] } },
  'D11 a pod whose node is gone already waits for nobody': { given: { pods: { p: { over: { deletedAt: NOW } } } }, want: { claims: 0 } },
  'D12 kube-scheduler binds a pod that moves to a node that it likes less before a new node is up': {
    given: { nodes: { n1: { deleting: true }, n2: {} }, pods: { p: { on: 'n1', prefers: 'zone=z3' } } },
    want: { claims: 0, on: { n2: 'p' } },
    firstFit: { claims: [{ zone: 'z3' }] },
  },
  'D12.1 a pod that moves and fits on no node gets the new node that it likes': {
    given: { nodes: DELETING, pods: { p: { on: 'n1', prefers: 'zone=z3' } } },
    want: { claims: [{ zone: 'z3' }] },
  },
  'D12.2 like pods that wait get the new node that they like': {
    given: { nodes: { n1: { deleting: true }, n2: {} }, pods: { old: { on: 'n1', prefers: 'zone=z3' }, p: { prefers: 'zone=z3' } } },
    want: { claims: [{ pods: 'p', zone: 'z3' }], on: { n2: 'old' } },
    firstFit: { claims: [{ pods: 'old p', zone: 'z3' }] },
  },
}
