import type { KarpenterGroup } from './karpenterGroup.ts'

export const JOINING: readonly KarpenterGroup[] = [
  {
    about: 'finalizer and generation of a claim',
    kinds: { LC: 4 },
    rows: [],
  },
]
