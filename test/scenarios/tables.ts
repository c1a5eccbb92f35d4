import { ADDITIONAL } from './additional.ts'
import { AFFINITY } from './affinity.ts'
import { ANTI_AFFINITY } from './antiAffinity.ts'
import { BUFFERS_AND_OVERLAYS } from './buffersAndOverlays.ts'
import { CHEAPEST } from './cheapest.ts'
import { CLAIM_CONTENTS } from './claimContents.ts'
import { DAEMON_SETS } from './daemonSets.ts'
import { DEFAULT_SPREAD } from './defaultSpread.ts'
import { DELETING_NODES } from './deletingNodes.ts'
import { EXISTING_NODES } from './existingNodes.ts'
import { HOST_PORTS } from './hostPorts.ts'
import { IN_FLIGHT } from './inFlight.ts'
import { INSTANCE_TYPES } from './instanceTypes.ts'
import { LABELS } from './labels.ts'
import { LIMITS } from './limits.ts'
import { MIN_VALUES } from './minValues.ts'
import { NEVER_DEARER } from './neverDearer.ts'
import { NOMINATED_PODS } from './nominatedPods.ts'
import { PROMISES } from './nominations.ts'
import { OPERATORS } from './operators.ts'
import { OTHER_SPREAD } from './otherSpread.ts'
import { PACKING } from './packing.ts'
import { POOLS } from './pools.ts'
import { PREFERENCES } from './preferences.ts'
import { RESERVED } from './reserved.ts'
import type { Scenarios } from './scenario.ts'
import { SPREAD_DOMAINS } from './spreadDomains.ts'
import { TAINTS } from './taints.ts'
import { VOLUME_CLAIMS } from './volumeClaims.ts'
import { VOLUMES } from './volumes.ts'
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
  'nominated pods': NOMINATED_PODS,
  'spread over zones': ZONAL_SPREAD,
  'spread over hosts and more': OTHER_SPREAD,
  'domains that pods can have': SPREAD_DOMAINS,
  affinity: AFFINITY,
  'anti-affinity': ANTI_AFFINITY,
  'default spread': DEFAULT_SPREAD,
  taints: TAINTS,
  volumes: VOLUMES,
  'claims of volumes': VOLUME_CLAIMS,
  'reserved capacity': RESERVED,
  'the cheapest': CHEAPEST,
  'least numbers of values': MIN_VALUES,
  limits: LIMITS,
  pools: POOLS,
  daemons: DAEMON_SETS,
  'what a claim says': CLAIM_CONTENTS,
  'host ports': HOST_PORTS,
  'buffers and overlays': BUFFERS_AND_OVERLAYS,
  corners: ADDITIONAL,
  'where first fit is lucky': NEVER_DEARER,
}
