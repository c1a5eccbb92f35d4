import type { ClusterSnapshot, DecisionSettings } from '../../../shared/model/clusterSnapshot.ts'
import type { InstanceType } from '../../../shared/model/instanceType.ts'
import { LABEL } from '../../../shared/model/labels.ts'
import type { Pod } from '../../../shared/model/pod.ts'
import { nodePool } from '../../../test/builders/nodePool.ts'
import { pod } from '../../../test/builders/pod.ts'
import { snapshot } from '../../../test/builders/snapshot.ts'
import { AZURE_SIZES, azureDaemons, azureTypes, isGeneralPurpose } from '../catalogs/azureTypes.ts'
import { createRandom } from '../random.ts'
import type { Workload } from '../workload.ts'
import { CPUS, MEBIBYTES } from './azureServices.ts'

/** The pods of a batch have no rules, and each draws its CPU and its memory by itself. */
export const BATCH_SIZES = [3, 5, 10, 20] as const
export const CAPACITY_TYPES = ['on-demand', 'spot'] as const
export type CapacityType = (typeof CAPACITY_TYPES)[number]

/** The largest size of the workload of many such pods: a cluster that keeps its machines small. */
const LARGEST_CPUS = 16
const SEED = 11

export function batchOf(count: number, seed: number): readonly Pod[] {
  const random = createRandom(seed * 7_919 + count)
  for (let drawn = 0; drawn < 20; drawn++) random.next()
  return Array.from({ length: count }, (_, index) =>
    pod({ name: `batch-${index}`, cpus: random.pick(CPUS), memoryGib: random.pick(MEBIBYTES) / 1024 }),
  )
}

export function clusterFor(
  pending: readonly Pod[],
  types: readonly InstanceType[],
  capacityType: CapacityType,
  settings: Partial<DecisionSettings> = {},
): ClusterSnapshot {
  const requirement = { key: LABEL.capacityType, operator: 'In', values: [capacityType] } as const
  return snapshot({
    types,
    settings,
    objects: { nodePool: [nodePool({ template: { requirements: [requirement] } })], daemonSet: azureDaemons(), pod: pending },
  })
}

/** Many pods of the same kind. */
export const SPOT_BATCH: Workload = {
  name: 'az-spot-1k',
  about: `1,000 diverse pods on spot machines; sizes of eastus with at most ${LARGEST_CPUS} CPUs`,
  needs: AZURE_SIZES,
  build: () => ({
    loaded: clusterFor(
      batchOf(1_000, SEED),
      azureTypes((size) => isGeneralPurpose(size) && size.cpu <= LARGEST_CPUS),
      'spot',
    ),
  }),
}
