import { NOW } from '../builders/clock.ts'
import type { PodGiven, Scenarios, Step } from './scenario.ts'

const FULL = { room: { pods: 1 } } as const
const OLD = { labels: 'app=p' } as const
const BOTH_TIERS = { foo: { labels: 'tier=foo', taints: 'dedicated' }, bar: { labels: 'tier=bar', taints: 'dedicated' } } as const
const BARE_TIERS = { foo: { labels: 'tier=foo' }, bar: { labels: 'tier=bar' } } as const
const ZONE_AND_HOST = [{ over: 'zone' }, { over: 'hostname', skew: 3 }] as const
const CAPACITY_AND_HOST = [{ over: 'capacity' }, { over: 'hostname', skew: 3 }] as const
const CAPACITY_AND_ZONE = [{ over: 'capacity' }, { over: 'zone' }] as const
const ALL_THREE = [{ over: 'capacity' }, { over: 'zone', skew: 2 }, { over: 'hostname', skew: 3 }] as const

/** Each of these pods takes most of a machine of the only size. */
const OF_SET: PodGiven = { asks: { cpu: 3 }, labels: 'set=x', spread: [{ over: 'zone', of: 'set=x' }], select: 'type=default' }

/** Spread over hosts, capacity types and labels of the user’s own, alone and together. */
export const OTHER_SPREAD: Scenarios = {
  'H1 four pods, four hosts': {
    given: { pods: { p: { count: 4, spread: 'hostname' } } },
    want: { claims: 4, skew: { 'hostname p': [1, 1, 1, 1] } },
  },
  'H2 four pods, four a host': {
    given: { pods: { p: { count: 4, spread: [{ over: 'hostname', skew: 4 }] } } },
    want: { claims: 1, skew: { 'hostname p': [4] } },
  },
  'H3 two apps share hosts': {
    given: { pods: { p: { count: 2, spread: 'hostname' }, q: { count: 2, spread: 'hostname' } } },
    want: { claims: 2, skew: { 'hostname p': [1, 1], 'hostname q': [1, 1] } },
  },
  'H4 two apps of two architectures share none': {
    given: {
      pods: { p: { count: 2, select: 'arch=amd64', spread: 'hostname' }, q: { count: 2, select: 'arch=arm64', spread: 'hostname' } },
    },
    want: { claims: 4 },
  },
  'H5 over capacity types': { given: { pods: { p: { count: 4, spread: 'capacity' } } }, want: { skew: { 'capacity p': [2, 2] } } },
  'H6 over the capacity types of a pool that names both': {
    given: { pools: { default: { needs: 'capacity in spot on-demand' } }, pods: { p: { count: 4, spread: 'capacity' } } },
    want: { skew: { 'capacity p': [2, 2] } },
  },
  'H7 one is spot, and the pool is on demand': {
    given: {
      pools: { default: { needs: 'capacity=on-demand' } },
      nodes: { n1: { labels: 'capacity=spot', ...FULL } },
      pods: { old: { on: 'n1', ...OLD }, p: { count: 5, spread: 'capacity' } },
    },
    want: { skew: { 'capacity p': [1, 2] }, unplaced: { p: ['SCHEDULING.SPREAD', 3] } },
  },
  'H8 the same, as a wish': {
    given: {
      pools: { default: { needs: 'capacity=on-demand' } },
      nodes: { n1: { labels: 'capacity=spot', ...FULL } },
      pods: { old: { on: 'n1', ...OLD }, p: { count: 5, spread: [{ over: 'capacity', soft: true }] } },
    },
    want: { skew: { 'capacity p': [1, 5] } },
  },
  'H9 who is not counted': {
    given: {
      nodes: { n1: { labels: 'capacity=spot', ...FULL }, n2: { labels: 'capacity=on-demand', ...FULL } },
      pods: {
        old: { on: 'n1', ...OLD },
        other: { count: 3, on: 'n2', labels: 'app=other' },
        ending: { count: 3, on: 'n2', ...OLD, over: { deletedAt: NOW } },
        done: { count: 3, on: 'n2', ...OLD, over: { phase: 'Succeeded' } },
        p: { count: 4, spread: 'capacity' },
      },
    },
    want: { skew: { 'capacity p': [2, 3] } },
  },
  'H10 one pod, no selector': { given: { pods: { p: { spread: [{ over: 'capacity', of: null }] } } }, want: { claims: 1 } },
  'H11 pods that spread by others and are not counted themselves': {
    given: { pods: { p: { count: 5, spread: [{ over: 'capacity', of: 'app=q' }] } } },
    want: { claims: [{ pods: 'p' }] },
  },
  'H12 a node that the pods’ selector leaves out is no domain for them': {
    given: {
      nodes: { n1: { labels: 'zone=z1 capacity=on-demand', ...FULL } },
      pods: { old: { on: 'n1', ...OLD }, p: { count: 5, select: 'zone=z2 capacity=spot', spread: 'capacity' } },
    },
    want: { skew: { 'capacity p': [1, 5] } },
  },
  'H12.1 a node that nothing leaves out is one': {
    given: {
      pools: { default: { needs: 'capacity=spot' } },
      nodes: { n1: { labels: 'capacity=on-demand', ...FULL } },
      pods: { old: { on: 'n1', ...OLD }, p: { count: 5, spread: 'capacity' } },
    },
    want: { skew: { 'capacity p': [1, 2] }, unplaced: { p: ['SCHEDULING.SPREAD', 3] } },
  },
  'H12.2 the same over architectures': {
    given: {
      pools: { default: { needs: 'arch=arm64' } },
      nodes: { n1: FULL },
      pods: { old: { on: 'n1', ...OLD }, p: { count: 5, spread: 'arch' } },
    },
    want: { skew: { 'arch p': [1, 2] }, unplaced: { p: ['SCHEDULING.SPREAD', 3] } },
  },

  'H13 zones by one and hosts by three': {
    given: { pods: { p: { count: 2, spread: ZONE_AND_HOST } } },
    want: { skew: { 'zone p': [1, 1] } },
    then: [
      growTo(5, ZONE_AND_HOST, { 'zone p': [1, 2, 2] }),
      growTo(10, ZONE_AND_HOST, { 'zone p': [3, 3, 4] }),
      growTo(21, ZONE_AND_HOST, { 'zone p': [7, 7, 7] }),
    ],
  },
  'H14 a label of the user’s own sets the share of spot': {
    given: {
      pools: { spot: { needs: 'capacity=spot, share in 2 3 4 5' }, rest: { needs: 'capacity=on-demand, share=1' } },
      pods: { p: { count: 20, spread: 'share' } },
    },
    want: { skew: { 'share p': [4, 4, 4, 4, 4], 'capacity p': [4, 16] } },
  },
  'H15 a zone whose pool cannot make nodes does not count': {
    given: {
      pools: { a: { needs: 'zone in z1 z2' }, b: { needs: 'zone=z3, type=none' } },
      pods: { p: { count: 10, spread: 'zone hostname' } },
    },
    want: { skew: { 'zone p': [5, 5], 'hostname p': Array.from({ length: 10 }, () => 1) } },
  },
  'H16 capacity types by one and hosts by three': {
    given: { pods: { p: { count: 2, spread: CAPACITY_AND_HOST } } },
    want: { skew: { 'capacity p': [1, 1] } },
    then: [
      growTo(5, CAPACITY_AND_HOST, { 'capacity p': [2, 3] }),
      growTo(10, CAPACITY_AND_HOST, { 'capacity p': [5, 5] }),
      growTo(21, CAPACITY_AND_HOST, { 'capacity p': [10, 11] }),
    ],
  },
  'H17 capacity types and zones by one each': {
    given: { pods: { p: { count: 2, spread: CAPACITY_AND_ZONE } } },
    want: { fullest: { 'capacity p': 1, 'zone p': 1 } },
    then: [
      { given: { pods: { p: { count: 5, spread: CAPACITY_AND_ZONE } } }, want: { fullest: { 'capacity p': 3, 'zone p': 2 } } },
      {
        given: { pods: { p: { count: 8, spread: CAPACITY_AND_ZONE } } },
        want: { fullest: { 'capacity p': 5, 'zone p': 4 } },
        firstFit: { fullest: { 'capacity p': 5, 'zone p': 4 }, someUnplaced: true },
      },
      {
        given: { pods: { p: { count: 19, spread: CAPACITY_AND_ZONE } } },
        want: { fullest: { 'capacity p': 11, 'zone p': 7 } },
        firstFit: { fullest: { 'capacity p': 11, 'zone p': 7 }, someUnplaced: true },
      },
    ],
  },
  'H18 all three together, fourteen passes': {
    given: { pods: { p: { count: 1, spread: ALL_THREE } } },
    want: { claims: 1 },
    then: Array.from({ length: 13 }, (_, index): Step => {
      const pods = { p: { count: ((index + 2) * (index + 3)) / 2, spread: ALL_THREE } }
      const want = { level: { 'capacity p': 1, 'zone p': 2 }, fullest: { 'hostname p': 3 } }
      return { given: { pods }, want, firstFit: { ...want, someUnplaced: true } }
    }),
  },

  'H18.1 a machine that may come to be one of those that a spread looks at': {
    given: {
      nodes: { n1: { labels: 'capacity=spot zone=z2', room: { pods: 0 } } },
      pods: { p: OF_SET, q: { ...OF_SET, needs: ['capacity=spot', 'cpus > 7'] } },
    },
    want: {
      claims: [
        { pods: 'p', zone: 'z1' },
        { pods: 'q', zone: 'z2' },
      ],
    },
  },

  'H19 two revisions spread each for itself': {
    given: {
      pods: {
        a: { count: 2, labels: 'app=p rev=1', spread: [{ over: 'hostname', of: 'app=p', keys: ['rev'] }] },
        b: { count: 2, labels: 'app=p rev=2', spread: [{ over: 'hostname', of: 'app=p', keys: ['rev'] }] },
      },
    },
    want: { claims: 2, skew: { 'hostname p': [2, 2] } },
  },
  'H20 a key of a label that the pods do not have changes nothing': {
    given: { pods: { p: { count: 4, spread: [{ over: 'hostname', keys: ['rev'] }] } } },
    want: { skew: { 'hostname p': [1, 1, 1, 1] } },
  },
  'H21 taints ignored: tainted nodes are domains': {
    given: { pools: { default: { labels: 'tier=baz' } }, nodes: BOTH_TIERS, pods: { p: { count: 5, spread: 'tier' } } },
    want: { skew: { 'tier p': [1] }, unplaced: { p: ['SCHEDULING.SPREAD', 4] } },
  },
  'H21.1 taints honoured: tainted nodes are none': {
    given: {
      pools: { default: { labels: 'tier=baz' } },
      nodes: BOTH_TIERS,
      pods: { p: { count: 5, spread: [{ over: 'tier', taints: 'Honor' }] } },
    },
    want: { skew: { 'tier p': [5] } },
  },
  'H22 taints ignored: a tainted pool’s values are domains': {
    given: {
      pools: { a: { labels: 'tier=foo', taints: 'dedicated' }, b: { labels: 'tier=bar' } },
      pods: { p: { count: 2, spread: 'tier' } },
    },
    want: { skew: { 'tier p': [1] }, unplaced: { p: ['SCHEDULING.SPREAD', 1] } },
  },
  'H22.1 taints honoured: they are none': {
    given: {
      pools: { a: { labels: 'tier=foo', taints: 'dedicated' }, b: { labels: 'tier=bar' } },
      pods: { p: { count: 2, spread: [{ over: 'tier', taints: 'Honor' }] } },
    },
    want: { skew: { 'tier p': [2] } },
  },
  'H23 pools whose taints exclude each other, and whose zones meet': {
    given: {
      pools: { a: { needs: 'zone in z1 z2', taints: 'a' }, b: { needs: 'zone in z2 z3', taints: 'b' } },
      pods: {
        p: { count: 4, tolerates: 'a', spread: [{ over: 'zone', taints: 'Honor' }] },
        q: { count: 4, tolerates: 'b', spread: [{ over: 'zone', taints: 'Honor' }] },
        r: { count: 6, tolerates: 'a b', spread: [{ over: 'zone', taints: 'Honor' }] },
      },
    },
    want: { skew: { 'zone p': [2, 2], 'zone q': [2, 2], 'zone r': [2, 2, 2] } },
  },
  'H24 node affinity ignored: nodes the pods do not select are domains': {
    given: {
      pools: { default: { labels: 'tier=baz team=a' } },
      nodes: BARE_TIERS,
      pods: { p: { count: 5, select: 'team=a', spread: [{ over: 'tier', affinity: 'Ignore' }] } },
    },
    want: { skew: { 'tier p': [1] }, unplaced: { p: ['SCHEDULING.SPREAD', 4] } },
  },
  'H24.1 node affinity honoured: they are none': {
    given: {
      pools: { default: { labels: 'tier=baz team=a' } },
      nodes: BARE_TIERS,
      pods: { p: { count: 5, select: 'team=a', spread: 'tier' } },
    },
    want: { skew: { 'tier p': [5] } },
  },
  'H29 capacity types, with selectors on them': {
    given: {
      pods: {
        a: { count: 5, labels: 'app=p', select: 'capacity=spot', spread: [{ over: 'capacity', of: 'app=p' }] },
        b: { count: 5, labels: 'app=p', select: 'capacity=on-demand', spread: [{ over: 'capacity', of: 'app=p' }] },
      },
    },
    want: { skew: { 'capacity p': [5, 5] } },
  },
  'H30 capacity types, first held to one, then free': {
    given: { pods: { a: { count: 3, labels: 'app=p', needs: 'capacity=spot', spread: [{ over: 'capacity', of: 'app=p' }] } } },
    want: { skew: { 'capacity p': [3] } },
    then: [
      {
        given: { pods: { b: { labels: 'app=p', needs: 'capacity in spot on-demand', spread: [{ over: 'capacity', of: 'app=p' }] } } },
        want: { skew: { 'capacity p': [1, 3] } },
      },
      {
        given: { pods: { c: { count: 5, labels: 'app=p', spread: [{ over: 'capacity', of: 'app=p' }] } } },
        want: { skew: { 'capacity p': [4, 5] } },
      },
    ],
  },
  'H31 a domain that the pod may not use holds up the others where its node affinity is ignored': {
    given: {
      nodes: { n1: { room: { pods: 1 } } },
      pods: { old: { labels: 'app=p', on: 'n1' }, p: { select: 'zone=z1', spread: [{ over: 'zone', affinity: 'Ignore' }] } },
    },
    want: { claims: 0, unplaced: { p: 'SCHEDULING.SPREAD' } },
  },
}

/** A step with more pods of the same app. */
function growTo(count: number, spread: typeof ZONE_AND_HOST | typeof CAPACITY_AND_HOST, skew: NonNullable<Step['want']['skew']>): Step {
  return { given: { pods: { p: { count, spread } } }, want: { skew, fullest: { 'hostname p': 3 } } }
}
