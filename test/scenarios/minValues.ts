import { growing, size, sold } from './fixtureTypes.ts'
import type { Scenarios } from './scenario.ts'

const RELAXED = 'karpenter.sh/nodeclaim-min-values-relaxed'
const BEST_EFFORT = { minValuesPolicy: 'BestEffort' } as const
const TWO_PODS = { p: { count: 2, asks: { cpu: 0.9 } } } as const
const TOO_FEW = { claims: 0, unplaced: { p: 'SCHEDULING.MIN_VALUES' } } as const
const LITTLE = size('little', { cpus: 1, labels: { num: '3' } })
const MUCH = size('much', { cpus: 4, labels: { num: '4' } })
const OTHER = size('other', { cpus: 2, labels: { num: '2' } })
const PAIR = [LITTLE, MUCH] as const
const EACH_ITS_OWN = { claims: [{ times: 2, pods: 1, typesAtLeast: 2 }] } as const
const IN_TWO_ZONES = [
  size('a', { offerings: [sold(1, 'z1'), sold(1, 'z2')] }),
  size('b', { offerings: [sold(1, 'z1'), sold(1, 'z2')] }),
] as const

/** Two of three zones must stay. */
const ZONES = { default: { needs: 'zone in z1 z2 z3 min 2, capacity=on-demand' } } as const
/** The same, and a lighter pool that asks for nothing. */
const ZONES_FIRST = { heavy: { ...ZONES.default, weight: 10 }, light: {} } as const
const DISK_IN_Z2 = { volumes: { disk: { needs: 'zone=z2' } }, volumeClaims: { data: { volume: 'disk' } } } as const

