import { existsSync } from 'node:fs'
import { microUsdPerHour } from '../../shared/model/units.ts'
import { withParsedPods } from './parsedPods.ts'
import type { Workload } from './workload.ts'
import { ADVERSARIAL } from './workloads/adversarial.ts'
import { ARRIVALS } from './workloads/arrivals.ts'
import { AZURE_SERVICES } from './workloads/azureServices.ts'
import { IDENTICAL_PODS } from './workloads/identicalPods.ts'
import { KARPENTER_MIX } from './workloads/karpenterMix.ts'
import { MANY_POOLS } from './workloads/manyPools.ts'
import { MIXED_CLUSTER } from './workloads/mixedCluster.ts'
import { OWNERS_OF_THE_SAME } from './workloads/owners.ts'
import { SPOT_BATCH } from './workloads/smallBatches.ts'
import { UNSATISFIABLE } from './workloads/unsatisfiable.ts'

export const WORKLOADS: readonly Workload[] = [
  ...KARPENTER_MIX,
  IDENTICAL_PODS,
  ...AZURE_SERVICES,
  SPOT_BATCH,
  MIXED_CLUSTER,
  ...ARRIVALS,
  UNSATISFIABLE,
  MANY_POOLS,
  ...OWNERS_OF_THE_SAME,
  ...ADVERSARIAL,
]
  .map(withParsedPods)
  .map(withNodeCost)

/** The default of the setting `NODE_COST`, in micro-USD an hour. Prices in tables do not have it. */
export const NODE_COST = microUsdPerHour(5_000)

export function withNodeCost(workload: Workload): Workload {
  return {
    ...workload,
    build() {
      const { loaded, ...rest } = workload.build()
      return { ...rest, loaded: { ...loaded, settings: { nodeCost: NODE_COST, ...loaded.settings } } }
    },
  }
}

/** Returns the data file that a workload lacks here. Undefined if the workload can run. */
export function missingFile({ needs }: Workload): string | undefined {
  return needs === undefined || existsSync(needs) ? undefined : needs
}
