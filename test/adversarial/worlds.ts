import { CLUSTER_WORLDS } from './clusterWorlds.ts'
import { DEPENDENT_WORLDS } from './dependentWorlds.ts'
import { NEIGHBOUR_WORLDS } from './neighbourWorlds.ts'
import { POD_WORLDS } from './podWorlds.ts'
import { POOL_MIXES } from './poolFamilies.ts'
import { POOL_WORLDS } from './poolWorlds.ts'
import type { World } from './world.ts'

/** Clusters built to make planning slow. */
export const WORLDS: readonly World[] = [
  ...POD_WORLDS,
  ...NEIGHBOUR_WORLDS,
  ...POOL_WORLDS,
  ...CLUSTER_WORLDS,
  ...POOL_MIXES,
  ...DEPENDENT_WORLDS,
]

/** Names of the worlds in which most pods fit nowhere, whatever the planner does. */
export const PLACELESS_WORLDS: ReadonlySet<string> = new Set([
  'resources',
  'selectors',
  'too-large',
  'names',
  'refused-by-pools',
  'host-chain',
  'host-chain-back',
  'zone-tenants',
  'company-of-two',
  'contradictory-disks',
  'pinned',
  'repelled-by-all',
  'counted',
])
