import type { KarpenterGroup } from './karpenterGroup.ts'

export const POOLS: readonly KarpenterGroup[] = [
  {
    about: 'conditions, hashes and counts of pools',
    kinds: { PN: 11 },
    rows: [
      {
        lines: 'PN-04',
        what: 'a pool with hashes of another version gets new ones',
        why: 'pools carry no hash here: each decision works it out from the template, so that none is ever old; claims carry what they were made from',
        shown: { 'shared/engine/markers/decideMarkers.test.ts': ['gets ours, and is held to pool and class as they are now'] },
      },
    ],
  },
  {
    about: 'static pools',
    kinds: { SP: 14, SU: 11, SE: 1 },
    rows: [
      {
        lines: 'SP-14 SU-11',
        what: 'a change of replicas or of readiness looks at a static pool, other changes do not',
        why: 'every change of a cluster rings for a decision, and each decision looks at all pools; a look that finds nothing is trusted for a time',
        shown: { 'shared/flows/ledger/rest.test.ts': ['is not at rest once something was said'] },
      },
    ],
  },
]
