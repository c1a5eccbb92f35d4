/** Scenarios that the engine does not answer as they want, by handle, each with the reason and which side is right. */
export type NotYet = {
  readonly why: string
  /** In both placements. */
  readonly both?: string
  readonly price?: string
  readonly firstFit?: string
}

export const NOT_YET: readonly NotYet[] = [
  {
    why: 'preferred node affinity and alternatives in order are missing',
    both: 'W14 W15 W16 W17 W18 W19.2 W19.3 F3 F4 F5 F6 F6.1 F7 F8 F8.1 F10 F10.1 F10.2',
  },
  {
    why: 'topology spread is missing',
    both: 'N6 N7 T1 T2 T3 T4 T4.1 T5 T6 T7 T8 T9 T10 T11 T12 T13 T14 T15 T16 T17 T18 T19 T20 T21 T22 T23 T24 H1 H2 H3 H4 H5 H6 H7 H8 H9 H10 H11 H12 H12.1 H12.2 H13 H14 H15 H16 H17 H18 H19 H20 H21 H21.1 H22 H22.1 H23 H24 H24.1 H29 H30',
  },
  { why: 'default spread constraints are missing', both: 'X1 X2 X3 X4 X5 X6.1 X9 X10 X11 X12 X13 X13.1 X13.2 X13.3 X13.6 X13.10' },
  {
    why: 'pod affinity and anti-affinity are missing',
    both: 'E8 Y2 Y3 Y4 Y5 Y6 Y7 Y8 Y9 Y10 Y21 Y23 Y24 Y25 Y26 Y26.1 Y27 Y28 Y29 Y30 Y30.1 Y31 Y32 Y11 Y12 Y12.1 Y13 Y14 Y15 Y16 Y17 Y18 Y19 Y22 Y33 Y34',
  },
  { why: 'host ports are missing', both: 'N20' },
  { why: 'amounts of an offering’s own are missing', both: 'A3 A3.1' },
  { why: 'disruption budgets do not hold pods of nodes that go yet', both: 'D6 D6.1 D6.2 D6.3' },
  { why: 'daemons that claim devices still take room', both: 'A2' },
  { why: 'there is no first fit yet: the setting changes nothing', firstFit: 'P15' },
]
