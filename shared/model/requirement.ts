export type Operator = 'In' | 'NotIn' | 'Exists' | 'DoesNotExist' | 'Gt' | 'Lt' | 'Gte' | 'Lte'

/** A requirement as a user writes it, in a NodePool, a node selector term or a NodeClaim. */
export type RequirementSpec = {
  readonly key: string
  readonly operator: Operator
  readonly values: readonly string[]
  /** The least number of distinct values that must stay available. Undefined: no such rule. */
  readonly minValues?: number
}
