import { vmSizeName, zoneName } from '../../shared/model/ids.ts'
import type { UnavailableOffering } from '../../shared/model/unavailableOffering.ts'
import { HOUR, hence, MINUTE } from '../builders/clock.ts'
import { size, sold } from './fixtureTypes.ts'
import type { PodGiven, Scenarios } from './scenario.ts'

const FULL = { room: { pods: 1 } } as const
const OVER_ZONES = { count: 4, spread: 'zone' } as const
const REFUSED = ['SCHEDULING.SPREAD', 2] as const
const IN_TWO = { skew: { 'zone p': [2, 2] } } as const
const ONE_IN_TWO = { skew: { 'zone p': [1, 1] }, unplaced: { p: REFUSED } } as const

/** Pool `apps` has two zones, and the other pool has three. */
const TWO_POOLS = { apps: { labels: 'team=apps', needs: 'zone in z1 z2' }, other: {} } as const

/** A size in three zones, and sizes that are sold in the first two zones only: of another architecture, another kind, and as spot. */
const SOME_IN_TWO = [
  size('plain', { offerings: [...at(['z1', 'z2', 'z3']), ...at(['z1', 'z2'], ' spot')] }),
  size('arm', { arch: 'arm64', offerings: at(['z1', 'z2']) }),
  size('special', { cpus: 8, memoryGib: 16, labels: { 'karpenter.azure.com/sku-gpu-name': 'special' }, offerings: at(['z1', 'z2']) }),
] as const

/** On demand in the first two zones, and as spot in the third one. */
const BY_CAPACITY = [size('plain', { offerings: [...at(['z1', 'z2']), sold(0.4, 'z3 spot')] })] as const

/** A size that is sold in three zones, in the third one no longer. */
const GONE_IN_Z3 = [size('plain', { offerings: [...at(['z1', 'z2']), sold(0.4, 'z3', undefined, false)] })] as const
const IN_THREE = [size('plain', { offerings: at(['z1', 'z2', 'z3']) })] as const

