import type { VmSizeName, ZoneName } from './ids.ts'
import type { CapacityType, InstanceType, Offering } from './instanceType.ts'
import type { Labels } from './meta.ts'
import type { MicroUsdPerHour } from './units.ts'

/** One way to make the machine of a claim: an offering with its price. */
export type LaunchChoice = {
  readonly size: VmSizeName
  readonly zone: ZoneName
  readonly capacityType: CapacityType
  /** Undefined if the price is not known. */
  readonly price?: MicroUsdPerHour
  /** The part of `price` that is for the managed OS disk, as of an offering. */
  readonly diskPrice?: MicroUsdPerHour
}

/** The choice of this offering of the size, with its price and the part of the price that is for the disk. */
export function choiceOf(size: VmSizeName, { zone, capacityType, price, diskPrice }: Offering): LaunchChoice {
  if (price === undefined) return { size, zone, capacityType }
  return diskPrice === undefined ? { size, zone, capacityType, price } : { size, zone, capacityType, price, diskPrice }
}

export type LaunchCandidate = {
  readonly choice: LaunchChoice
  readonly instanceType: InstanceType
  /** The labels that this choice gives the claim and the node: requirements of size, offering and claim with a single value. */
  readonly labels: Labels
}

/** The candidates of a claim, best first. If Azure refuses one, the next is tried. */
export type LaunchPlan = { readonly candidates: readonly LaunchCandidate[] }
