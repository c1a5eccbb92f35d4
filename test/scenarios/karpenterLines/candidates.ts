import type { KarpenterGroup } from './karpenterGroup.ts'

export const CANDIDATES: readonly KarpenterGroup[] = [
  { about: 'which nodes may be disrupted', kinds: { CA: 33 }, rows: [] },
  { about: 'what a move costs, and how many of them budgets allow', kinds: { EC: 7, BM: 6, BG: 18 }, rows: [] },
]
