import type { ClusterId, NodeClassName, Uid, VmSizeName, ZoneName } from './ids.ts'
import type { CapacityType } from './instanceType.ts'
import type { ProblemCode } from './problem.ts'
import type { DurationMs, EpochMs } from './units.ts'

/**
 * Offerings that are blocked until a time because Azure refused them. Shared by the clusters of a subscription and region. A block that is over is
 * remembered for a while: a further refusal then blocks for longer (`refusalGrowth.ts`).
 */
export type UnavailableOffering = {
  readonly scope: UnavailableScope
  /** The only cluster that the block holds for, since only this cluster says so. Absent: Azure says so, and it holds for all clusters. */
  readonly of?: ClusterId
  readonly until: EpochMs
  readonly code: ProblemCode
  /** What Azure said, shortened. */
  readonly message: string
  /** Absent: Azure refused the offerings once. */
  readonly again?: RefusedAgain
}

/** Refusals in a row. Each came soon after the block of the refusal before had ended. */
export type RefusedAgain = {
  /** The number of refusals, from 2. */
  readonly times: number
  /** When the last refusal in the row came. */
  readonly at: EpochMs
  /** The end of the block before. From this time on Azure was asked again. */
  readonly openedAt: EpochMs
  /** How long the last refusal would have blocked as the first one. */
  readonly firstMs: DurationMs
}

/** An undefined zone, capacity type or NodeClass stands for all of them. */
export type UnavailableScope =
  | ({ readonly kind: 'offering'; readonly size: VmSizeName; readonly zone?: ZoneName; readonly capacityType?: CapacityType } & OfClass)
  /** Every size of the quota family with at least this many CPUs. */
  | ({
      readonly kind: 'family'
      readonly family: string
      readonly minCpus: number
      readonly zone?: ZoneName
      readonly capacityType?: CapacityType
    } & OfClass)
  /** Every size with at least this many CPUs. */
  | ({ readonly kind: 'capacityType'; readonly capacityType: CapacityType; readonly minCpus?: number } & OfClass)

type OfClass = { readonly nodeClass?: RefusedClass }

/** A generation of a NodeClass. Only its machines are refused. A change of the NodeClass may remove the cause. */
export type RefusedClass = { readonly name: NodeClassName; readonly uid: Uid; readonly generation: number }

/** Offerings that nobody but the cluster says are out. A notice that one cluster got, or a machine that it lost, must not hide sizes from others. */
export function onlyFor(cluster: ClusterId, offerings: readonly UnavailableOffering[]): readonly UnavailableOffering[] {
  return offerings.map((each) => ({ ...each, of: cluster }))
}
