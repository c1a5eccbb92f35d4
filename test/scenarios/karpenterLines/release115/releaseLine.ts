import type { Shown } from '../karpenterGroup.ts'

/** A line of the list of what Karpenter 1.15 changed. */
export type ReleaseLine = {
  readonly line: string
  /** What Karpenter 1.15 does. */
  readonly what: string
} & (
  | { readonly state: 'done'; readonly shown: Shown }
  /** Something else holds here, on purpose. */
  | { readonly state: 'differs'; readonly why: string; readonly shown: Shown }
  | { readonly state: 'missing'; readonly why?: string }
)
