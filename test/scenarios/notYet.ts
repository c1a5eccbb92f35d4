/** Scenarios that fail today, by handle. Each has the reason and says which side is right. */
export type NotYet = {
  readonly why: string
  /** Handles that fail in both placements. */
  readonly both?: string
  readonly price?: string
  readonly firstFit?: string
}

export const NOT_YET: readonly NotYet[] = [
  {
    why: 'kube-scheduler lets only the first pod of a series choose, and would never bind the second; ours is right',
    both: 'Y9',
  },
  {
    why: 'first fit does not follow its plan to the end, and the scheduler would leave the second pod waiting; ours by price is right',
    firstFit: 'H18.1',
  },
  {
    why: 'among equal domains first fit takes the one that turns out well; no plan is made for this luck alone',
    price: 'ND1 ND6 ND8',
  },
]
