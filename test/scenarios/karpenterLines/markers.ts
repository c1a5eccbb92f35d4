import type { KarpenterGroup } from './karpenterGroup.ts'

export const MARKERS: readonly KarpenterGroup[] = [
  {
    about: 'whether a claim is consolidatable',
    kinds: { CO: 10 },
    rows: [],
  },
  {
    about: 'whether a claim has drifted',
    kinds: { DF: 37 },
    rows: [
      {
        lines: 'DF-29',
        what: 'a pool without a hash lets no claim drift',
        why: 'pools carry no hash here: each decision works it out from the template, so that none is ever missing',
        shown: {
          'shared/engine/markers/driftOf.test.ts': ['DF-22', 'DF-28'],
          'shared/engine/markers/decideMarkers.test.ts': ['where pool and class are what it was made from'],
        },
      },
    ],
  },
]
