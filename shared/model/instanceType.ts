import type { VmSizeName, ZoneName } from './ids.ts'
import type { Requirement } from './requirements.ts'
import type { Resources } from './resources.ts'
import type { MicroUsdPerHour } from './units.ts'

export type CapacityType = 'on-demand' | 'spot' | 'reserved'

/** A VM size as the scheduler sees it, built for one NodeClass. */
export type InstanceType = {
  readonly name: VmSizeName
  /** One for each well-known label of the size. A label without a value is DoesNotExist. Sorted by key. */
  readonly requirements: readonly Requirement[]
  readonly capacity: Resources
  /** Reserved for the system and for eviction. Allocatable is capacity minus overhead. */
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
  /** Undefined if the price is not known. Such an offering comes after every offering with a price. */
  readonly price?: MicroUsdPerHour
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
