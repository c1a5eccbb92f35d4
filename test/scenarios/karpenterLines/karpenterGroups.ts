import { CANDIDATES } from './candidates.ts'
import { CLAIMS } from './claims.ts'
import { CLUSTER } from './cluster.ts'
import { DRAINING } from './draining.ts'
import { ENDING } from './ending.ts'
import { HOUSE } from './house.ts'
import { JOINING } from './joining.ts'
import type { KarpenterGroup } from './karpenterGroup.ts'
import { MARKERS } from './markers.ts'
import { POOLS } from './pools.ts'

export const KARPENTER_GROUPS: readonly KarpenterGroup[] = [
  ...CANDIDATES,
  ...CLAIMS,
  ...CLUSTER,
  ...DRAINING,
  ...ENDING,
  ...HOUSE,
  ...JOINING,
  ...MARKERS,
  ...POOLS,
]
