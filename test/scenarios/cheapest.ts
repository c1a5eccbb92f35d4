import { ASSORTED, size, sold, withDisk } from './fixtureTypes.ts'
import type { Scenarios } from './scenario.ts'

const types = ASSORTED
const NO_ARM = ASSORTED.filter((type) => !type.name.includes('arm64'))
const NO_ARM_IN_TWO = ASSORTED.filter((type) => !(type.name.includes('arm64') && type.name.includes('z2')))
const NOBODY = { claims: 0, unplaced: { p: 'SCHEDULING.REQUIREMENT' } } as const

/** The cheapest allowed offering is chosen, and every allowed offering stays in the claim. */
export const CHEAPEST: Scenarios = {
  'S60 of two terms that machines of every size meet one, the cheaper': {
    given: {
      types: [size('big', { cpus: 16, price: 0.253 }), size('little', { price: 0.023 })],
      pods: { p: { asks: { cpu: 0.25 }, needs: ['type=big', 'cpus > 1, type=little'] } },
    },
    want: { claims: [{ types: 'little' }], price: 0.023 },
    firstFit: {},
  },
  'S61 of two terms of which one lets in all that the other does, the wider': {
    given: {
      types: [size('big', { cpus: 16, price: 0.253 }), size('little', { price: 0.023 })],
      pods: { p: { asks: { cpu: 0.25 }, needs: ['cpus > 8', 'cpus > 1'] } },
    },
    want: { claims: [{ types: 'little big' }], price: 0.023 },
    firstFit: {},
  },
  'S62 the term whose cheapest size is too small is not taken for it': {
    given: {
      types: [size('small', { cpus: 1, price: 0.01 }), size('large', { cpus: 16, price: 0.9 }), size('medium', { cpus: 8, price: 0.3 })],
      pods: { p: { asks: { cpu: 6 }, needs: ['type in small large', 'cpus > 7, cpus < 9'] } },
    },
    want: { price: 0.3 },
    firstFit: {},
  },
  'S64 many pods whose cheapest term lets in sizes that are too small or too dear': {
    given: {
      types: [
        size('small', { cpus: 1.5, price: 0.01, memoryGib: 64, pods: 50 }),
        size('large', { cpus: 33, price: 3, memoryGib: 64, pods: 50 }),
        size('medium', { cpus: 8, price: 0.3, memoryGib: 64, pods: 50 }),
      ],
      pods: { p: { count: 40, asks: { cpu: 1.9 }, needs: ['type in small large', 'cpus > 7, cpus < 9'] } },
    },
    want: { price: 3 },
    firstFit: {},
  },
  'S63 many pods with terms go together where that is cheapest': {
    given: {
      types: [
        size('big', { cpus: 16, memoryGib: 64, pods: 50, price: 0.9 }),
        size('medium', { cpus: 8, memoryGib: 64, pods: 50, price: 0.3 }),
      ],
      pods: { p: { count: 14, asks: { cpu: 1 }, needs: ['type=big', 'cpus < 9'] } },
    },
    want: { price: 0.6 },
    firstFit: {},
  },
  'S65 a small VM with a managed disk costs more than a larger VM whose disk is its own': {
    given: {
      types: [
        size('small', { cpus: 2, offerings: [withDisk(sold(0.0154, 'z1 spot'), 0.027)] }),
        size('large', { cpus: 4, offerings: [sold(0.04, 'z1 spot')] }),
      ],
      pods: { p: {} },
    },
    want: { claims: 1, price: 0.04 },
    firstFit: {},
  },
  'S66 two VMs have two disks, so that one larger VM with one disk is cheaper': {
    given: {
      types: [
        size('small', { cpus: 2, offerings: [withDisk(sold(0.0154, 'z1 spot'), 0.027)] }),
        size('large', { cpus: 4, offerings: [withDisk(sold(0.04, 'z1 spot'), 0.027)] }),
      ],
      pods: { p: { count: 2, asks: { cpu: 1.5 } } },
    },
    want: { claims: 1, price: 0.067 },
    firstFit: {},
  },
  'S1 without constraints': { given: { types, pods: { p: {} } }, want: { claims: 1, price: 0.072 } },
  'S2 pod: amd64': { given: { types, pods: { p: { select: 'arch=amd64' } } }, want: { price: 0.08, every: { typesLike: 'amd64' } } },
  'S3 pod: arm64': { given: { types, pods: { p: { select: 'arch=arm64' } } }, want: { price: 0.072, every: { typesLike: 'arm64' } } },
  'S4 pool: amd64': { given: { types, pools: only('arch=amd64'), pods: { p: {} } }, want: { price: 0.08, every: { typesLike: 'amd64' } } },
  'S5 pool: arm64': { given: { types, pools: only('arch=arm64'), pods: { p: {} } }, want: { price: 0.072, every: { typesLike: 'arm64' } } },
  'S6 pool: windows': {
    given: { types, pools: only('os=windows'), pods: { p: {} } },
    want: { price: 0.108, every: { typesLike: 'windows' } },
  },
  'S7 pod: windows': { given: { types, pods: { p: { select: 'os=windows' } } }, want: { price: 0.108, every: { typesLike: 'windows' } } },
  'S8 pool: windows, pod: amd64': {
    given: { types, pools: only('os=windows'), pods: { p: { select: 'arch=amd64' } } },
    want: { price: 0.12, every: { typesLike: 'windows amd64' } },
  },
  'S9 pool: linux': { given: { types, pools: only('os=linux'), pods: { p: {} } }, want: { price: 0.072, every: { typesLike: 'linux' } } },
  'S10 pod: linux': { given: { types, pods: { p: { select: 'os=linux' } } }, want: { price: 0.072, every: { typesLike: 'linux' } } },
  'S11 pool: zone 2': {
    given: { types, pools: only('zone=z2'), pods: { p: {} } },
    want: { price: 0.082, every: { typesLike: 'z2', zone: 'z2' } },
  },
  'S12 pod: zone 2': {
    given: { types, pods: { p: { select: 'zone=z2' } } },
    want: { price: 0.082, every: { typesLike: 'z2', zone: 'z2' } },
  },
  'S13 pool: spot': {
    given: { types, pools: only('capacity=spot'), pods: { p: {} } },
    want: { price: 0.072, every: { typesLike: 'spot' } },
  },
  'S14 pod: spot': { given: { types, pods: { p: { select: 'capacity=spot' } } }, want: { price: 0.072, every: { typesLike: 'spot' } } },
  'S15 pool: on demand in zone 1': {
    given: { types, pools: only('capacity=on-demand, zone=z1'), pods: { p: {} } },
    want: { price: 0.18, every: { typesLike: 'on-demand z1' } },
  },
  'S16 pod: spot in zone 1': {
    given: { types, pods: { p: { select: 'capacity=spot zone=z1' } } },
    want: { price: 0.072, every: { typesLike: 'spot z1' } },
  },
  'S17 pool: spot, pod: zone 2': {
    given: { types, pools: only('capacity=spot'), pods: { p: { select: 'zone=z2' } } },
    want: { price: 0.082, every: { typesLike: 'spot z2' } },
  },
  'S18 pool: all four': {
    given: { types, pools: only('capacity=on-demand, zone=z1, arch=arm64, os=windows'), pods: { p: {} } },
    want: { price: 0.27, every: { typesLike: 'on-demand z1 arm64 windows' } },
  },
  'S19 pool: two, pod: two': {
    given: { types, pools: only('capacity=spot, zone=z2'), pods: { p: { select: 'arch=amd64 os=linux' } } },
    want: { price: 0.09, every: { typesLike: 'spot z2 amd64 linux' } },
  },
  'S20 pod: all four': {
    given: { types, pods: { p: { select: 'capacity=spot zone=z2 arch=amd64 os=linux' } } },
    want: { price: 0.09, every: { typesLike: 'spot z2 amd64 linux' } },
  },
  'S21 nobody sells arm64': { given: { types: NO_ARM, pods: { p: { select: 'arch=arm64' } } }, want: NOBODY },
  'S22 nobody sells arm64 in zone 2': { given: { types: NO_ARM_IN_TWO, pods: { p: { select: 'arch=arm64 zone=z2' } } }, want: NOBODY },
  'S23 nobody sells in zone 2 what the pool wants': {
    given: { types: NO_ARM_IN_TWO, pools: only('arch=arm64'), pods: { p: { select: 'zone=z2' } } },
    want: NOBODY,
  },
  ...sweep(),
  'S25 the price of the capacity type allowed counts': {
    given: {
      types: [
        size('a', { offerings: [sold(1, 'z1'), sold(0.2, 'z1 spot')] }),
        size('b', { offerings: [sold(1.3, 'z1'), sold(0.1, 'z1 spot')] }),
      ],
      pools: only('capacity=on-demand'),
      pods: { p: {} },
    },
    want: { claims: [{ type: 'a', types: 'a b' }], price: 1 },
  },
  'S26 at one price spot comes before on demand': {
    given: { types: [size('a', { offerings: [sold(1, 'z1'), sold(1, 'z1 spot')] })], pods: { p: {} } },
    want: { claims: [{ capacity: 'on-demand spot', labels: 'capacity=spot' }] },
  },
  'S27 an unknown price comes last': {
    given: { types: [size('unknown', { price: null, spotPrice: null }), size('dear', { price: 9, spotPrice: null })], pods: { p: {} } },
    want: { claims: [{ type: 'dear' }] },
  },
  'S28 a size of unknown price serves when nothing else does': {
    given: { types: [size('unknown', { price: null, spotPrice: null })], pods: { p: {} } },
    want: { claims: [{ type: 'unknown' }] },
  },
}

function only(needs: string) {
  return { default: { needs } }
}

/** Three pods of every size: all are placed, and one machine could hold all three. */
function sweep(): Scenarios {
  const sizes = [0.1, 2.5, 16].flatMap((cpu) => [0.1, 4, 32].map((memory) => [cpu, memory] as const))
  return Object.fromEntries(
    sizes.map(([cpu, memory], index) => [
      `S24.${index + 1} three pods of ${cpu} CPUs and ${memory} GiB`,
      { given: { types, pods: { p: { count: 3, asks: { cpu, memory } } } }, want: {}, firstFit: { claims: [{ pods: 'p' }] } },
    ]),
  )
}
