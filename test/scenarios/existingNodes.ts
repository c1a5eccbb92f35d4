import { GPU, growing } from './fixtureTypes.ts'
import type { Scenarios } from './scenario.ts'

const ROOMY = { room: { cpu: 100, memory: 500, pods: 110 } } as const

/** Existing nodes, with and without claims. */
export const EXISTING_NODES: Scenarios = {
  'E1 a node that no claim made': { given: { nodes: { own: { pool: null } }, pods: { p: {} } }, want: { claims: 0, on: { own: 'p' } } },
  'E2 a hundred pods on it': {
    given: { nodes: { own: { pool: null, ...ROOMY } }, pods: { p: { count: 100 } } },
    want: { claims: 0, on: { own: 100 } },
  },
  'E3 the one node that is up comes before those that are coming up': {
    given: { nodes: { a: { count: 99, stage: 'registered' }, z: {} }, pods: { p: {} } },
    want: { claims: 0, on: { z: 'p' } },
  },
  'E4 a pod that the node does not suit and the pool does': {
    given: { nodes: { n1: {} }, pods: { p: { select: 'arch=arm64' } } },
    want: { claims: [{ types: 'arm' }] },
  },
  'E5 a daemon that a node’s labels do not suit takes nothing there, and blocks new nodes that would suit it': {
    given: {
      nodes: { n1: {} },
      daemons: { agent: { asks: { cpu: 100 }, select: 'region=eastus' } },
      pods: { p: { asks: { cpu: 3 } }, q: { asks: { cpu: 3 } } },
    },
    want: { claims: 0, on: { n1: 1 }, unplaced: { q: 'SCHEDULING.RESOURCES' } },
  },
  'E6 the same pod again before it is bound': {
    given: { pods: { p: {} } },
    want: { claims: 1 },
    then: [{ bound: false, want: { claims: 0, nodes: 1 } }],
  },
  'E7 a device that the kubelet reports as none': {
    given: { nodes: { n1: { stage: 'registered', room: { [GPU.a]: 2 }, reports: { [GPU.a]: 0 } } }, pods: { p: { asks: { [GPU.a]: 1 } } } },
    want: { claims: 0, on: { n1: 'p' } },
  },
  'E7.1 a device that is none on a node that is up': {
    given: { nodes: { n1: { room: { [GPU.a]: 2 }, reports: { [GPU.a]: 0 } } }, pods: { p: { asks: { [GPU.a]: 1 } } } },
    want: { claims: [{ types: 'gpu-a' }] },
  },
  'E8 a pod that wants to be with its like, before the first is bound': {
    given: { pods: { p: { near: 'app=p over zone' } } },
    want: { claims: 1 },
    then: [{ bound: false, given: { pods: { q: { labels: 'app=p', near: 'app=p over zone' } } }, want: { claims: 0, together: ['p q'] } }],
  },
  'E9 what does not fit there gets a new node': {
    given: { nodes: { n1: {} }, pods: { p: { count: 5, asks: { cpu: 1 } } } },
    want: { claims: 1, on: { n1: 3 } },
  },
  'E10 bound pods take their room': {
    given: { nodes: { n1: {} }, pods: { old: { on: 'n1', asks: { cpu: 3 } }, p: { asks: { cpu: 1 } } } },
    want: { claims: 1 },
  },
  'E11 pods that have ended take none': {
    given: { nodes: { n1: {} }, pods: { old: { on: 'n1', asks: { cpu: 3 }, over: { phase: 'Succeeded' } }, p: { asks: { cpu: 1 } } } },
    want: { claims: 0, on: { n1: 'p' } },
  },
  'E12 a cordoned node takes no pods': { given: { nodes: { n1: { cordoned: true } }, pods: { p: {} } }, want: { claims: 1 } },
  'CL-14 a taint that goes by itself counts on a node that no claim made, since nobody waits for its end': {
    given: { nodes: { own: { pool: null, taints: 'node.kubernetes.io/not-ready:NoExecute' } }, pods: { p: {} } },
    want: { claims: 1, on: { own: '' } },
  },
  'E13 a pod that asks for a label the node does not have': {
    given: { nodes: { n1: {} }, pools: { default: { labels: 'team=a' } }, pods: { p: { needs: 'team=a' } } },
    want: { claims: [{ labels: 'team=a' }] },
  },
  'E14 a node with a label whose value must not be': {
    given: { nodes: { n1: { labels: 'team=a' }, n2: {} }, pods: { p: { needs: 'team notin a' } } },
    want: { claims: 0, on: { n2: 'p' } },
  },
  'E15 no pool, but a node': { given: { pools: {}, nodes: { n1: {} }, pods: { p: {} } }, want: { claims: 0, on: { n1: 'p' } } },
  'E16 nodes whose room is overdrawn take nothing, not even a pod that asks for nothing': {
    given: { nodes: { n1: { room: { pods: 1 } } }, pods: { old: { on: 'n1', asks: { cpu: 4 } }, p: {} } },
    want: { claims: 1 },
  },
  'E17 room that is there is used although one pod can only go where others went first': {
    given: {
      types: growing(4),
      nodes: { n1: { labels: 'zone=z1', room: { cpu: 15.4, memory: 100, pods: 110 } } },
      pods: {
        there: { on: 'n1', asks: { cpu: 0 } },
        many: { count: 15, asks: { cpu: 1 } },
        last: { asks: { cpu: 0.5 }, near: 'app=there over hostname', spread: 'zone' },
      },
    },
    want: { on: { n1: 15 }, claims: 1 },
    firstFit: { on: { n1: 15 }, claims: 0, unplaced: { last: 'SCHEDULING.AFFINITY' } },
  },
  'E18 a pod that can go to one node only comes before those that can go anywhere': {
    given: {
      types: growing(4),
      nodes: { n1: { labels: 'tier=a', room: { cpu: 4, memory: 100, pods: 110 } } },
      pods: { many: { count: 4, asks: { cpu: 1 } }, last: { asks: { cpu: 0.5 }, select: 'tier=a' } },
    },
    want: { on: { n1: 4 }, claims: 1 },
    firstFit: { on: { n1: 4 }, claims: 0, unplaced: { last: 'SCHEDULING.REQUIREMENT' } },
  },
}
