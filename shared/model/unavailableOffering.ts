import type { VmSizeName, ZoneName } from './ids.ts'
import type { CapacityType } from './instanceType.ts'
import type { ProblemCode } from './problem.ts'
import type { EpochMs } from './units.ts'

/** Offerings that are blocked until a time because Azure refused them. Shared by the clusters of a subscription and region. */
export type UnavailableOffering = {
  readonly scope: UnavailableScope
  readonly until: EpochMs
  readonly code: ProblemCode
  /** What Azure said, shortened. */
  readonly message: string
}

/** An undefined zone or capacity type stands for all of them. */
export type UnavailableScope =
  | { readonly kind: 'offering'; readonly size: VmSizeName; readonly zone?: ZoneName; readonly capacityType?: CapacityType }
  /** Every size of the quota family with at least this many CPUs. */
  | {
      readonly kind: 'family'
      readonly family: string
      readonly minCpus: number
      readonly zone?: ZoneName
      readonly capacityType?: CapacityType
    }
  | { readonly kind: 'capacityType'; readonly capacityType: CapacityType }