/** Pools with minValues: a pod that would leave too few values gets a machine of its own, or none. */
export const MIN_VALUES: Scenarios = {
  'Z1 two named sizes must stay': { given: { types: PAIR, pools: pool('type in little much min 2'), pods: TWO_PODS }, want: EACH_ITS_OWN },
  'Z2 two values above a bound must stay': {
    given: { types: [...PAIR, OTHER], pools: pool('num > 2 min 2'), pods: TWO_PODS },
    want: EACH_ITS_OWN,
  },
  'Z3 the pod leaves one of two': {
    given: { types: [LITTLE, OTHER], pools: pool('num exists min 2'), pods: { p: { needs: 'num > 2' } } },
    want: { ...TOO_FEW, says: 'minValues of num is 2, the instance types that fit have 1' },
  },
  'Z4 two values below a bound must stay': {
    given: {
      types: [
        size('little', { cpus: 1, labels: { num: '2' } }),
        size('much', { labels: { num: '3' } }),
        size('out', { labels: { num: '4' } }),
      ],
      pools: pool('num < 4 min 2'),
      pods: TWO_PODS,
    },
    want: EACH_ITS_OWN,
  },
  'Z5 one value below a bound, two wanted': { given: { types: PAIR, pools: pool('num < 4 min 2'), pods: { p: {} } }, want: TOO_FEW },
  'Z6 two entries for one key: the larger number counts': {
    given: { types: [...PAIR, OTHER], pools: pool('type in little much min 1, type notin other min 2'), pods: TWO_PODS },
    want: EACH_ITS_OWN,
  },
  'Z7 two bounds for one key: the larger number counts': {
    given: { types: [...PAIR, OTHER], pools: pool('num > 2 min 1, num < 9 min 2'), pods: TWO_PODS },
    want: EACH_ITS_OWN,
  },
  'Z8 more sizes wanted than there are': {
    given: { types: growing(10), pools: pool('type exists min 11'), pods: { p: {} } },
    want: TOO_FEW,
  },
  'Z8.1 as many as there are': {
    given: { types: growing(10), pools: pool('type exists min 10'), pods: { p: {} } },
    want: { claims: [{ typesAtLeast: 10 }] },
  },
  'Z9 more than a claim names': {
    given: { types: growing(3), settings: { maxInstanceTypes: 1 }, pools: pool('type exists min 2'), pods: { p: {} } },
    want: TOO_FEW,
  },
  'Z10 any size, and two named ones': {
    given: { types: [...PAIR, OTHER], pools: pool('type exists min 1, type in little much min 2'), pods: TWO_PODS },
    want: EACH_ITS_OWN,
  },
  'Z11 two architectures must stay': {
    given: { types: [LITTLE, size('arm', { arch: 'arm64' })], pools: pool('arch exists min 2, type exists min 1'), pods: TWO_PODS },
    want: EACH_ITS_OWN,
  },
  'Z12 two of three named sizes exist': {
    given: { types: PAIR, pools: pool('type in little much none min 3'), pods: { p: {} } },
    want: TOO_FEW,
  },
  'Z13 the same, as well as can be': {
    given: { types: PAIR, settings: BEST_EFFORT, pools: pool('type in little much none min 3'), pods: { p: {} } },
    want: { claims: [{ needs: 'type in little much min 2', annotations: { [RELAXED]: 'true' } }] },
  },
  'Z13.1 as well as can be, where all can be': {
    given: { types: PAIR, settings: BEST_EFFORT, pools: pool('type in little much min 2'), pods: { p: {} } },
    want: { claims: [{ needs: 'type in little much min 2', annotations: { [RELAXED]: 'false' } }] },
  },
  'Z14 as well as can be comes before a lighter pool': {
    given: { types: PAIR, settings: BEST_EFFORT, pools: { heavy: { needs: 'type exists min 3', weight: 10 }, light: {} }, pods: { p: {} } },
    want: { claims: [{ pool: 'heavy', annotations: { [RELAXED]: 'true' } }] },
  },
  'Z14.1 strictly, the lighter pool is next': {
    given: { types: PAIR, pools: { heavy: { needs: 'type exists min 3', weight: 10 }, light: {} }, pods: { p: {} } },
    want: { claims: [{ pool: 'light' }] },
  },
  'Z15 of two pools that can, the heavier': {
    given: {
      types: PAIR,
      pools: { heavy: { needs: 'type exists min 2', weight: 10 }, light: { needs: 'type exists min 2' } },
      pods: { p: {} },
    },
    want: { claims: [{ pool: 'heavy' }] },
  },
  'Z16 three zones wanted, two there': {
    given: { types: IN_TWO_ZONES, pools: pool('zone in z1 z2 z3 min 3'), pods: { p: {} } },
    want: TOO_FEW,
  },
  'Z16.1 the same, as well as can be': {
    given: { types: IN_TWO_ZONES, settings: BEST_EFFORT, pools: pool('zone in z1 z2 z3 min 3'), pods: { p: {} } },
    want: { claims: [{ annotations: { [RELAXED]: 'true' } }] },
  },
  'Z17 sizes and zones, as well as can be': {
    given: { types: IN_TWO_ZONES, settings: BEST_EFFORT, pools: pool('zone in z1 z2 z3 min 3, type in a none min 2'), pods: { p: {} } },
    want: { claims: [{ needs: 'type=a min 1', annotations: { [RELAXED]: 'true' } }] },
  },
  'Z18 relaxed for one pod and not for another': {
    given: {
      types: growing(3),
      settings: BEST_EFFORT,
      pools: pool('type exists min 2'),
      pods: { p: { asks: { cpu: 0.2 }, select: 'type=it-1' }, q: { asks: { cpu: 0.1 }, apart: 'app=p over hostname' } },
    },
    want: {
      claims: [
        { pods: 'p', annotations: { [RELAXED]: 'true' } },
        { pods: 'q', annotations: { [RELAXED]: 'false' } },
      ],
    },
  },
  'Z19 as many sizes as a claim can name': {
    given: { types: growing(60), settings: { maxInstanceTypes: 40 }, pools: pool('type exists min 40'), pods: { p: {} } },
    want: { claims: [{ typesAtLeast: 40 }] },
  },
  'Z20 one more than a claim can name': {
    given: { types: growing(60), settings: { maxInstanceTypes: 40 }, pools: pool('type exists min 41'), pods: { p: {} } },
    want: TOO_FEW,
  },
  'Z20.1 more than the API server lets a claim ask for': {
    given: { types: growing(60), pools: pool('type exists min 51'), pods: { p: {} } },
    want: { claims: 0, unplaced: { p: 'SCHEDULING.CLAIM_INVALID' }, says: 'minValues 51 is not from 1 to 50' },
  },
  'Z21 two zones must stay, and the pod selects one': {
    given: { pools: ZONES, pods: { p: { select: 'zone=z2' } } },
    want: { ...TOO_FEW, says: 'minValues of topology.kubernetes.io/zone is 2, the instance types that fit have 1' },
  },
  'Z21.1 the next pool is tried': {
    given: { pools: ZONES_FIRST, pods: { p: { select: 'zone=z2' } } },
    want: { claims: [{ pool: 'light', zone: 'z2' }] },
  },
  'Z21.2 as well as can be': {
    given: { settings: BEST_EFFORT, pools: ZONES_FIRST, pods: { p: { select: 'zone=z2' } } },
    want: { claims: [{ pool: 'heavy', needs: 'zone=z2 min 1', annotations: { [RELAXED]: 'true' } }] },
  },
  'Z22 a disk leaves one zone': {
    given: { pools: ZONES_FIRST, ...DISK_IN_Z2, pods: { p: { mounts: 'data' } } },
    want: { claims: [{ pool: 'light', zone: 'z2' }] },
  },
  'Z22.1 the only pool': { given: { pools: ZONES, ...DISK_IN_Z2, pods: { p: { mounts: 'data' } } }, want: TOO_FEW },
  'Z22.2 as well as can be': {
    given: { settings: BEST_EFFORT, pools: ZONES_FIRST, ...DISK_IN_Z2, pods: { p: { mounts: 'data' } } },
    want: { claims: [{ pool: 'heavy', needs: 'zone=z2 min 1', annotations: { [RELAXED]: 'true' } }] },
  },
  'Z23 a spread holds each machine to one zone': {
    given: { pools: ZONES_FIRST, pods: { p: { count: 3, spread: 'zone' } } },
    want: { every: { pool: 'light' }, skew: { 'zone p': [1, 1, 1] } },
  },
  'Z23.1 the only pool': { given: { pools: ZONES, pods: { p: { spread: 'zone' } } }, want: TOO_FEW },
  'Z23.2 as well as can be': {
    given: { settings: BEST_EFFORT, pools: ZONES_FIRST, pods: { p: { count: 3, spread: 'zone' } } },
    want: { every: { pool: 'heavy', annotations: { [RELAXED]: 'true' } }, skew: { 'zone p': [1, 1, 1] } },
  },
  'Z24 anti-affinity over zones does so as well': {
    given: { pools: ZONES_FIRST, pods: { p: { count: 2, apart: 'app=p over zone' } } },
    want: { every: { pool: 'light' }, skew: { 'zone p': [1, 1] } },
    firstFit: { someUnplaced: true },
  },
  'Z24.1 as well as can be': {
    given: { settings: BEST_EFFORT, pools: ZONES_FIRST, pods: { p: { count: 2, apart: 'app=p over zone' } } },
    want: { every: { pool: 'heavy' }, skew: { 'zone p': [1, 1] } },
    firstFit: { someUnplaced: true },
  },
  'Z25 a mere wish for a spread gives way': {
    given: { pools: ZONES, pods: { p: { count: 3, spread: [{ over: 'zone', soft: true }] } } },
    want: { every: { pool: 'default', annotations: { [RELAXED]: 'false' } } },
  },
  'Z25.1 as well as can be': {
    given: { settings: BEST_EFFORT, pools: ZONES, pods: { p: { count: 3, spread: [{ over: 'zone', soft: true }] } } },
    want: { every: { pool: 'default' } },
  },
  'Z26 two capacity types must stay, and the pod selects spot': {
    given: {
      pools: { heavy: { needs: 'capacity in spot on-demand min 2', weight: 10 }, light: {} },
      pods: { p: { select: 'capacity=spot' } },
    },
    want: { claims: [{ pool: 'light', capacity: 'spot' }] },
  },
  'Z26.1 the only pool': {
    given: { pools: pool('capacity in spot on-demand min 2'), pods: { p: { select: 'capacity=spot' } } },
    want: TOO_FEW,
  },
  'Z26.2 as well as can be': {
    given: { settings: BEST_EFFORT, pools: pool('capacity in spot on-demand min 2'), pods: { p: { select: 'capacity=spot' } } },
    want: { claims: [{ needs: 'capacity=spot min 1', annotations: { [RELAXED]: 'true' } }] },
  },
  'Z27 the pod selects one of the systems of a size': {
    given: { pools: pool('os in linux windows min 2'), pods: { p: { select: 'os=linux' } } },
    want: TOO_FEW,
  },
  'Z28 a label that no size has, as well as can be': {
    given: { settings: BEST_EFFORT, pools: pool('team in a b min 2'), pods: { p: {} } },
    want: { claims: [{ needs: 'team in a b', annotations: { [RELAXED]: 'true' } }] },
  },
}

function pool(needs: string) {
  return { default: { needs } }
}
