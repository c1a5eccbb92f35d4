import type { VmSizeName, ZoneName } from './ids.ts'
import type { Requirement } from './requirements.ts'
import { amountOf, type Resources, subtract } from './resources.ts'
import type { MicroUsdPerHour } from './units.ts'

export type CapacityType = 'on-demand' | 'spot' | 'reserved'

/** A VM size as the scheduler sees it, built for one NodeClass. */
export type InstanceType = {
  readonly name: VmSizeName
  /** One for each well-known label of the size. A label without a value is DoesNotExist. Sorted by key. */
  readonly requirements: readonly Requirement[]
  readonly capacity: Resources
  /** Reserved for the system and for eviction. */
  readonly overhead: Resources
  readonly offerings: readonly Offering[]
  /** Quota family, for example `standardDasv6Family`. A refusal for quota may block a whole family. */
  readonly family: string
  readonly cpus: number
  /** The largest number of data disks that a machine of the size can attach. Undefined if unknown. */
  readonly maxDataDisks?: number
  /** What NodeOverlays changed. Undefined if they changed nothing. */
  readonly overlaid?: { readonly price: boolean; readonly capacity: boolean }
}

export type Offering = {
  readonly zone: ZoneName
  readonly capacityType: CapacityType
  /**
   * What Azure bills for a machine of the offering, with its disk. Undefined if it is not known. Such an offering comes after every offering with a
   * price.
   */
  readonly price?: MicroUsdPerHour
  /** The part of `price` that is for the managed OS disk. Undefined if the disk is ephemeral, or if a NodeOverlay states the price as a whole. */
  readonly diskPrice?: MicroUsdPerHour
  readonly available: boolean
  /** The quota that makes the offering unavailable. Undefined if quota is not the reason. */
  readonly shortOf?: QuotaShortage
  /** Zone, capacity type, placement scope and other labels that depend on the offering alone. Sorted by key. */
  readonly requirements: readonly Requirement[]
  /** The reservation that pays for the offering, and how many more machines it pays for. Only with capacity type `reserved`. */
  readonly reservation?: Reservation
  /** Capacity of a machine of this offering, if it differs from the size's own. */
  readonly capacity?: Resources
  readonly overhead?: Resources
}

/** A quota without room for one more machine of the size. */
export type QuotaShortage = {
  readonly code: 'AZURE.QUOTA.FAMILY' | 'AZURE.QUOTA.SPOT' | 'AZURE.QUOTA.REGION'
  /** As Azure names it, for example `standardDASv6Family`. */
  readonly quota: string
  readonly region: string
  /** Cores. */
  readonly limit: number
  readonly used: number
}

/** Offerings of several sizes and pools may share one reservation, and then share what remains. */
export type Reservation = { readonly id: string; readonly remaining: number }

/** What pods can use of a machine: capacity minus overhead. The kubelet takes huge pages out of the memory, whoever reserved them. */
export function allocatableOfType({ capacity, overhead }: Pick<InstanceType, 'capacity' | 'overhead'>): Resources {
  const left = subtract(capacity, overhead)
  const pages = hugePagesOf(capacity)
  return pages === 0 ? left : { ...left, memory: Math.max(0, amountOf(left, 'memory') - pages) }
}

/** The bytes in huge pages of every size. */
function hugePagesOf(capacity: Resources): number {
  let bytes = 0
  for (const name in capacity) if (name.startsWith('hugepages-')) bytes += amountOf(capacity, name)
  return bytes
}

/** Why no cluster of the region can have a size, in words, by the name of the size. Sizes that clusters can have are not in it. */
export type LeftOutSizes = ReadonlyMap<string, string>
