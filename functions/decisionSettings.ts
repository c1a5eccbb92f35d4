import { defined } from '../shared/base/values.ts'
import type { DecisionSettings, TerminateFirstFor } from '../shared/model/clusterSnapshot.ts'
import { usdPerHour } from '../shared/model/units.ts'
import type { Settings } from './config.ts'

/** The limit of Karpenter. */
const MAX_INSTANCE_TYPES = 600

const TERMINATE_FIRST: { readonly [Value in Settings['TERMINATE_FIRST']]: readonly TerminateFirstFor[] } = {
  off: [],
  drift: ['Drifted'],
  repair: ['Unhealthy'],
  both: ['Drifted', 'Unhealthy'],
}

/** The settings that follow from the configuration of a cluster. */
export type ClusterSettings = Pick<
  DecisionSettings,
  'machineNames' | 'kubeletIdentityClientId' | 'clusterFacts' | 'podDeletionCosts' | 'links' | 'additionalTags'
>

/** Returns the settings that decisions depend on. */
export function decisionSettings(settings: Settings, ofCluster: ClusterSettings): DecisionSettings {
  return {
    minValuesPolicy: settings.MIN_VALUES_POLICY,
    preferencePolicy: settings.PREFERENCE_POLICY,
    placement: settings.PLACEMENT,
    nodeCost: usdPerHour(settings.NODE_COST),
    defaultSpread: settings.SCHEDULER_CONFIG ?? settings.DEFAULT_SPREAD,
    maxInstanceTypes: MAX_INSTANCE_TYPES,
    launchTimeout: settings.LAUNCH_TIMEOUT,
    registrationTimeout: settings.REGISTRATION_TIMEOUT,
    initializationTimeout: settings.INITIALIZATION_TIMEOUT,
    calm: {
      isFrozen: settings.DISRUPTION_FREEZE === 'on',
      leastSavingShare: settings.LEAST_SAVING_SHARE,
      leastSavingPerPod: usdPerHour(settings.LEAST_SAVING_PER_POD),
      leastNodeAge: settings.LEAST_NODE_AGE,
      mostMovesAnHour: settings.MOST_MOVES_AN_HOUR,
      restAfterMove: settings.REST_AFTER_MOVE,
      mostExtraNodes: settings.MOST_EXTRA_NODES,
    },
    mostPlannedTaints: settings.MOST_PLANNED_TAINTS,
    nodeRepair: settings.NODE_REPAIR,
    ...defined({ repairPolicies: settings.REPAIR_POLICIES }),
    terminateFirst: TERMINATE_FIRST[settings.TERMINATE_FIRST],
    ...ofCluster,
  }
}
