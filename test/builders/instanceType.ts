import { byKey } from '../../shared/base/lists.ts'
import { vmSizeName, zoneName } from '../../shared/model/ids.ts'
import type { CapacityType, InstanceType, Offering } from '../../shared/model/instanceType.ts'
import { LABEL, type Labels } from '../../shared/model/labels.ts'
import type { Requirement } from '../../shared/model/requirements.ts'
import type { Resources } from '../../shared/model/resources.ts'
import { usdPerHour } from '../../shared/model/units.ts'
import { resources } from './resources.ts'

export type InstanceTypeShape = {
  readonly name?: string
  readonly cpus?: number
  readonly memoryGib?: number
  readonly pods?: number
  readonly capacity?: Resources
  readonly overhead?: Resources
  readonly family?: string
  readonly arch?: string
  readonly os?: readonly string[]
  /** US dollars per hour on demand. Absent: 0.10 per CPU. Null: unknown. */
  readonly price?: number | null
  /** US dollars per hour as spot. Absent: a third of `price`. Null: no spot offering. */
  readonly spotPrice?: number | null
  /** US dollars per hour of a managed disk, on top of the prices above. Absent: the disk is ephemeral. */
  readonly diskPrice?: number
  /** Zone labels. `0` is a regional offering. */
  readonly zones?: readonly string[]
  /** Further single-valued labels of the size. */
  readonly labels?: Labels
  readonly offerings?: readonly Offering[]
}

/** A size with 4 CPUs and 16 GiB, on demand and spot in three zones. */
export function instanceType(shape: InstanceTypeShape = {}): InstanceType {
  const { name = 'Standard_D4as_v6', cpus = 4, memoryGib = 16, pods = 110, family = 'standardDasv6Family', arch = 'amd64' } = shape
  const offerings = shape.offerings ?? standardOfferings(shape, cpus)
  const available = offerings.filter((each) => each.available)
  return {
    name: vmSizeName(name),
    requirements: [
      oneOf(LABEL.instanceType, [name]),
      oneOf(LABEL.arch, [arch]),
      oneOf(LABEL.os, shape.os ?? ['linux']),
      oneOf(LABEL.region, ['eastus']),
      oneOf(LABEL.zone, [...new Set(available.map((each) => each.zone))]),
      oneOf(LABEL.capacityType, [...new Set(available.map((each) => each.capacityType))]),
      oneOf('karpenter.azure.com/sku-cpu', [String(cpus)]),
      oneOf('karpenter.azure.com/sku-memory', [String(memoryGib * 1024)]),
      ...Object.entries(shape.labels ?? {}).map(([key, value]) => oneOf(key, [value])),
    ].sort(byKey((each) => each.key)),
    capacity: { ...resources(cpus, memoryGib, { pods, 'ephemeral-storage': 128 * 1024 ** 3 }), ...shape.capacity },
    overhead: shape.overhead ?? resources(0.1, 0.5),
    offerings,
    family,
    cpus,
  }
}

export type OfferingShape = {
  readonly zone?: string
  readonly capacityType?: CapacityType
  readonly price?: number | null
  /** US dollars per hour of a managed disk, on top of `price`. */
  readonly diskPrice?: number
  readonly available?: boolean
  /** The number of cores of the family quota, all in use. If set, the offering is not available. */
  readonly quotaOf?: number
}

export function offering(shape: OfferingShape = {}): Offering {
  const { zone = 'eastus-1', capacityType = 'on-demand', price = 0.4, quotaOf } = shape
  const { available = quotaOf === undefined } = shape
  return {
    zone: zoneName(zone),
    capacityType,
    ...(price === null ? {} : billOf(price, shape.diskPrice)),
    available,
    ...(quotaOf === undefined ? {} : { shortOf: { ...FAMILY_QUOTA, limit: quotaOf, used: quotaOf } }),
    requirements: [
      oneOf(LABEL.capacityType, [capacityType]),
      oneOf(LABEL.zone, [zone]),
      oneOf('karpenter.azure.com/placement-scope', [zone === '0' ? 'regional' : 'zonal']),
    ].sort(byKey((each) => each.key)),
  }
}

function billOf(price: number, diskPrice: number | undefined): Pick<Offering, 'price' | 'diskPrice'> {
  if (diskPrice === undefined) return { price: usdPerHour(price) }
  return { price: usdPerHour(price + diskPrice), diskPrice: usdPerHour(diskPrice) }
}

const FAMILY_QUOTA = { code: 'AZURE.QUOTA.FAMILY', quota: 'standardDasv6Family', region: 'eastus' } as const

/** The requirement that a label has one of the values. */
export function oneOf(key: string, values: readonly string[]): Requirement {
  return { key, complement: false, values: [...values].sort() }
}

function standardOfferings(shape: InstanceTypeShape, cpus: number): readonly Offering[] {
  const price = shape.price === undefined ? cpus / 10 : shape.price
  const spotPrice = shape.spotPrice === undefined ? (price === null ? null : price / 3) : shape.spotPrice
  const disk = shape.diskPrice === undefined ? {} : { diskPrice: shape.diskPrice }
  return (shape.zones ?? ['eastus-1', 'eastus-2', 'eastus-3']).flatMap((zone) => [
    offering({ zone, capacityType: 'on-demand', price, ...disk }),
    ...(shape.spotPrice === null ? [] : [offering({ zone, capacityType: 'spot', price: spotPrice, ...disk })]),
  ])
}
