import { nodeNameOf } from '../builders/nodeClaim.ts'
import { GPU, growing, size } from './fixtureTypes.ts'
import type { Scenarios } from './scenario.ts'

const LIMIT = 'POOL.LIMIT'
const ALONE = { apart: 'app=p over hostname' } as const

/** The limits of pools. */
export const LIMITS: Scenarios = {
  'G10 more is used already': {
    given: { pools: { default: { limits: { cpu: 20 } } }, nodes: { n1: { room: { cpu: 100 } } }, pods: { p: { select: 'arch=arm64' } } },
    want: { claims: 0, unplaced: { p: LIMIT } },
  },
  'G11 within the limit': {
    given: { pools: { default: { limits: { cpu: 2 } } }, pods: { p: { asks: { cpu: 1.75 } } } },
    want: { claims: [{ types: 'small' }] },
  },
  'G12 room for one of two machines': {
    given: { pools: { default: { limits: { cpu: 3 } } }, pods: { p: { ...ALONE, count: 2, asks: { cpu: 1.5 } } } },
    want: { claims: [{ pods: 1 }], unplaced: { p: [LIMIT, 1] } },
  },
  'G12.1 the last machine is for the more important pod, although it is smaller': {
    given: {
      types: [size('a', { cpus: 2, memoryGib: 8 })],
      pools: { default: { limits: { cpu: 2 } } },
      pods: { low: { asks: { cpu: 1.5 } }, high: { asks: { cpu: 1 }, over: { priority: 100 } } },
    },
    want: { claims: [{ pods: 'high' }], unplaced: { low: LIMIT } },
  },
  'G12.2 and although it came later': {
    given: {
      types: [size('a', { cpus: 2, memoryGib: 8 })],
      pools: { default: { limits: { cpu: 2 } } },
      pods: { low: { asks: { cpu: 1.5 } }, high: { asks: { cpu: 1.5 }, over: { priority: 100 } } },
    },
    want: { claims: [{ pods: 'high' }], unplaced: { low: LIMIT } },
  },
  'G12.3 so it is for pods of one size and many priorities': {
    given: {
      types: [size('a', { cpus: 2, memoryGib: 8 })],
      pools: { default: { limits: { nodes: 2 } } },
      pods: {
        a: { asks: { cpu: 1.5 }, over: { priority: -1 } },
        b: { asks: { cpu: 1.9 } },
        c: { asks: { cpu: 1.1 }, over: { priority: 1 } },
        d: { asks: { cpu: 1.5 }, over: { priority: 2 } },
      },
    },
    want: { claims: [{ pods: 'c' }, { pods: 'd' }], unplaced: { a: LIMIT, b: LIMIT } },
  },
  'G12.4 an important pod that no machine suits takes nothing from others': {
    given: {
      types: [size('a', { cpus: 2, memoryGib: 8 })],
      pools: { default: { limits: { nodes: 1 } } },
      pods: { low: { asks: { cpu: 1.5 } }, high: { asks: { cpu: 9 }, over: { priority: 100 } } },
    },
    want: { claims: [{ pods: 'low' }], unplaced: { high: 'SCHEDULING.RESOURCES' } },
  },
  'G13 the machine that would do is beyond it': {
    given: { pools: { default: { limits: { cpu: 2 } } }, pods: { p: { asks: { cpu: 2.1 } } } },
    want: { claims: 0, unplaced: { p: LIMIT }, says: 'limit of cpu' },
  },
  'G14 a limit of pods below what the machine takes': {
    given: { pools: { default: { limits: { pods: 1 } } }, pods: { p: { asks: { [GPU.a]: 1 } } } },
    want: { claims: 0, unplaced: { p: LIMIT } },
  },
  'G15 used up by the pass before': {
    given: { pools: { default: { limits: { cpu: 2 } } }, pods: { p: { asks: { cpu: 1.5 } } } },
    want: { claims: 1 },
    then: [
      { given: { pods: { q: { asks: { cpu: 1.5 } } } }, want: { claims: 0, unplaced: { q: LIMIT } } },
      { want: { claims: 0, unplaced: { q: LIMIT } } },
    ],
  },
  'G15.1 used up by a claim that is only a draft': {
    given: { pools: { default: { limits: { cpu: 2 } } }, pods: { p: { asks: { cpu: 1.5 } } } },
    want: { claims: 1 },
    then: [{ stage: 'draft', given: { pods: { q: { asks: { cpu: 1.5 } } } }, want: { claims: 0, unplaced: { q: LIMIT } } }],
  },
  'G16 a limit of nodes, pass by pass': {
    given: { pools: { default: { limits: { nodes: 2 } } }, pods: { a: { labels: 'app=p', ...ALONE } } },
    want: { claims: 1 },
    then: [
      { given: { pods: { b: { labels: 'app=p', ...ALONE } } }, want: { claims: 1 } },
      { given: { pods: { c: { labels: 'app=p', ...ALONE } } }, want: { claims: 0, unplaced: { c: LIMIT } } },
    ],
  },
  'G17 a limit of nodes within one pass': {
    given: { pools: { default: { limits: { nodes: 2 } } }, pods: { p: { count: 3, ...ALONE } } },
    want: { claims: 2, unplaced: { p: [LIMIT, 1] } },
  },
  'G18 a limit of nothing': {
    given: { pools: { default: { limits: { cpu: 0 } } }, pods: { p: {} } },
    want: { claims: 0, unplaced: { p: LIMIT } },
  },
  'G19 the heavier pool’s limit leaves the rest to the lighter': {
    given: { pools: { heavy: { weight: 10, limits: { nodes: 1 } }, light: {} }, pods: { p: { count: 2, ...ALONE } } },
    want: { claims: [{ pool: 'heavy' }, { pool: 'light' }] },
  },
  'G20 limits hold whichever of its sizes a claim becomes': {
    given: { types: growing(4), pools: { default: { limits: { cpu: 4 } } }, pods: { p: { count: 2, asks: { cpu: 0.9 }, ...ALONE } } },
    want: { someUnplaced: true },
    firstFit: { claims: [{ pods: 1 }], unplaced: { p: [LIMIT, 1] } },
  },
  'G21 nodes without a place in the pool do not count': {
    given: { pools: { default: { limits: { cpu: 2 } } }, nodes: { own: { pool: null, room: { cpu: 100, pods: 0 } } }, pods: { p: {} } },
    want: { claims: [{ types: 'small' }] },
  },
  'G40 a pod that could go elsewhere leaves the only machine of a cheaper pool to one that could not': {
    given: {
      types: [size('cheap', { price: 0.3997 }), size('dear', { price: 0.4 })],
      pools: { one: { needs: 'type=cheap', limits: { nodes: 1 } }, many: { needs: 'type=dear' } },
      pods: { free: { asks: { cpu: 3 } }, pinned: { asks: { cpu: 2.9 }, select: 'pool=one' } },
    },
    want: {
      claims: [
        { pods: 'pinned', pool: 'one' },
        { pods: 'free', pool: 'many' },
      ],
    },
    firstFit: { someUnplaced: true },
  },
  'G41 of three pools a chain of pods makes way': {
    given: {
      types: [size('a', { price: 0.2 }), size('b', { price: 0.3 }), size('c', { price: 0.4 })],
      pools: {
        a: { needs: 'type=a', limits: { nodes: 1 } },
        b: { needs: 'type=b', limits: { nodes: 1 } },
        c: { needs: 'type=c', limits: { nodes: 1 } },
      },
      pods: {
        any: { asks: { cpu: 3.2 } },
        two: { asks: { cpu: 3.1 }, needs: 'pool in a b' },
        one: { asks: { cpu: 3 }, select: 'pool=a' },
      },
    },
    want: {
      claims: [
        { pods: 'one', pool: 'a' },
        { pods: 'two', pool: 'b' },
        { pods: 'any', pool: 'c' },
      ],
    },
    firstFit: { someUnplaced: true },
  },
  'G42 a node that one pod is pinned to is left to it': {
    given: {
      nodes: { n1: { room: { pods: 1 } } },
      volumes: { v1: { onHost: true, needs: `hostname=${nodeNameOf('n1')}` } },
      volumeClaims: { data: { volume: 'v1' } },
      pods: { free: { asks: { cpu: 2 } }, pinned: { asks: { cpu: 1 }, mounts: 'data' } },
    },
    want: { claims: [{ pods: 'free' }], on: { n1: 'pinned' } },
    firstFit: { someUnplaced: true },
  },
  'G43 where there is too little for all, nobody loses a place': {
    given: {
      types: [size('cheap', { price: 0.3 })],
      pools: { one: { limits: { nodes: 1 } } },
      pods: { big: { asks: { cpu: 3 } }, small: { count: 2, asks: { cpu: 2.9 } } },
    },
    want: { claims: [{ pods: 'big' }], unplaced: { small: [LIMIT, 2] } },
  },
  'F37 a limit that old small nodes have filled is named, with what to do, where the smallest new node is beyond it': {
    given: {
      types: growing(8).slice(3),
      pools: { default: { limits: { cpu: 48 } } },
      nodes: Object.fromEntries(Array.from({ length: 24 }, (_, at) => [`n${at}`, { room: { cpu: 2, pods: 0 } }])),
      pods: { p: {} },
    },
    want: { claims: 0, unplaced: { p: LIMIT }, says: 'raise spec.limits.cpu of the nodepool, or remove nodes of the nodepool' },
  },
}
