/** Scenarios that the engine does not answer as they want, by handle, each with the reason and which side is right. */
export type NotYet = {
  readonly why: string
  /** In both placements. */
  readonly both?: string
  readonly price?: string
  readonly firstFit?: string
}

export const NOT_YET: readonly NotYet[] = [
  { why: 'default spread constraints are missing', both: 'X1 X2 X4 X5 X6.1 X9 X10 X11 X12 X13 X13.1 X13.2 X13.3 X13.6 X13.10' },
  { why: 'amounts of an offering’s own are missing', both: 'A3 A3.1' },
  { why: 'disruption budgets do not hold pods of nodes that go yet', both: 'D6 D6.1 D6.2 D6.3' },
  { why: 'daemons that claim devices still take room', both: 'A2' },
  { why: 'three constraints at once: domains are chosen one pod at a time, which can end where none is left', both: 'H18' },
  {
    why: 'pods that may meet pods who keep away are held to one zone, so that those find another; ours on purpose',
    price: 'Y14',
  },
  { why: 'kube-scheduler lets only the first pod of a series choose, and would never bind the second; ours is right', both: 'Y9' },
  { why: 'first fit opens claims before it looks at later pods', firstFit: 'P5 P6 Y24' },
]
