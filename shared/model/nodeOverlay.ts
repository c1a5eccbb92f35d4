import type { Condition } from './condition.ts'
import type { Meta } from './meta.ts'
import type { RequirementSpec } from './requirement.ts'
import type { Resources } from './resources.ts'

/** What a user knows better than the catalog: prices, or further resources, of the instance types it selects. */
export type NodeOverlay = {
  readonly name: string
  readonly meta: Meta
  readonly requirements: readonly RequirementSpec[]
  /** Dollars an hour, as written. Excludes `priceAdjustment`. */
  readonly price?: string
  /** `+0.1`, `-0.1`, `+10%` or `-10%`. */
  readonly priceAdjustment?: string
  /** Extended resources only. */
  readonly capacity?: Resources
  /** Absent counts as 0. Heavier overlays win. */
  readonly weight?: number
  readonly status: { readonly conditions: readonly Condition[] }
}
