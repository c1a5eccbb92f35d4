import type { KarpenterGroup } from './karpenterGroup.ts'

export const QUEUE: readonly KarpenterGroup[] = [{ about: 'moves under way', kinds: { QU: 9 }, rows: [] }]
