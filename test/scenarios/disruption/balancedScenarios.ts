import { size, sold } from '../fixtureTypes.ts'
import type { MoveScenarios } from './moveScenario.ts'

const BALANCED_POOL = { default: { consolidationPolicy: 'Balanced' } } as const
const LIGHT = { asks: { cpu: 0.5, memory: 0.5 } } as const
/** Pods that fill a node of four CPUs: three nodes of them need a node of twelve. */
const FULL = { asks: { cpu: 3, memory: 3 } } as const
const ON_THREE = { a: { on: 'n-1', ...FULL }, b: { on: 'n-2', ...FULL }, c: { on: 'n-3', ...FULL } } as const
/** Four pods of little on a dear node. A small node holds them, but they are many of the pods of the pool, and save little of its price. */
const FOUR = { count: 4, asks: { cpu: 0.4, memory: 0.4 } } as const
const DEAR = { labels: 'type=arm arch=arm64', room: { cpu: 15, memory: 120, pods: 200 } } as const
const ON_DEAR = { select: 'arch=arm64', asks: { cpu: 14 } } as const

function oldAnd(price: number) {
  return [size('old', { offerings: [sold(0.5, 'z1')] }), size('new', { cpus: 12, memoryGib: 12, pods: 20, offerings: [sold(price, 'z1')] })]
}

/** A size whose saving is a quarter of the price on demand, and nearly all of it as spot. */
const SPOT_IS_CHEAP = [size('old', { offerings: [sold(0.8, 'z1')] }), size('new', { offerings: [sold(0.6, 'z1'), sold(0.05, 'z1 spot')] })]

