import type { Condition } from './condition.ts'
import type { Meta } from './meta.ts'
import type { RequirementSpec } from './requirement.ts'
import type { Resources } from './resources.ts'

/** Prices or further resources that a user defines for the instance types that the overlay selects. */
export type NodeOverlay = {
  readonly name: string
  readonly meta: Meta
  readonly requirements: readonly RequirementSpec[]
  /** Dollars an hour, as written. Cannot be combined with `priceAdjustment`. */
  readonly price?: string
  /** `+0.1`, `-0.1`, `+10%` or `-10%`. */
  readonly priceAdjustment?: string
  /** Extended resources only. */
  readonly capacity?: Resources
  /** Undefined counts as 0. Overlays with more weight win. */
  readonly weight?: number
  readonly status: { readonly conditions: readonly Condition[] }
}
