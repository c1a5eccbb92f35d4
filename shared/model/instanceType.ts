import type { VmSizeName, ZoneName } from './ids.ts'
import type { Requirement } from './requirements.ts'
import type { Resources } from './resources.ts'
import type { MicroUsdPerHour } from './units.ts'

export type CapacityType = 'on-demand' | 'spot' | 'reserved'

/** A VM size as the scheduler sees it, built for one NodeClass. */
export type InstanceType = {
  readonly name: VmSizeName
  /** One per well-known label of the size; a label it has no value for is DoesNotExist. Sorted by key. */
  readonly requirements: readonly Requirement[]
  readonly capacity: Resources
  /** Reserved for the system and for eviction. Allocatable is capacity minus overhead. */
  readonly overhead: Resources
  readonly offerings: readonly Offering[]
  /** Quota family, for example `standardDasv6Family`: what a capacity refusal can block. */
  readonly family: string
  readonly cpus: number
  /** Most data disks a machine of the size can hold at a time. Absent: unknown. */
  readonly maxDataDisks?: number
  /** What overlays of the user changed of it. Absent: nothing. */
  readonly overlaid?: { readonly price: boolean; readonly capacity: boolean }
}

export type Offering = {
  readonly zone: ZoneName
  readonly capacityType: CapacityType
  /** Absent: unknown. Such an offering comes after every priced one. */
  readonly price?: MicroUsdPerHour
  readonly available: boolean
  /** Why it is not available, where the subscription's quota is in the way. */
  readonly shortOf?: QuotaShortage
  /** Zone, capacity type, placement scope and the other labels that only the offering decides. Sorted by key. */
  readonly requirements: readonly Requirement[]
  /** Only with capacity type `reserved`: the reservation that pays for it and how many machines it still pays for. */
  readonly reservation?: Reservation
  /** Amounts of a machine made by this offering, where they differ from the size's own. */
  readonly capacity?: Resources
  readonly overhead?: Resources
}

/** A quota that has no room for one more machine of the size. */
export type QuotaShortage = {
  readonly code: 'AZURE.QUOTA.FAMILY' | 'AZURE.QUOTA.SPOT' | 'AZURE.QUOTA.REGION'
  /** As Azure names it, for example `standardDASv6Family`. */
  readonly quota: string
  readonly region: string
  /** Cores. */
  readonly limit: number
  readonly used: number
}

/** Offerings of several sizes and pools may name one reservation: they share what remains. */
export type Reservation = { readonly id: string; readonly remaining: number }
