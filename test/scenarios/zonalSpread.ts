import { NOW } from '../builders/clock.ts'
import { size, sold } from './fixtureTypes.ts'
import type { Scenarios } from './scenario.ts'

const FULL = { room: { pods: 1 } } as const
const FULL_OF_TWO = { room: { pods: 2 } } as const
const OLD = { labels: 'app=p' } as const

/** Sizes that are sold in zones, without a zone, and both. */
const MIXED = [
  size('zonal', { offerings: ['z1', 'z2', 'z3'].map((zone) => sold(0.4, zone)) }),
  size('regional', { offerings: [sold(0.1, '0')] }),
  size('both', { offerings: ['z1', '0'].map((zone) => sold(0.4, zone)) }),
]

/** Spread over zones: the domains, the counted pods, and the allowed skew. */
export const ZONAL_SPREAD: Scenarios = {
  'T1 a key that no node has': {
    given: { pods: { p: { count: 2, spread: 'nothing.example/key' } } },
    want: { claims: 0, unplaced: { p: 'SCHEDULING.SPREAD' } },
  },
  'T2 a selector that cannot be met by anything': {
    given: { pods: { p: { count: 2, spread: [{ over: 'zone', of: 'app in' }] } } },
    want: { claims: [{ pods: 'p' }] },
  },
  'T3 no selector': { given: { pods: { p: { count: 2, spread: [{ over: 'zone', of: null }] } } }, want: { claims: [{ pods: 'p' }] } },
  'T4 four pods, by label': { given: { pods: { p: { count: 4, spread: 'zone' } } }, want: { skew: { 'zone p': [1, 1, 2] } } },
  'T4.1 four pods, by expression': {
    given: { pods: { p: { count: 4, spread: [{ over: 'zone', of: 'app in p q' }] } } },
    want: { skew: { 'zone p': [1, 1, 2] } },
  },
  'T5 a pool that names all zones': {
    given: { pools: { default: { needs: 'zone in z1 z2 z3' } }, pods: { p: { count: 4, spread: 'zone' } } },
    want: { skew: { 'zone p': [1, 1, 2] } },
  },
  'T6 a pool of two zones': {
    given: { pools: { default: { needs: 'zone in z1 z2' } }, pods: { p: { count: 4, spread: 'zone' } } },
    want: { skew: { 'zone p': [2, 2] } },
  },
  'T7 a pool with the label of one zone': {
    given: { pools: { default: { labels: 'zone=z1' } }, pods: { p: { count: 4, spread: 'zone' } } },
    want: { skew: { 'zone p': [4] } },
  },
  'T8 a pool with the label of one zone and requirements of more': {
    given: { pools: { default: { labels: 'zone=z1', needs: 'zone in z1 z2' } }, pods: { p: { count: 4, spread: 'zone' } } },
    want: { skew: { 'zone p': [4] } },
  },
  'T9 two pools of one zone each': {
    given: { pools: { a: { labels: 'zone=z1' }, b: { labels: 'zone=z2' } }, pods: { p: { count: 4, spread: 'zone' } } },
    want: { skew: { 'zone p': [2, 2] } },
  },
  'T10 a zone outside the pool has one already': {
    given: {
      pools: { default: { needs: 'zone in z1 z2' } },
      nodes: { n3: { labels: 'zone=z3', ...FULL } },
      pods: { old: { on: 'n3', ...OLD }, p: { count: 6, spread: 'zone' } },
    },
    want: { skew: { 'zone p': [1, 2, 2] }, unplaced: { p: ['SCHEDULING.SPREAD', 2] } },
  },
  'T11 a larger skew, and a pool of the zone that has none': {
    given: {
      pools: { default: { needs: 'zone=z3' } },
      nodes: { n1: { labels: 'zone=z1', ...FULL }, n2: { labels: 'zone=z2', ...FULL } },
      pods: { o1: { on: 'n1', ...OLD }, o2: { on: 'n2', ...OLD }, p: { count: 10, spread: [{ over: 'zone', skew: 5 }] } },
    },
    want: { skew: { 'zone p': [1, 1, 6] }, unplaced: { p: ['SCHEDULING.SPREAD', 4] } },
  },
  'T12 a skew that is broken already is mended': {
    given: { nodes: { n1: { labels: 'zone=z1' } }, pods: { old: { count: 3, on: 'n1', ...OLD }, p: { count: 3, spread: 'zone' } } },
    want: { skew: { 'zone p': [1, 2, 3] } },
  },
  'T13 one zone left to go to': {
    given: {
      pools: { default: { needs: 'zone=z2' } },
      nodes: { n1: { labels: 'zone=z1', ...FULL }, n3: { labels: 'zone=z3', ...FULL_OF_TWO } },
      pods: { o1: { on: 'n1', ...OLD }, o3: { count: 2, on: 'n3', ...OLD }, p: { count: 5, spread: 'zone' } },
    },
    want: { skew: { 'zone p': [1, 2, 2] }, unplaced: { p: ['SCHEDULING.SPREAD', 3] } },
  },
  'T14 zones known only by nodes that no claim made': {
    given: {
      pools: { default: { needs: 'zone=z2' } },
      nodes: { n1: { pool: null, labels: 'zone=z1', ...FULL }, n3: { pool: null, labels: 'zone=z3', ...FULL_OF_TWO } },
      pods: { o1: { on: 'n1', ...OLD }, o3: { count: 2, on: 'n3', ...OLD }, p: { count: 5, spread: 'zone' } },
    },
    want: { skew: { 'zone p': [1, 2, 2] }, unplaced: { p: ['SCHEDULING.SPREAD', 3] } },
  },
  'T15 who is not counted': {
    given: {
      nodes: {
        n1: { labels: 'zone=z1', ...FULL },
        n2: { labels: 'zone=z2', ...FULL },
        n3: { labels: 'zone=z3', ...FULL },
        bare: { bare: 'zone', ...FULL },
      },
      pods: {
        o1: { on: 'n1', ...OLD },
        o2: { on: 'n2', ...OLD },
        other: { count: 2, on: 'n3', labels: 'app=other' },
        unscheduled: { ...OLD, over: { schedulingGates: ['wait'] } },
        nowhere: { count: 2, on: 'bare', ...OLD },
        foreign: { count: 2, on: 'n3', namespace: 'elsewhere', ...OLD },
        ending: { count: 2, on: 'n3', ...OLD, over: { deletedAt: NOW } },
        failed: { count: 2, on: 'n3', ...OLD, over: { phase: 'Failed' } },
        done: { count: 2, on: 'n3', ...OLD, over: { phase: 'Succeeded' } },
        p: { count: 3, spread: 'zone' },
      },
    },
    want: { skew: { 'zone p': [1, 2, 2] } },
  },
  'T16 one pod, no selector': { given: { pods: { p: { spread: [{ over: 'zone', of: null }] } } }, want: { claims: 1 } },
  'T17 pods that spread by others and are not counted themselves': {
    given: { pods: { p: { count: 5, spread: [{ over: 'zone', of: 'app=q' }] } } },
    want: { claims: [{ pods: 'p' }] },
  },
  'T18 more domains wanted than there are': {
    given: { pools: { default: { needs: 'zone in z1 z2' } }, pods: { p: { count: 3, spread: [{ over: 'zone', minDomains: 3 }] } } },
    want: { skew: { 'zone p': [1, 1] }, unplaced: { p: ['SCHEDULING.SPREAD', 1] } },
  },
  'T19 as many domains wanted as there are': {
    given: { pods: { p: { count: 11, spread: [{ over: 'zone', minDomains: 3 }] } } },
    want: { skew: { 'zone p': [3, 4, 4] } },
  },
  'T20 fewer domains wanted than there are': {
    given: { pods: { p: { count: 11, spread: [{ over: 'zone', minDomains: 2 }] } } },
    want: { skew: { 'zone p': [3, 4, 4] } },
  },
  'T21 pods held to a zone each by selector': {
    given: {
      pods: {
        a: { count: 5, labels: 'app=p', select: 'zone=z1', spread: [{ over: 'zone', of: 'app=p' }] },
        b: { count: 10, labels: 'app=p', select: 'zone=z2', spread: [{ over: 'zone', of: 'app=p' }] },
      },
    },
    want: { skew: { 'zone p': [5, 10] } },
  },
  'T22 pods held to two zones by need': {
    given: { pods: { p: { count: 10, needs: 'zone in z1 z2', spread: 'zone' } } },
    want: { skew: { 'zone p': [5, 5] } },
  },
  'T23 pods held to two zones, then one to others, then any': {
    given: { pods: { a: { count: 6, labels: 'app=p', needs: 'zone in z1 z2', spread: [{ over: 'zone', of: 'app=p' }] } } },
    want: { skew: { 'zone p': [3, 3] } },
    then: [
      {
        given: { pods: { b: { labels: 'app=p', needs: 'zone in z2 z3', spread: [{ over: 'zone', of: 'app=p' }] } } },
        want: { skew: { 'zone p': [1, 3, 3] } },
      },
      {
        given: { pods: { c: { count: 5, labels: 'app=p', spread: [{ over: 'zone', of: 'app=p' }] } } },
        want: { skew: { 'zone p': [4, 4, 4] } },
      },
    ],
  },
  'T24 a wish for zones does not limit the domains': {
    given: { pods: { p: { count: 6, prefers: 'zone in z1 z2', spread: 'zone' } } },
    want: { skew: { 'zone p': [2, 2, 2] } },
  },
  'T25 a node with a taint that only asks to be avoided is a domain, and its pods count': {
    given: {
      nodes: { n1: { ...FULL, taints: 'soft:PreferNoSchedule' } },
      pods: { old: { ...OLD, on: 'n1' }, p: { count: 2, spread: [{ over: 'zone', taints: 'Honor' }] } },
    },
    want: { skew: { 'zone p': [1, 1, 1] } },
  },
  'T26 a claim that does not name what each of its sizes has is looked at all the same': {
    given: {
      pools: { default: { needs: 'type=small' } },
      pods: { p: { spread: 'zone' }, q: { labels: 'app=p', select: 'arch=amd64', spread: [{ over: 'zone', of: 'app=p' }] } },
    },
    want: { skew: { 'zone p': [1, 1] } },
  },
  'F44 the zone of regional machines is no domain where the pool excludes it': {
    given: { types: MIXED, pools: { default: { needs: 'zone notin 0' } }, pods: { p: { count: 6, spread: 'zone' } } },
    want: { skew: { 'zone p': [2, 2, 2] } },
  },
  'F44.1 nor where the pods exclude it, though pods run on a regional node': {
    given: {
      types: MIXED,
      nodes: { r: { labels: 'zone=0', ...FULL } },
      pods: { old: { on: 'r', ...OLD }, p: { count: 6, needs: 'zone notin 0', spread: 'zone' } },
    },
    want: { skew: { 'zone p': [1, 2, 2, 2] } },
  },
}
