import { AFFINITY } from './affinity.ts'
import { ANTI_AFFINITY } from './antiAffinity.ts'
import { DEFAULT_SPREAD } from './defaultSpread.ts'
import { DELETING_NODES } from './deletingNodes.ts'
import { EXISTING_NODES } from './existingNodes.ts'
import { IN_FLIGHT } from './inFlight.ts'
import { INSTANCE_TYPES } from './instanceTypes.ts'
import { LABELS } from './labels.ts'
import { OPERATORS } from './operators.ts'
import { OTHER_SPREAD } from './otherSpread.ts'
import { PACKING } from './packing.ts'
import { PREFERENCES } from './preferences.ts'
import { PROMISES } from './promises.ts'
import type { Scenarios } from './scenario.ts'
import { TAINTS } from './taints.ts'
import { ZONAL_SPREAD } from './zonalSpread.ts'

export const TABLES: { readonly [concept: string]: Scenarios } = {
  labels: LABELS,
  operators: OPERATORS,
  preferences: PREFERENCES,
  'instance types': INSTANCE_TYPES,
  packing: PACKING,
  'in flight': IN_FLIGHT,
  'existing nodes': EXISTING_NODES,
  'nodes that go': DELETING_NODES,
  'promises and refusals': PROMISES,
  'spread over zones': ZONAL_SPREAD,
  'spread over hosts and more': OTHER_SPREAD,
  affinity: AFFINITY,
  'anti-affinity': ANTI_AFFINITY,
  'default spread': DEFAULT_SPREAD,
  taints: TAINTS,
}
