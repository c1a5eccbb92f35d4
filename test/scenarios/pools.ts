import { durationMs } from '../../shared/model/units.ts'
import { GPU, size } from './fixtureTypes.ts'
import type { Scenarios } from './scenario.ts'

const TWO = { one: {}, two: {} } as const

/** Several pools, and pools that cannot be used. */
export const POOLS: Scenarios = {
  'G1 one pod, one node': { given: { pods: { p: {} } }, want: { claims: [{ pods: 'p' }] } },
  'G1.1 a hundred pods, all of them': {
    given: { pods: { p: { count: 100 } } },
    want: { price: 8 },
    firstFit: { claims: [{ times: 20, pods: 5 }] },
  },
  'G2 the pool’s grace period is the claim’s': {
    given: { pools: { default: { grace: durationMs(60_000) } }, pods: { p: {} } },
    want: { claims: [{ grace: 60_000 }] },
  },
  'G2.1 no grace period': { given: { pods: { p: {} } }, want: { claims: [{ grace: null }] } },
  'G3 a pool that goes': {
    given: { pools: { default: { deleting: true } }, pods: { p: {} } },
    want: { claims: 0, unplaced: { p: 'POOL.NOT_READY' } },
  },
  'G3.1 a pool that goes, beside one that stays': {
    given: { pools: { z: { deleting: true, weight: 100 }, a: {} }, pods: { p: {} } },
    want: { claims: [{ pool: 'a' }] },
  },
  'G4 values that nobody has, of labels that are well known': {
    given: {
      pods: {
        a: { select: 'pool=unknown' },
        b: { select: 'zone=unknown' },
        c: { select: 'type=unknown' },
        d: { select: 'arch=unknown' },
        e: { select: 'os=unknown' },
        f: { needs: 'capacity=spot, capacity=on-demand' },
      },
    },
    want: {
      claims: 0,
      unplaced: {
        a: 'SCHEDULING.REQUIREMENT',
        b: 'SCHEDULING.REQUIREMENT',
        c: 'SCHEDULING.REQUIREMENT',
        d: 'SCHEDULING.REQUIREMENT',
        e: 'SCHEDULING.REQUIREMENT',
        f: 'SCHEDULING.REQUIREMENT',
      },
    },
  },
  'G5 accelerators of two vendors': {
    given: { pods: { p: { asks: { [GPU.a]: 1 } }, q: { asks: { [GPU.b]: 1 } } } },
    want: { claims: 2 },
  },
  'G6 one pod a machine': {
    given: { types: [size('one', { pods: 1 })], pods: { p: { count: 3 } } },
    want: { claims: [{ times: 3, pods: 1 }] },
  },

  'MP1 a pool asked for by name': { given: { pools: TWO, pods: { p: { select: 'pool=one' } } }, want: { claims: [{ pool: 'one' }] } },
  'MP2 a pool asked for by its label': {
    given: { pools: { one: { labels: 'team=a' }, two: {} }, pods: { p: { select: 'team=a' } } },
    want: { claims: [{ pool: 'one' }] },
  },
  'MP3 a pool whose taint asks to be avoided': {
    given: { pools: { one: {}, two: { taints: 'soft:PreferNoSchedule' } }, pods: { p: {} } },
    want: { claims: [{ pool: 'one' }] },
  },
  'MP4 the heaviest pool takes every pod': {
    given: { pools: { none: {}, light: { weight: 20 }, heavy: { weight: 100 } }, pods: { p: { count: 3, apart: 'app=p over hostname' } } },
    want: { claims: 3, every: { pool: 'heavy' } },
  },
  'MP5 a pool asked for by name beats weight': {
    given: { pools: { light: {}, heavy: { weight: 100 } }, pods: { p: { select: 'pool=light' } } },
    want: { claims: [{ pool: 'light' }] },
  },
  'MP6 a static pool alone': {
    given: { pools: { default: { replicas: 2 } }, pods: { p: {} } },
    want: { claims: 0, unplaced: { p: 'POOL.STATIC' } },
  },
  'MP7 a static pool beside another': {
    given: { pools: { z: { replicas: 2 }, a: {} }, pods: { p: {} } },
    want: { claims: [{ pool: 'a' }] },
  },
  'MP8 of pools of one weight the later name': {
    given: { pools: { a: {}, b: {}, c: {} }, pods: { p: {} } },
    want: { claims: [{ pool: 'c' }] },
  },
  'MP9 the heavier pool, though it is dearer': {
    given: {
      types: { cheap: [size('small', { price: 0.1 })], dear: [size('small', { price: 1 })] },
      pools: { a: { class: 'cheap' }, b: { class: 'dear', weight: 10 } },
      pods: { p: {} },
    },
    want: { claims: [{ pool: 'b' }] },
  },
  'MP10 a static pool’s nodes are nodes like others': {
    given: { pools: { default: { replicas: 1 } }, nodes: { n1: {} }, pods: { p: {} } },
    want: { claims: 0, on: { n1: 'p' } },
  },
}
