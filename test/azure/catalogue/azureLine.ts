import type { Shown } from '../../scenarios/karpenterLines/karpenterGroup.ts'

/**
 * Lines of the list of what Karpenter's provider for Azure tests, and of its limits. `done`: the same holds here. `differs`: something else holds here,
 * on purpose. `missing`: it does not hold here, or no test shows it. `notOurs`: it is about a part that Joiner does not have.
 */
export type AzureLine = { readonly lines: string } & (
  | { readonly is: 'done'; readonly shown: Shown }
  | { readonly is: 'differs'; readonly why: string; readonly shown: Shown }
  | { readonly is: 'missing' | 'notOurs'; readonly why: string }
)

export type AzureSection = {
  readonly about: string
  /** The number of lines of each kind. The numbers begin at 01. */
  readonly kinds: { readonly [kind: string]: number }
  readonly rows: readonly AzureLine[]
}
