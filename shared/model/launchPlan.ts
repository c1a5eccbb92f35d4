import type { VmSizeName, ZoneName } from './ids.ts'
import type { CapacityType, InstanceType } from './instanceType.ts'
import type { Labels } from './meta.ts'
import type { MicroUsdPerHour } from './units.ts'

/** One way to make the machine of a claim: an offering with its price. */
export type LaunchChoice = {
  readonly size: VmSizeName
  readonly zone: ZoneName
  readonly capacityType: CapacityType
  /** Undefined if the price is not known. */
  readonly price?: MicroUsdPerHour
}

export type LaunchCandidate = {
  readonly choice: LaunchChoice
  readonly instanceType: InstanceType
  /** The labels that this choice gives the claim and the node: requirements of size, offering and claim with a single value. */
  readonly labels: Labels
}

/** The candidates of a claim, best first. If Azure refuses one, the next is tried. */
export type LaunchPlan = { readonly candidates: readonly LaunchCandidate[] }
