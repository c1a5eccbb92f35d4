import { vmSizeName } from '../../shared/model/ids.ts'
import { hence, MINUTE, NOW } from '../builders/clock.ts'
import { DAEMON_SET } from '../builders/pod.ts'
import { growing, size, sold } from './fixtureTypes.ts'
import type { Scenarios } from './scenario.ts'

const PAIR = { a: {}, b: {} } as const
const TWO_PRICES = [size('cheap', { price: 0.1 }), size('dear', { price: 0.2 })] as const
const DEMOTED = [{ size: vmSizeName('cheap'), because: 'notBooted', until: hence(MINUTE) }] as const
const refused = (until: ReturnType<typeof hence>) =>
  [{ scope: { kind: 'offering', size: vmSizeName('cheap') }, until, code: 'AZURE.SKU_NOT_AVAILABLE', message: '' }] as const

/** Claims that may still become several sizes, earlier nominations, and unavailable offerings. */
export const PROMISES: Scenarios = {
  'PR1 a claim that is not launched holds what its smallest size holds': {
    given: { nodes: { n1: { stage: 'created', needs: 'type in small default' } }, pods: { p: { count: 2, asks: { cpu: 1.5 } } } },
    want: { claims: 1, on: { n1: 1 } },
  },
  'PR2 it may end in a zone that the pod does not want': {
    given: { nodes: { n1: { stage: 'created' } }, pods: { p: { select: 'zone=z1' } } },
    want: { claims: 1, on: { n1: '' } },
  },
  'PR3 it holds the least of every resource, whichever size has it': {
    given: {
      types: [size('wide', { cpus: 8, memoryGib: 2 }), size('tall', { cpus: 2, memoryGib: 8 }), size('both', { cpus: 8, memoryGib: 8 })],
      nodes: { n1: { stage: 'created', needs: 'type in wide tall' } },
      pods: { p: { asks: { cpu: 1, memory: 1 } }, q: { asks: { cpu: 1, memory: 1 } } },
    },
    want: { claims: 1, on: { n1: 1 } },
  },
  'PR4 it may get either value of a label that its size leaves open': {
    given: { nodes: { n1: { stage: 'created' } }, pods: { p: { select: 'os=linux' } } },
    want: { claims: 1, on: { n1: '' } },
  },
  'PR5 a draft that the watch has not shown takes pods': {
    given: { nodes: { n1: { stage: 'draft' } }, pods: { p: {} } },
    want: { claims: 0, on: { n1: 'p' } },
  },
  'PR6 a pod goes where it was promised': {
    given: { nodes: PAIR, pods: { p: {} }, promised: { p: 'b' } },
    want: { claims: 0, on: { b: 'p' } },
  },
  'PR7 a promise that has run out does not bind': {
    given: { nodes: PAIR, pods: { p: {} }, promised: { p: { to: 'b', until: NOW } } },
    want: { claims: 0 },
    firstFit: { claims: 0, on: { a: 'p' } },
  },
  'PR8 a launched claim without a node takes pods': {
    given: { nodes: { n1: { stage: 'launched' } }, pods: { p: {} } },
    want: { claims: 0, on: { n1: 'p' } },
  },
  'PR9 a refused offering is left out until its time': {
    given: { types: TWO_PRICES, unavailable: refused(hence(MINUTE)), pods: { p: {} } },
    want: { claims: [{ types: 'dear' }] },
  },
  'PR10 a refusal that has ended does not count': {
    given: { types: TWO_PRICES, unavailable: refused(NOW), pods: { p: {} } },
    want: { claims: [{ type: 'cheap' }] },
  },
  'PR11 a family refused from four CPUs up leaves its smaller sizes': {
    given: {
      types: growing(4).map((type) => ({ ...type, family: 'one' })),
      unavailable: [
        { scope: { kind: 'family', family: 'one', minCpus: 4 }, until: hence(MINUTE), code: 'AZURE.QUOTA.FAMILY', message: '' },
      ],
      pods: { p: { asks: { cpu: 3.5 } }, q: { asks: { cpu: 2.5 } } },
    },
    want: { claims: [{ pods: 'q', types: 'it-3' }], unplaced: { p: 'SCHEDULING.RESOURCES' } },
  },
  'PR12 spot refused everywhere': {
    given: {
      unavailable: [{ scope: { kind: 'capacityType', capacityType: 'spot' }, until: hence(MINUTE), code: 'AZURE.QUOTA.SPOT', message: '' }],
      pods: { p: {} },
    },
    want: { claims: [{ capacity: 'on-demand' }] },
  },
  'PR16 a demoted size comes after one that costs twice as much': {
    given: { types: TWO_PRICES, demoted: DEMOTED, pods: { p: {} } },
    want: { claims: [{ type: 'dear', types: 'dear cheap' }] },
  },
  'PR17 a demoted size is taken where nothing else fits': {
    given: {
      types: [size('cheap', { cpus: 8, price: 0.1 }), size('dear', { price: 0.2 })],
      demoted: DEMOTED,
      pods: { p: { asks: { cpu: 6 } } },
    },
    want: { claims: [{ types: 'cheap' }] },
  },
  'PR19 a demoted size is taken before one that costs more than four times as much': {
    given: { types: [size('cheap', { price: 0.1 }), size('huge', { cpus: 64, price: 30 })], demoted: DEMOTED, pods: { p: {} } },
    want: { claims: [{ type: 'cheap' }], price: 0.1 },
  },
  'PR20 of demoted sizes the cheapest plan is taken, not the one with the fewest claims': {
    given: {
      types: [size('cheap', { price: 0.2 }), size('big', { cpus: 64, price: 20 })],
      demoted: [...DEMOTED, { ...DEMOTED[0], size: vmSizeName('big') }],
      pods: { p: { count: 2, asks: { cpu: 3 } } },
    },
    want: { claims: [{ type: 'cheap' }, { type: 'cheap' }], price: 0.4 },
    firstFit: { claims: [{ type: 'big' }] },
  },
  'PR21 a pool of a larger weight takes pods though its only size is demoted': {
    given: {
      types: { a: [size('cheap', { price: 0.1 })], b: [size('dear', { price: 0.2 })] },
      pools: { heavy: { class: 'a', weight: 10 }, light: { class: 'b' } },
      demoted: DEMOTED,
      pods: { p: {} },
    },
    want: { claims: [{ pool: 'heavy', type: 'cheap' }] },
  },
  'PR22 a reservation of a demoted size is used, though it is not free': {
    given: {
      types: [
        size('cheap', { offerings: [sold(0.1, 'z1'), sold(0.06, 'z1 reserved', { id: 'r', remaining: 1 })] }),
        size('dear', { offerings: [sold(0.2, 'z1')] }),
      ],
      demoted: DEMOTED,
      pods: { p: {} },
    },
    want: { claims: [{ type: 'cheap', capacity: 'reserved' }], price: 0.06 },
  },
  'PR18 spot machines of a size are demoted, the others are not': {
    given: {
      types: [size('cheap', { price: 0.1, offerings: [sold(0.05, 'z1 spot'), sold(0.1, 'z1')] }), size('dear', { price: 0.2 })],
      demoted: [{ ...DEMOTED[0], because: 'evicted', capacityType: 'spot' }],
      pods: { p: {} },
    },
    want: { claims: [{ type: 'cheap', types: 'cheap dear' }], price: 0.1 },
  },
  'PR13 pods that are not to be provisioned for': {
    given: {
      pods: {
        gated: { over: { schedulingGates: ['wait'] } },
        deleted: { over: { deletedAt: hence(MINUTE) } },
        daemon: { owner: DAEMON_SET },
      },
    },
    want: { claims: 0, nodes: 0 },
  },
  'PR14 a pod that asks for nodes of no pool': {
    given: { pods: { p: { needs: 'pool absent' } } },
    want: { claims: 0, unplaced: { p: 'POD.OPT_OUT' } },
  },
  'PR15 a pod that selects nodes by field': {
    given: {
      pods: {
        p: {
          over: { requiredNodeTerms: [{ matchExpressions: [], matchFields: [{ key: 'metadata.name', operator: 'In', values: ['n'] }] }] },
        },
      },
    },
    want: { claims: 0, unplaced: { p: 'POD.UNSUPPORTED_MATCH_FIELDS' } },
  },
}
