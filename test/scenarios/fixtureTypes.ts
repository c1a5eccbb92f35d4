/** The catalogs of the scenarios. */
import { byKey } from '../../shared/base/lists.ts'
import type { InstanceType, Offering } from '../../shared/model/instanceType.ts'
import { LABEL } from '../../shared/model/labels.ts'
import { addPrices, usdPerHour } from '../../shared/model/units.ts'
import { type InstanceTypeShape, instanceType, offering, oneOf } from '../builders/instanceType.ts'
import { MIB } from '../builders/resources.ts'
import { KEYS, resources } from './notation.ts'
import type { Amounts } from './scenario.ts'

const ZONES = ['z1', 'z2', 'z3'] as const
export const GPU = { a: 'a.example/gpu', b: 'b.example/gpu' } as const

/** Prices are $0.10 per CPU, $0.10 per GiB and $1 per GPU. Spot is in zones 1 and 2 only, at the same price. A machine holds five pods. */
export const DEFAULT: readonly InstanceType[] = [
  size('default', {}),
  size('small', { cpus: 2, memoryGib: 2 }),
  size('gpu-a', { capacity: { [GPU.a]: 2 } }),
  size('gpu-b', { capacity: { [GPU.b]: 2 } }),
  size('arm', { cpus: 16, memoryGib: 128, arch: 'arm64', os: ['ios', 'linux', 'windows', 'darwin'] }),
  size('single', { pods: 1 }),
]

/** Sizes `it-1`, `it-2` and so on: `it-n` has n CPUs, 2n GiB and room for 10n pods. */
export function growing(count: number): readonly InstanceType[] {
  return Array.from({ length: count }, (_, index) => {
    const cpus = index + 1
    return size(`it-${cpus}`, { cpus, memoryGib: 2 * cpus, pods: 10 * cpus })
  })
}

/**
 * Every mix of CPU, memory, zone, capacity type, system and architecture, with one offering each, named by the mix. $0.10 per CPU and per GiB. Spot
 * costs 40 %, arm64 90 % and Windows 150 % of that. Each further zone costs one cent more.
 */
export const ASSORTED: readonly InstanceType[] = [1, 2, 4, 16, 64].flatMap((cpus) =>
  [1, 4, 16, 128].flatMap((memoryGib) =>
    ZONES.flatMap((zone, index) =>
      (['spot', 'on-demand'] as const).flatMap((capacityType) =>
        ['linux', 'windows'].flatMap((os) =>
          ['amd64', 'arm64'].map((arch) => {
            const factor = (capacityType === 'spot' ? 0.4 : 1) * (arch === 'arm64' ? 0.9 : 1) * (os === 'windows' ? 1.5 : 1)
            const price = 0.1 * (cpus + memoryGib) * factor + 0.01 * index
            const name = [cpus, memoryGib, zone, capacityType, os, arch].join('-')
            return instanceType({
              name,
              cpus,
              memoryGib,
              os: [os],
              arch,
              overhead: {},
              offerings: [offering({ zone, capacityType, price })],
            })
          }),
        ),
      ),
    ),
  ),
)

/** A size with 4 CPUs, 4 GiB and five pods by default. 100m and 10 MiB are reserved for the system. */
export function size(name: string, shape: Omit<InstanceTypeShape, 'name'>): InstanceType {
  const { cpus = 4, memoryGib = 4, capacity = {} } = shape
  const gpus = Object.values(GPU).reduce((sum, gpu) => sum + (capacity[gpu] ?? 0), 0)
  const price = shape.price === undefined ? 0.1 * cpus + 0.1 * memoryGib + gpus : shape.price
  const isLarge = cpus > 4 && memoryGib > 8
  const type = instanceType({
    cpus,
    memoryGib,
    pods: 5,
    os: ['darwin', 'linux', 'windows'],
    overhead: { cpu: 100, memory: 10 * MIB },
    offerings: offeringsAt(price, shape.spotPrice === undefined ? price : shape.spotPrice),
    ...shape,
    labels: {
      [String(KEYS['shape'])]: isLarge ? 'large' : 'small',
      ...(isLarge ? { [String(KEYS['extra'])]: 'optional' } : {}),
      ...shape.labels,
    },
    name,
  })
  const absent = { key: String(KEYS['extra']), complement: false, values: [] }
  return isLarge ? type : { ...type, requirements: [...type.requirements, absent].sort(byKey((each) => each.key)) }
}

/** `sold(1, 'z1')`, `sold(0.2, 'z1 spot')`, `sold(0, 'z1 reserved', { id: 'r', remaining: 1 })` */
export function sold(price: number | null, where: string, reservation?: Offering['reservation'], isAvailable = true): Offering {
  const [zone = 'z1', kind = 'on-demand'] = where.split(' ')
  const capacityType = kind === 'spot' || kind === 'reserved' ? kind : 'on-demand'
  const plain = offering({ zone, capacityType, price, available: isAvailable })
  if (reservation === undefined) return plain
  const requirements = [...plain.requirements, oneOf(LABEL.reservation, [reservation.id])].sort(byKey((each) => each.key))
  return { ...plain, requirements, reservation }
}

/** The offering with a managed disk on top of its price, in US dollars per hour. */
export function withDisk(plain: Offering, usd: number): Offering {
  const diskPrice = usdPerHour(usd)
  return { ...plain, price: addPrices(plain.price ?? usdPerHour(0), diskPrice), diskPrice }
}

/** The offering with a capacity of its own. */
export function holding(plain: Offering, capacity: Amounts): Offering {
  return { ...plain, capacity: resources(capacity) }
}

function offeringsAt(price: number | null, spotPrice: number | null): readonly Offering[] {
  const spot = spotPrice === null ? [] : ZONES.slice(0, 2).map((zone) => sold(spotPrice, `${zone} spot`))
  return [...spot, ...ZONES.map((zone) => sold(price, zone))]
}
