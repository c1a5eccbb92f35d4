import { byKey } from '../../../base/order.ts'
import { vmSizeName } from '../../../model/ids.ts'
import type { InstanceType } from '../../../model/instanceType.ts'
import type { NodeClass } from '../../../model/nodeClass.ts'
import type { SizePrice, Usage } from '../../../wire/azure/catalogBlob.ts'
import type { ClusterConfig } from '../../../wire/clusterConfig.ts'
import { clusterLabelValue } from '../azureLabels.ts'
import { chooseImage, kubernetesVersionOf } from '../images/imageChoice.ts'
import { isTrustedLaunch, resolveFamily } from '../images/imageFamily.ts'
import { capacityOf, overheadOf } from './capacity.ts'
import { maxPodsOf } from './maxPods.ts'
import { createOfferings } from './offerings.ts'
import { isTrue, type Size } from './size.ts'
import { typeRequirements } from './typeRequirements.ts'

export type Market = {
  readonly sizes: readonly Size[]
  readonly prices: Readonly<Record<string, SizePrice>>
  /** By quota name in lower case. */
  readonly usages: Readonly<Record<string, Usage>>
}

const LOCAL_DNS_CPUS = 4
const LOCAL_DNS_MEMORY_MIB = 244

/** The region's sizes as a NodeClass shapes them, by name. A type that cannot be had now stays: nodes of it still resolve. */
export function buildInstanceTypes(market: Market, nodeClass: NodeClass, config: ClusterConfig): readonly InstanceType[] {
  const offerings = createOfferings(config.location)
  const cluster = clusterLabelValue(config.nodeResourceGroup)
  const place = { location: config.location, cluster, spec: nodeClass.spec }
  const node = {
    osDiskSizeGb: nodeClass.spec.osDiskSizeGb,
    maxPods: maxPodsOf(nodeClass.spec, config),
    memoryOverhead: config.vmMemoryOverheadPercent,
  }
  return market.sizes
    .filter((size) => serves(size, nodeClass, config))
    .map((size): InstanceType => {
      const ways = offerings(size, market.prices[size.record.name], market.usages)
      const capacity = capacityOf(size, node)
      return {
        name: vmSizeName(size.record.name),
        requirements: typeRequirements(size, ways, place),
        capacity,
        overhead: overheadOf(size, capacity),
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

/** A size without an image for the class is left out here, where upstream offers it and fails at the launch. */
function serves(size: Size, nodeClass: NodeClass, config: ClusterConfig): boolean {
  const { spec } = nodeClass
  if (size.arch === undefined || !hasGpuSupport(size, nodeClass, config)) return false
  if (spec.encryptionAtHost === true && !isTrue(size.record, 'EncryptionAtHostSupported')) return false
  if (isLocalDnsOn(spec.localDns) && (size.cpus < LOCAL_DNS_CPUS || size.memoryGib * 1024 < LOCAL_DNS_MEMORY_MIB)) return false
  if (spec.artifactStreaming === true && size.arch === 'arm64') return false
  if (isTrustedLaunch(spec) && isTrue(size.record, 'TrustedLaunchDisabled')) return false
  return chooseImage(nodeClass, config, { arch: size.arch, generations: size.generations }) !== undefined
}

function hasGpuSupport(size: Size, nodeClass: NodeClass, config: ClusterConfig): boolean {
  if (size.gpu === undefined) return true
  if (nodeClass.spec.gpuMode === 'Driver' && !size.gpu.hasDriverInstall) return false
  const family = resolveFamily(nodeClass.spec, kubernetesVersionOf(nodeClass, config))
  const systems = family.startsWith('Ubuntu') ? ['ubuntu'] : ['azurelinux', 'azurelinux3']
  return size.gpu.systems.some((system) => systems.includes(system))
}

function isLocalDnsOn(localDns: unknown): boolean {
  return typeof localDns === 'object' && localDns !== null && 'mode' in localDns && localDns.mode === 'Required'
}
