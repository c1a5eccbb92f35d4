/** Catalogs that scenarios choose from. */
import { byKey } from '../../shared/base/order.ts'
import type { InstanceType, Offering } from '../../shared/model/instanceType.ts'
import { LABEL } from '../../shared/model/labels.ts'
import { type InstanceTypeShape, instanceType, offering, oneOf } from '../builders/instanceType.ts'
import { MIB } from '../builders/resources.ts'
import { KEYS, resources } from './notation.ts'
import type { Amounts } from './scenario.ts'

export const ZONES = ['z1', 'z2', 'z3'] as const
export const GPU = { a: 'a.example/gpu', b: 'b.example/gpu' } as const

/** A tenth of a dollar a CPU, a tenth a GiB, one a GPU; spot in zones 1 and 2 only, at the price of on demand; five pods a machine. */
export const DEFAULT: readonly InstanceType[] = [
  size('default', {}),
  size('small', { cpus: 2, memoryGib: 2 }),
  size('gpu-a', { capacity: { [GPU.a]: 2 } }),
  size('gpu-b', { capacity: { [GPU.b]: 2 } }),
  size('arm', { cpus: 16, memoryGib: 128, arch: 'arm64', os: ['ios', 'linux', 'windows', 'darwin'] }),
  size('single', { pods: 1 }),
]

/** Sizes `it-1`, `it-2` and so on: so many CPUs, twice as many GiB, ten times as many pods. */
export function growing(count: number): readonly InstanceType[] {
  return Array.from({ length: count }, (_, index) => {
    const cpus = index + 1
    return size(`it-${cpus}`, { cpus, memoryGib: 2 * cpus, pods: 10 * cpus })
  })
}

/** Every mix of CPU, memory, zone, capacity type, system and architecture, one offering each, named by them. */
export const ASSORTED: readonly InstanceType[] = crossed([
  [1, 2, 4, 8, 16, 32, 64],
  [1, 2, 4, 8, 16, 32, 64, 128],
  ZONES,
  ['spot', 'on-demand'],
  ['linux', 'windows'],
  ['amd64', 'arm64'],
]).map(([cpus, memory, zone, capacityType, os, arch]) => {
  const price = 0.1 * Number(cpus) + 0.1 * Number(memory)
  return instanceType({
    name: [cpus, memory, zone, capacityType, os, arch].join('-'),
    cpus: Number(cpus),
    memoryGib: Number(memory),
    os: [String(os)],
    arch: String(arch),
    overhead: {},
    offerings: [offering({ zone: String(zone), capacityType: capacityType === 'spot' ? 'spot' : 'on-demand', price })],
  })
})

/** One size of 4 CPUs, 4 GiB and five pods unless said otherwise, with 100m and 10 MiB kept for the system. */
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

/** The offering with amounts of its own. */
export function holding(plain: Offering, capacity: Amounts): Offering {
  return { ...plain, capacity: resources(capacity) }
}

function offeringsAt(price: number | null, spotPrice: number | null): readonly Offering[] {
  const spot = spotPrice === null ? [] : ZONES.slice(0, 2).map((zone) => sold(spotPrice, `${zone} spot`))
  return [...spot, ...ZONES.map((zone) => sold(price, zone))]
}

function crossed(lists: readonly (readonly (string | number)[])[]): readonly (readonly (string | number)[])[] {
  return lists.reduce<readonly (readonly (string | number)[])[]>(
    (rows, list) => rows.flatMap((row) => list.map((value) => [...row, value])),
    [[]],
  )
}
