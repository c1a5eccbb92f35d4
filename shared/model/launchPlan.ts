import type { VmSizeName, ZoneName } from './ids.ts'
import type { CapacityType, InstanceType } from './instanceType.ts'
import type { Labels } from './meta.ts'
import type { MicroUsdPerHour } from './units.ts'

/** One way to make the machine of a claim. */
export type LaunchChoice = {
  readonly size: VmSizeName
  readonly zone: ZoneName
  readonly capacityType: CapacityType
  /** Absent: the price is not known. */
  readonly price?: MicroUsdPerHour
}

export type LaunchCandidate = {
  readonly choice: LaunchChoice
  readonly instanceType: InstanceType
  /** Labels that this choice fixes, for the claim and for the node: single-valued requirements of size, offering and claim. */
  readonly labels: Labels
}

/** The candidates of a claim, best first: when Azure refuses one, the next is tried. */
export type LaunchPlan = { readonly candidates: readonly LaunchCandidate[] }