/** Spreads: domains in which a pool could make machines, but none that the pods could run on. */
export const SPREAD_DOMAINS: Scenarios = {
  'SD1 a zone of another pool is no domain of pods that select a pool': {
    given: { pools: TWO_POOLS, pods: { p: { ...OVER_ZONES, select: 'team=apps' } } },
    want: IN_TWO,
  },
  'SD1.1 nor of pods that need it': {
    given: { pools: TWO_POOLS, pods: { p: { ...OVER_ZONES, needs: 'team=apps' } } },
    want: IN_TWO,
  },
  'SD1.2 nor of pods that name it': {
    given: { pools: TWO_POOLS, pods: { p: { ...OVER_ZONES, select: 'pool=apps' } } },
    want: IN_TWO,
  },
  'SD1.3 it is one where the spread ignores node affinity': {
    given: { pools: TWO_POOLS, pods: { p: { count: 4, select: 'team=apps', spread: [{ over: 'zone', affinity: 'Ignore' }] } } },
    want: ONE_IN_TWO,
  },
  'SD1.4 a node of the other pool is none either': {
    given: {
      pools: TWO_POOLS,
      nodes: { n3: { pool: 'other', labels: 'zone=z3', ...FULL } },
      pods: { p: { ...OVER_ZONES, select: 'team=apps' } },
    },
    want: IN_TWO,
  },
  'SD1.5 one of two terms is met by the other pool': {
    given: { pools: TWO_POOLS, pods: { p: { count: 3, needs: ['team=apps', 'team=none', 'zone=z3'], spread: 'zone' } } },
    want: { skew: { 'zone p': [1, 1, 1] } },
  },
  'SD1.6 each revision has the domains of its own selector': {
    given: {
      pools: TWO_POOLS,
      pods: { p: { ...OVER_ZONES, select: 'team=apps' }, q: { count: 6, spread: 'zone' } },
    },
    want: { skew: { 'zone p': [2, 2], 'zone q': [2, 2, 2] } },
  },
  'SD2 a zone without a size of the architecture': inTwoOf({ select: 'arch=arm64' }),
  'SD2.1 without a size of that kind': inTwoOf({ select: 'extra=special' }),
  'SD2.2 without the size': inTwoOf({ select: 'type=arm' }),
  'SD2.3 without spot': inTwoOf({ select: 'capacity=spot' }),
  'SD2.4 by need': inTwoOf({ needs: ['arch=arm64', 'capacity=spot, type=plain'] }),
  'SD2.5 each label is sold in the third zone, but not the two together': {
    given: {
      types: [
        size('plain', { offerings: at(['z1', 'z2', 'z3']) }),
        size('arm', { arch: 'arm64', offerings: [...at(['z1', 'z2']), sold(0.4, 'z3 spot')] }),
      ],
      pods: { p: { ...OVER_ZONES, select: 'arch=arm64 capacity=on-demand' } },
    },
    want: IN_TWO,
  },
  'SD2.6 in the third zone only as the pool does not buy': {
    given: { types: BY_CAPACITY, pools: { default: { needs: 'capacity=on-demand' } }, pods: { p: OVER_ZONES } },
    want: IN_TWO,
  },
  'SD2.7 pods without a selector have the third zone': {
    given: { types: BY_CAPACITY, pods: { p: { count: 3, spread: 'zone' } } },
    want: { skew: { 'zone p': [1, 1, 1] } },
  },
  'SD2.8 a spread over capacity types counts those of the architecture': {
    given: { types: SOME_IN_TWO, pods: { p: { count: 3, select: 'arch=arm64', spread: 'capacity' } } },
    want: { skew: { 'capacity p': [3] } },
  },
  'SD2.9 a spread over architectures counts those that are sold as spot': {
    given: { types: SOME_IN_TWO, pods: { p: { count: 3, select: 'capacity=spot', spread: 'arch' } } },
    want: { skew: { 'arch p': [3] } },
  },
  'SD3 a label of the user’s own, with values in a pool that the pods do not select': {
    given: {
      pools: { a: { labels: 'group=app', taints: 'app', needs: 'share=1' }, b: { needs: 'share in 2 3 4' } },
      pods: {
        p: { count: 3, select: 'group=app', tolerates: 'app', spread: [{ over: 'share', taints: 'Honor' }] },
        q: { count: 3, select: 'group=app', tolerates: 'app', spread: 'share' },
      },
    },
    want: { skew: { 'share p': [3], 'share q': [3] } },
  },
  'SD4 a pool with a taint and no node has its domains, however many are wanted': {
    given: {
      pools: { runners: { labels: 'group=runners', taints: 'runners' }, other: {} },
      pods: {
        p: {
          count: 6,
          select: 'os=linux arch=amd64 pool=runners',
          tolerates: 'runners',
          spread: [{ over: 'zone', minDomains: 3 }],
        },
      },
    },
    want: { skew: { 'zone p': [2, 2, 2] } },
  },
  'SD4.1 domains that the pods cannot have do not make up the number that is wanted': {
    given: { pools: TWO_POOLS, pods: { p: { count: 4, select: 'team=apps', spread: [{ over: 'zone', minDomains: 3 }] } } },
    want: ONE_IN_TWO,
  },
  'SD5 a zone in which nothing is sold any more': { given: { types: GONE_IN_Z3, pods: { p: OVER_ZONES } }, want: IN_TWO },
  'SD5.1 it is a domain while it has a node': {
    given: { types: GONE_IN_Z3, nodes: { n3: { labels: 'zone=z3', ...FULL } }, pods: { p: { count: 6, spread: 'zone' } } },
    want: { skew: { 'zone p': [1, 2, 2] }, unplaced: { p: ['SCHEDULING.SPREAD', 1] } },
  },
  'SD5.2 the pods of its last node go where the others are': {
    given: {
      types: GONE_IN_Z3,
      nodes: { n1: { labels: 'zone=z1' }, n2: { labels: 'zone=z2' }, n3: { labels: 'zone=z3', ...FULL } },
      pods: { a: { labels: 'app=p', on: 'n1' }, b: { labels: 'app=p', on: 'n2' }, c: { labels: 'app=p', on: 'n3' } },
    },
    want: { claims: 0 },
    then: [{ gone: 'n3 c', given: { pods: { p: { count: 3, spread: 'zone' } } }, want: { skew: { 'zone p': [2, 3] } } }],
  },
  'SD6 a zone that Azure refuses for long': {
    given: { types: IN_THREE, unavailable: refusedIn('z3', hence(HOUR)), pods: { p: OVER_ZONES } },
    want: IN_TWO,
  },
  'SD6.1 a zone that Azure is soon asked for again': {
    given: { types: IN_THREE, unavailable: refusedIn('z3', hence(3 * MINUTE)), pods: { p: OVER_ZONES } },
    want: ONE_IN_TWO,
  },
  'SD6.2 it is refused again': {
    given: { types: IN_THREE, unavailable: refusedIn('z3', hence(3 * MINUTE)), pods: { p: OVER_ZONES } },
    want: ONE_IN_TWO,
    then: [{ given: { unavailable: refusedIn('z3', hence(HOUR)) }, want: { skew: { 'zone p': [2, 2] } } }],
  },
}

function inTwoOf(pods: PodGiven): Scenarios[string] {
  return { given: { types: SOME_IN_TWO, pods: { p: { ...OVER_ZONES, ...pods } } }, want: IN_TWO }
}

function at(zones: readonly string[], as = '') {
  return zones.map((zone) => sold(0.4, `${zone}${as}`))
}

function refusedIn(zone: string, until: UnavailableOffering['until']): readonly UnavailableOffering[] {
  return [
    { scope: { kind: 'offering', size: vmSizeName('plain'), zone: zoneName(zone) }, until, code: 'AZURE.ALLOCATION.ZONE', message: '' },
  ]
}