/** Pools with the policy Balanced: a move must save enough for what it disrupts. */
export const BALANCED: MoveScenarios = {
  'a large node for a small pod is replaced': {
    given: { nodes: { n1: {} }, pods: { p: { on: 'n1', ...LIGHT } }, policies: BALANCED_POOL },
    want: { replaced: { n1: 'small' } },
  },
  'BI-02 a node of the cheapest size stays that its pods fill': {
    given: {
      nodes: { n1: { labels: 'type=small', room: { cpu: 1.9, memory: 1.9, pods: 5 } } },
      pods: { p: { on: 'n1', asks: { cpu: 1.5, memory: 1.5 } } },
      policies: BALANCED_POOL,
    },
    want: { deleting: 0, replacing: 0, stays: { n1: 'DISRUPTION.NO_SAVING' } },
  },
  'BI-03 three nodes get one cheaper node together': {
    given: { types: oldAnd(0.6), nodes: { n: { count: 3, labels: 'type=old' } }, pods: ON_THREE, policies: BALANCED_POOL },
    want: { replaced: { 'n-1 n-2 n-3': 'new' }, replacing: 1, deleting: 0, saves: 0.9 },
  },
  'BI-03 but not where all of it saves less than half of the price': {
    given: { types: oldAnd(0.9), nodes: { n: { count: 3, labels: 'type=old' } }, pods: ON_THREE, policies: BALANCED_POOL },
    want: { replacing: 0, deleting: 0 },
  },
  'BI-04 nothing goes where the budget says none': {
    given: {
      nodes: { n1: {} },
      pods: { p: { on: 'n1', ...LIGHT } },
      policies: { default: { consolidationPolicy: 'Balanced', budgets: [{ nodes: '0%' }] } },
    },
    want: { deleting: 0, replacing: 0, stays: { n1: 'DISRUPTION.BUDGET' } },
  },
  'BI-05 the empty one goes first where the budget says one': {
    given: {
      nodes: { n1: {}, n2: {} },
      pods: { p: { on: 'n1', ...LIGHT } },
      policies: { default: { consolidationPolicy: 'Balanced', budgets: [{ nodes: '1' }] } },
    },
    want: { goes: { Empty: 'n2' }, deleting: 1, replacing: 0, stays: { n1: 'DISRUPTION.BUDGET' } },
  },
  'BI-06 pods that fit elsewhere let it go': {
    given: { nodes: { n1: {}, n2: {} }, pods: { p: { on: 'n1' }, q: { on: 'n2', asks: { cpu: 2.5 } } }, policies: BALANCED_POOL },
    want: { goes: { Underutilized: 'n1' }, replacing: 0 },
  },
  'BI-07 pods that do not let it be replaced, which saves something': {
    given: {
      nodes: { n1: {}, n2: {} },
      pods: { p: { on: 'n1', ...LIGHT }, q: { on: 'n2', asks: { cpu: 3.5 } } },
      policies: BALANCED_POOL,
    },
    want: { replaced: { n1: 'small' }, deleting: 0, saves: 0.4 },
  },
  'BI-08 of unlike nodes with as many pods the dearest go together': {
    given: {
      types: [
        ...[0.5, 0.6, 0.7].map((price, index) => size(`old-${index + 1}`, { offerings: [sold(price, 'z1', undefined, false)] })),
        size('new', { cpus: 8, memoryGib: 8, pods: 20, offerings: [sold(0.65, 'z1')] }),
      ],
      nodes: { 'n-1': { labels: 'type=old-1' }, 'n-2': { labels: 'type=old-2' }, 'n-3': { labels: 'type=old-3' } },
      pods: ON_THREE,
      policies: { default: { consolidationPolicy: 'Balanced', budgets: [{ nodes: '2' }] } },
    },
    want: { replaced: { 'n-2 n-3': 'new' }, deleting: 0, saves: 0.65 },
  },
  'BI-09 a pool that is Balanced is weighed, and another beside it is not': {
    given: {
      pools: { a: { labels: 'team=a' }, b: { labels: 'team=b' } },
      nodes: {
        n1: { pool: 'a', labels: 'team=a' },
        n2: { pool: 'a', ...DEAR },
        n3: { pool: 'b', labels: 'team=b' },
        n4: { pool: 'b', ...DEAR },
      },
      pods: {
        p: { on: 'n1', ...FOUR, select: 'team=a' },
        q: { on: 'n2', ...ON_DEAR },
        r: { on: 'n3', ...FOUR, select: 'team=b' },
        s: { on: 'n4', ...ON_DEAR },
      },
      policies: { a: { consolidationPolicy: 'Balanced' } },
    },
    want: { replaced: { n3: 'small' }, replacing: 1, stays: { n1: 'DISRUPTION.BALANCE' } },
  },
  'BI-10 a move that saves too little for its pods is not made': {
    given: { nodes: { n1: {}, n2: DEAR }, pods: { p: { on: 'n1', ...FOUR }, q: { on: 'n2', ...ON_DEAR } }, policies: BALANCED_POOL },
    want: { deleting: 0, replacing: 0, stays: { n1: 'DISRUPTION.BALANCE' }, says: 'at least 0.5 is required' },
  },
  'BS-12 spot that a pool must not buy saves nothing': {
    given: {
      types: SPOT_IS_CHEAP,
      pools: { default: { needs: 'capacity in on-demand' } },
      nodes: { n1: { labels: 'type=old' } },
      pods: { p: { on: 'n1', ...FULL } },
      policies: BALANCED_POOL,
    },
    want: { replacing: 0, stays: { n1: 'DISRUPTION.BALANCE' }, says: 'the move scores 0.25' },
  },
  'BS-12 spot that it may buy does': {
    given: { types: SPOT_IS_CHEAP, nodes: { n1: { labels: 'type=old' } }, pods: { p: { on: 'n1', ...FULL } }, policies: BALANCED_POOL },
    want: { replaced: { n1: 'new' }, saves: 0.75 },
  },
  'BS-13 nodes of both policies go': {
    given: {
      pools: { a: { labels: 'team=a' }, b: { labels: 'team=b' } },
      nodes: { n1: { pool: 'a', labels: 'team=a' }, n2: { pool: 'b', labels: 'team=b' } },
      pods: { p: { on: 'n1', ...LIGHT, select: 'team=a' }, q: { on: 'n2', ...LIGHT, select: 'team=b' } },
      policies: { a: { consolidationPolicy: 'Balanced' }, b: { consolidationPolicy: 'WhenEmptyOrUnderutilized' } },
    },
    want: { replaced: { n1: 'small', n2: 'small' } },
  },
}
