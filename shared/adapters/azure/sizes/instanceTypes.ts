import { byKey } from '../../../base/lists.ts'
import { ownValue } from '../../../base/values.ts'
import type { Usage } from '../../../model/askedCores.ts'
import { vmSizeName } from '../../../model/ids.ts'
import type { InstanceType } from '../../../model/instanceType.ts'
import type { NodeClass } from '../../../model/nodeClass.ts'
import type { SizePrice } from '../../../wire/azure/catalogBlob.ts'
import type { ClusterConfig } from '../../../wire/clusterConfig.ts'
import { clusterLabelValue } from '../azureLabels.ts'
import { kubernetesVersionOf } from '../images/imageChoice.ts'
import { capacityOf, overheadOf } from './capacity.ts'
import { classProblem } from './classProblem.ts'
import { maxPodsOf } from './maxPods.ts'
import { createOfferings } from './offerings.ts'
import { diskFacts, diskPriceOf, osDiskOf } from './osDisk.ts'
import { sizeRefusalOf } from './servedSizes.ts'
import type { Size } from './size.ts'
import { createTypeRequirements } from './typeRequirements.ts'

export type Market = {
  readonly sizes: readonly Size[]
  /** Prices of machines without a managed disk, by size. */
  readonly prices: Readonly<Record<string, SizePrice>>
  /** Prices of managed disks in micro-USD an hour, by tier. A tier that is not listed has the price of a constant. */
  readonly diskPrices?: Readonly<Record<string, number>>
  /** Usage by quota name in lower case. */
  readonly usages: Readonly<Record<string, Usage>>
}

/**
 * The instance types of the region for a NodeClass, sorted by name. A type without an available offering stays in the list, so that existing nodes of
 * it are resolved.
 */
export function buildInstanceTypes(market: Market, nodeClass: NodeClass, config: ClusterConfig): readonly InstanceType[] {
  if (classProblem(nodeClass, config) !== undefined) return []
  const offerings = createOfferings(config.location)
  const cluster = clusterLabelValue(config.nodeResourceGroup)
  const requirementsOf = createTypeRequirements({ location: config.location, cluster, spec: nodeClass.spec })
  const version = kubernetesVersionOf(nodeClass, config)
  const node = {
    osDiskSizeGb: nodeClass.spec.osDiskSizeGb,
    maxPods: maxPodsOf(nodeClass.spec, config),
    memoryOverhead: config.vmMemoryOverheadPercent,
  }
  return market.sizes
    .filter((size) => sizeRefusalOf(size, nodeClass, config) === undefined)
    .map((size): InstanceType => {
      const disk = diskPriceOf(osDiskOf(diskFacts(size), nodeClass.spec), market.diskPrices)
      const ways = offerings(size, { machine: ownValue(market.prices, size.record.name), disk }, market.usages)
      const capacity = capacityOf(size, node)
      return {
        name: vmSizeName(size.record.name),
        requirements: requirementsOf(size, ways),
        capacity,
        overhead: overheadOf(size, capacity, version),
        offerings: ways,
        family: size.record.family ?? '',
        cpus: size.cpus,
        ...diskLimitOf(size),
      }
    })
    .sort(byKey((type) => type.name))
}

function diskLimitOf({ record }: Size): Pick<InstanceType, 'maxDataDisks'> {
  const limit = Number(record.capabilities['MaxDataDiskCount'] ?? Number.NaN)
  return Number.isSafeInteger(limit) ? { maxDataDisks: limit } : {}
}
