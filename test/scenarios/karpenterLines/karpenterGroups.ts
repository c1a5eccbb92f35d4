import { BALANCED } from './balanced.ts'
import { CANDIDATES } from './candidates.ts'
import { CLAIMS } from './claims.ts'
import { CLUSTER } from './cluster.ts'
import { CONSOLIDATION } from './consolidation.ts'
import { DISRUPTION } from './disruption.ts'
import { DRAINING } from './draining.ts'
import { ENDING } from './ending.ts'
import { END_TO_END } from './endToEnd.ts'
import { HOUSE } from './house.ts'
import { JOINING } from './joining.ts'
import type { KarpenterGroup } from './karpenterGroup.ts'
import { MARKERS } from './markers.ts'
import { POOLS } from './pools.ts'
import { QUEUE } from './queue.ts'

export const KARPENTER_GROUPS: readonly KarpenterGroup[] = [
  ...BALANCED,
  ...CANDIDATES,
  ...CLAIMS,
  ...CLUSTER,
  ...CONSOLIDATION,
  ...DISRUPTION,
  ...DRAINING,
  ...END_TO_END,
  ...ENDING,
  ...HOUSE,
  ...JOINING,
  ...MARKERS,
  ...POOLS,
  ...QUEUE,
]
