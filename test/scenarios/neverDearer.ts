import { instanceType, offering } from '../builders/instanceType.ts'
import type { Scenarios } from './scenario.ts'

const ZONES = ['z1', 'z2', 'z3']
const WIDE = instanceType({ name: 'wide', cpus: 8, memoryGib: 64, price: 0.9, spotPrice: 0.3, zones: ZONES })
const LEAN = instanceType({ name: 'lean', cpus: 4, memoryGib: 8, price: 0.6, spotPrice: 0.2, zones: ZONES })

/** Spot is available in every zone. On demand is not available in one zone. */
const PATCHY = instanceType({
  name: 'patchy',
  cpus: 8,
  memoryGib: 64,
  offerings: ZONES.flatMap((zone) => [
    offering({ zone, price: 0.9, available: zone !== 'z2' }),
    offering({ zone, price: 0.3, capacityType: 'spot' }),
  ]),
})

/** Spot is not available in one zone, and on demand is not available in another. */
const SPOT_IN_TWO = instanceType({
  name: 'two',
  cpus: 8,
  memoryGib: 32,
  offerings: ZONES.flatMap((zone) => [
    offering({ zone, price: 0.9, available: zone !== 'z1' }),
    offering({ zone, price: 0.3, capacityType: 'spot', available: zone !== 'z3' }),
  ]),
})

/** Spot is offered in zone z2 only, which the pools here exclude. */
const LEAN_ELSEWHERE = instanceType({
  name: 'lean',
  cpus: 4,
  memoryGib: 8,
  offerings: [
    offering({ zone: 'z1', price: 0.6 }),
    offering({ zone: 'z2', price: 0.6 }),
    offering({ zone: 'z2', capacityType: 'spot', price: 0.2 }),
  ],
})

/** Clusters on which first fit is lucky. The engine's plan must cost no more and place no fewer pods. */
export const NEVER_DEARER: Scenarios = {
  'ND1 a zone chosen by its name is sold out in the pool without a taint': {
    given: {
      types: [PATCHY],
      pools: { soft: { taints: 'rather-not:PreferNoSchedule' }, firm: { needs: 'capacity=on-demand' } },
      pods: { p: { count: 2, asks: { cpu: 0.1 }, spread: 'zone' } },
    },
    want: { priceAtMost: 1.2 },
    firstFit: {},
  },
  'ND2 a claim that is held to a zone later frees the others': {
    given: {
      types: [WIDE],
      pools: { default: { needs: 'zone in z2 z3' } },
      pods: {
        pinned: { asks: { cpu: 3.5 }, labels: 'app=x', select: 'zone=z3' },
        open: { asks: { cpu: 4 }, labels: 'app=x' },
        lonely: { asks: { cpu: 1 }, labels: 'app=x', apart: 'app=x over zone' },
      },
    },
    want: { claims: 2 },
  },
  'ND3 what a pod without a place asks binds no other': {
    given: {
      types: [WIDE, LEAN_ELSEWHERE],
      pools: { default: { needs: 'zone=z1, type exists min 2' } },
      pods: {
        p: { asks: { cpu: 1 }, labels: 'app=x' },
        nowhere: { labels: 'app=x', select: 'zone=z9', spread: [{ over: 'capacity', of: 'app=x' }] },
      },
    },
    want: { price: 0.3, unplaced: { nowhere: 'SCHEDULING.REQUIREMENT' } },
  },
  'ND4 to keep apart from nobody leaves the capacity type open': {
    given: {
      types: [WIDE, LEAN_ELSEWHERE],
      pools: { default: { needs: 'zone=z1, type exists min 2' } },
      pods: { p: { apart: 'app=nobody over capacity' } },
    },
    want: { price: 0.3 },
  },
  'ND5 a claim on its way is near its like whatever it becomes': {
    given: {
      types: [WIDE],
      nodes: {
        n1: { labels: 'zone=z1 capacity=spot', room: { cpu: 1 } },
        n2: { labels: 'zone=z2 capacity=on-demand', room: { cpu: 1 } },
        n3: { stage: 'created', needs: 'type=wide, zone=z3' },
      },
      pods: {
        a: { on: 'n1', asks: { cpu: 0.5 }, labels: 'app=x' },
        b: { on: 'n2', asks: { cpu: 0.5 }, labels: 'app=x' },
        p: { asks: { cpu: 3 }, near: 'app=x over capacity' },
      },
    },
    want: { claims: 0, on: { n3: 'p' } },
  },
  'ND6 a soft spread over what is not decided is given up rather than paid for': {
    given: {
      types: [LEAN],
      pods: {
        p: { asks: { cpu: 3 }, labels: 'app=x', spread: [{ over: 'hostname', of: 'app=x' }] },
        q: { asks: { cpu: 1 }, labels: 'app=x', spread: [{ over: 'capacity', of: 'app=x', soft: true }] },
      },
    },
    want: { priceAtMost: 0.4 },
    firstFit: {},
  },
  'ND7 pods that can only be bound between others': {
    given: {
      types: [WIDE],
      nodes: { n1: { labels: 'zone=z2 capacity=spot', room: { cpu: 4 } } },
      pods: {
        big: { count: 3, asks: { cpu: 7 }, labels: 'app=x', select: 'zone=z1' },
        p: {
          count: 3,
          asks: { cpu: 1.5 },
          labels: 'app=x',
          spread: [
            { over: 'capacity', of: 'app=x', skew: 2 },
            { over: 'zone', of: 'app=x' },
          ],
        },
      },
    },
    want: { on: { n1: 2 }, priceAtMost: 1.8 },
    firstFit: {},
  },
  'ND8 a pod that would rather be apart from one that may still come to any zone': {
    given: {
      types: [SPOT_IN_TWO],
      pools: { spot: { weight: 10, needs: 'capacity=spot' }, rest: {} },
      pods: {
        p: { asks: { cpu: 1.5 }, labels: 'app=x' },
        q: { asks: { cpu: 1.5 }, labels: 'app=x', preferApart: 'app=x over zone' },
      },
    },
    want: { priceAtMost: 0.3 },
    firstFit: {},
  },
}
