/** Clusters with few nodes, in which an obvious move would prevent a better one. */
import { size, sold } from '../fixtureTypes.ts'
import type { MoveScenarios } from './moveScenario.ts'

const ON_8 = { cpu: 7.9, memory: 7.9, pods: 50 } as const
const SMALL = size('small', { offerings: [sold(0.3, 'z1')] })
const SOLD_OUT = sold(1, 'z1', undefined, false)
const ONE_AT_A_TIME = { default: { budgets: [{ nodes: '1' }] } } as const

const THREE_SIZES = [
  size('tiny', { cpus: 1, offerings: [sold(0.1, 'z1')] }),
  size('mid', { offerings: [sold(0.4, 'z1')] }),
  size('dear', { offerings: [sold(0.5, 'z1')] }),
]
/** The node `own` has room for one large pod, or for a small one. */
const DEAR_AND_MID = {
  own: { pool: null, room: { cpu: 3.6 } },
  dear: { labels: 'type=dear', room: { cpu: 3.9 } },
  mid: { labels: 'type=mid', room: { cpu: 3.9 } },
} as const
const LITTLE_AND_MUCH = { a: { on: 'dear', asks: { cpu: 0.5 } }, b: { on: 'mid', asks: { cpu: 3.5 } } } as const

export const WAYS: MoveScenarios = {
  'two spot nodes become one that is smaller, since the one that got the pods of the other could never be replaced': {
    given: {
      types: [
        size('old', { cpus: 8, memoryGib: 8, offerings: [sold(0.8, 'z1 spot')] }),
        size('new', { offerings: [sold(0.3, 'z1 spot')] }),
      ],
      nodes: { n: { count: 2, labels: 'type=old capacity=spot', room: ON_8 } },
      pods: { a: { on: 'n-1', asks: { cpu: 1.5 } }, b: { on: 'n-2', asks: { cpu: 1.5 } } },
    },
    want: { replaced: { 'n-1 n-2': 'new' }, deleting: 0, saves: 1.3 },
  },
  'one node whose pods no cheaper one takes becomes two that are cheaper together': {
    given: {
      types: [size('old', { cpus: 8, memoryGib: 8, offerings: [SOLD_OUT] }), SMALL],
      nodes: { n: { labels: 'type=old', room: ON_8 } },
      pods: { a: { on: 'n', asks: { cpu: 3 } }, b: { on: 'n', asks: { cpu: 3 } } },
    },
    want: { replaced: { n: 'small small' }, saves: 0.4 },
  },
  'one node does not become three, whatever they cost': {
    given: {
      types: [size('old', { cpus: 16, memoryGib: 16, offerings: [SOLD_OUT] }), SMALL],
      nodes: { n: { labels: 'type=old', room: { cpu: 15.9, memory: 15.9, pods: 50 } } },
      pods: { p: { on: 'n', count: 3, asks: { cpu: 3 } } },
    },
    want: { replacing: 0, stays: { n: 'DISRUPTION.NO_SAVING' } },
  },
  'of two moves the budget lets one go, and that is the one that saves more': {
    given: {
      types: [size('old', { cpus: 8, memoryGib: 8, offerings: [sold(1, 'z1')] }), SMALL],
      nodes: { dear: { labels: 'type=old', room: ON_8 }, cheap: { labels: 'type=small' } },
      pods: { a: { on: 'dear', asks: { cpu: 2.5 } }, b: { on: 'cheap', asks: { cpu: 2.5 } } },
      policies: ONE_AT_A_TIME,
    },
    want: { replaced: { dear: 'small' }, deleting: 0, saves: 0.7 },
  },
  'a size of which one goes keeps nothing cheaper away where it could only be bought for more than all that goes': {
    given: {
      types: [
        size('old', { cpus: 8, memoryGib: 8, offerings: [sold(0.5, 'z1 spot'), sold(3, 'z1')] }),
        size('mid', { offerings: [sold(0.4, 'z1')] }),
        size('new', { cpus: 10, memoryGib: 10, offerings: [sold(0.7, 'z1')] }),
      ],
      nodes: { x: { labels: 'type=old capacity=spot', room: ON_8 }, y: { labels: 'type=mid' } },
      pods: { a: { on: 'x', asks: { cpu: 4.5 } }, b: { on: 'y', asks: { cpu: 3 }, needs: 'capacity=on-demand' } },
    },
    want: { replaced: { 'x y': 'new' }, saves: 0.2 },
  },
  'a node that saves less goes first, since the pod of the dearer one would take its place': {
    given: { types: THREE_SIZES, nodes: DEAR_AND_MID, pods: LITTLE_AND_MUCH, policies: ONE_AT_A_TIME },
    want: { goes: { Underutilized: 'mid' }, replacing: 0, stays: { dear: 'DISRUPTION.WAVE' } },
  },
  'a node stays while an empty one goes, if another node should go before it, whose budget is used up': {
    given: {
      types: THREE_SIZES,
      pools: { default: {}, other: {} },
      nodes: {
        ...DEAR_AND_MID,
        mid: { ...DEAR_AND_MID.mid, pool: 'other' },
        empty: { labels: 'type=dear', room: { cpu: 3.9 } },
      },
      pods: { a: { on: 'mid', asks: { cpu: 0.5 } }, b: { on: 'dear', asks: { cpu: 3.5 } } },
      policies: ONE_AT_A_TIME,
    },
    want: { goes: { Empty: 'empty' }, deleting: 1, replacing: 0, stays: { dear: 'DISRUPTION.BUDGET', mid: 'DISRUPTION.WAVE' } },
  },
}
