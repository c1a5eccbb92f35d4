import { size, sold } from './fixtureTypes.ts'
import type { Scenarios } from './scenario.ts'

const SMALL = size('small', {
  cpus: 2,
  offerings: [sold(0.2, 'z1 spot'), sold(0.4, 'z1'), sold(0.02, 'z1 reserved', { id: 'rs', remaining: 1 })],
})
const MEDIUM = size('medium', {
  cpus: 3,
  offerings: [sold(0.3, 'z1 spot'), sold(0.6, 'z1'), sold(0.03, 'z1 reserved', { id: 'rm', remaining: 1 })],
})
const LARGE = size('large', { cpus: 6, offerings: [sold(0.6, 'z1 spot'), sold(1.2, 'z1')] })
const PLAIN = size('small', { cpus: 2, offerings: [sold(0.2, 'z1 spot'), sold(0.4, 'z1')] })
const reservedAs = (id: string, remaining = 1) => [
  size('small', { cpus: 2, offerings: [sold(0.4, 'z1'), sold(0.02, 'z1 reserved', { id, remaining })] }),
]
const ALONE = { count: 2, apart: 'app=p over hostname' } as const
const ONE_EACH = [{ capacity: 'reserved' }, { capacity: 'on-demand' }] as const
const DEFERRED = { p: ['SCHEDULING.RESERVATION', 1] } as const

/**
 * Reserved capacity: used first, and never more than there is. First fit holds every reservation that a claim may use, and other pods wait for the
 * next pass. The cheapest plan decides which claim uses which reservation.
 */
export const RESERVED: Scenarios = {
  'C1 three pods, two reservations': {
    given: { types: [SMALL, MEDIUM, LARGE], pods: { p: { count: 3, asks: { cpu: 1.8 } } } },
    want: {
      claims: [
        { type: 'small', capacity: 'reserved' },
        { type: 'medium', capacity: 'reserved' },
        { type: 'small', capacity: 'on-demand spot' },
      ],
    },
    firstFit: { claims: [{ pods: 1, type: 'small', capacity: 'reserved' }], unplaced: { p: ['SCHEDULING.RESERVATION', 2] } },
    then: [
      { want: { claims: 0 }, firstFit: { claims: [{ pods: 1, type: 'medium', capacity: 'reserved' }], unplaced: DEFERRED } },
      { want: { claims: 0 }, firstFit: { claims: [{ pods: 1, type: 'small', capacity: 'on-demand spot' }] } },
    ],
  },
  'C2 two pools that share one reservation': {
    given: { types: reservedAs('r'), pools: { a: {}, b: {} }, pods: { p: ALONE } },
    want: { claims: ONE_EACH },
    firstFit: { claims: [{ pods: 1, capacity: 'reserved' }], unplaced: DEFERRED },
    then: [{ want: { claims: 0 }, firstFit: { claims: [{ pods: 1, capacity: 'on-demand' }] } }],
  },
  'C3 two pools with a reservation each': {
    given: {
      types: { a: reservedAs('ra'), b: reservedAs('rb') },
      pools: { a: { class: 'a' }, b: { class: 'b' } },
      pods: { p: { select: 'pool=a' }, q: { select: 'pool=b' } },
    },
    want: {
      claims: [
        { pods: 'p', capacity: 'reserved', labels: 'reservation=ra' },
        { pods: 'q', capacity: 'reserved', labels: 'reservation=rb' },
      ],
    },
  },
  'C4 two reservations of one size, of one and two': {
    given: {
      types: [
        size('small', {
          cpus: 2,
          offerings: [
            sold(0.4, 'z1'),
            sold(0.01, 'z1 reserved', { id: 'r1', remaining: 1 }),
            sold(0.02, 'z2 reserved', { id: 'r2', remaining: 2 }),
          ],
        }),
      ],
      pods: { p: { count: 4, apart: 'app=p over hostname' } },
    },
    want: { claims: [{ times: 3, capacity: 'reserved' }, { capacity: 'on-demand' }] },
    firstFit: { claims: [{ times: 2, capacity: 'reserved' }], unplaced: { p: ['SCHEDULING.RESERVATION', 2] } },
    then: [
      { want: { claims: 0 }, firstFit: { claims: [{ capacity: 'reserved' }], unplaced: DEFERRED } },
      { want: { claims: 0 }, firstFit: { claims: [{ capacity: 'on-demand' }] } },
    ],
  },
  'C5 the heavier pool’s reservation is used up: nobody goes to the lighter pool for it': {
    given: {
      types: { a: reservedAs('r'), b: [PLAIN] },
      pools: { heavy: { class: 'a', weight: 10 }, light: { class: 'b' } },
      pods: { p: ALONE },
    },
    want: { claims: ONE_EACH, every: { pool: 'heavy' } },
    firstFit: { claims: [{ pool: 'heavy', capacity: 'reserved' }], unplaced: DEFERRED },
    then: [{ want: { claims: 0 }, firstFit: { claims: [{ pool: 'heavy', capacity: 'on-demand' }] } }],
  },
  'C6 the preferred pool’s reservation is used up: nobody gives up the preference for it': {
    given: {
      types: { a: reservedAs('r'), b: [PLAIN] },
      pools: { one: { class: 'a' }, two: { class: 'b' } },
      pods: { p: { ...ALONE, prefers: 'pool=one' } },
    },
    want: { claims: ONE_EACH, every: { pool: 'one' } },
    firstFit: { claims: [{ pool: 'one', capacity: 'reserved' }], unplaced: DEFERRED },
    then: [{ want: { claims: 0 }, firstFit: { claims: [{ pool: 'one', capacity: 'on-demand' }] } }],
  },
  'C7 pods that need reserved capacity and one zone': {
    given: { types: [SMALL, MEDIUM], pods: { p: { count: 2, asks: { cpu: 0.5 }, needs: 'capacity=reserved', near: 'app=p over zone' } } },
    want: { claims: [{ pods: 'p', capacity: 'reserved' }] },
  },
  'C8 never more than there is': {
    given: { types: reservedAs('r', 2), pods: { p: { count: 5, needs: 'capacity=reserved', apart: 'app=p over hostname' } } },
    want: { claims: [{ times: 2, capacity: 'reserved' }], unplaced: { p: ['SCHEDULING.RESERVATION', 3] } },
  },
  'C9 what is reserved comes first though it may be larger': {
    given: { types: [PLAIN, MEDIUM], pods: { p: { asks: { cpu: 1 } } } },
    want: { claims: [{ type: 'medium', capacity: 'reserved', labels: 'reservation=rm' }] },
  },
  'RV-01 a reservation with nothing left, and nothing else will do: no claim, not even on demand': {
    given: { types: reservedAs('r', 0), pods: { p: { needs: 'capacity=reserved' } } },
    want: { claims: 0, unplaced: { p: 'SCHEDULING.OFFERING' } },
  },
  'RV-05 the pool of the reservation has nothing left: the lighter pool serves': {
    given: {
      types: reservedAs('r', 0),
      pools: { heavy: { needs: 'capacity=reserved', weight: 10 }, light: { needs: 'capacity=on-demand' } },
      pods: { p: {} },
    },
    want: { claims: [{ pool: 'light', capacity: 'on-demand' }] },
  },
  'C10 a reservation with nothing left is none': {
    given: { types: reservedAs('r', 0), pods: { p: {} } },
    want: { claims: [{ capacity: 'on-demand' }] },
  },
}
