/**
 * The canonical form of a constraint on one label key: a set of values or its complement, with optional integer bounds.
 * Source of the algebra: Karpenter's requirement semantics.
 */
export type Requirement = {
  readonly key: string
  /** True: every value except `values`. */
  readonly complement: boolean
  /** Distinct and sorted. */
  readonly values: readonly string[]
  readonly gte?: number
  readonly lte?: number
  readonly minValues?: number
}

/** At most one requirement a key. */
export type Requirements = ReadonlyMap<string, Requirement>
