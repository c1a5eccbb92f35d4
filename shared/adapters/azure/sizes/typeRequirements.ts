import { byKey } from '../../../base/order.ts'
import type { Offering } from '../../../model/instanceType.ts'
import { HYPERV_GENERATION_LABEL, LABEL } from '../../../model/labels.ts'
import type { NodeClassSpec } from '../../../model/nodeClass.ts'
import type { Requirement } from '../../../model/requirements.ts'
import { AZURE_LABEL } from '../azureLabels.ts'
import { ephemeralDisk } from './ephemeralDisk.ts'
import { isTrue, type Size } from './size.ts'
import { versionLabel } from './sizeName.ts'

/** A requirement that admits exactly these values. Without values, the label must not exist. */
export function oneOf(key: string, values: readonly string[]): Requirement {
  // one value needs neither set nor sort: a region has tens of thousands of such requirements
  return { key, complement: false, values: values.length < 2 ? values : [...new Set(values)].sort() }
}

/** One requirement for each well-known label. Labels that depend on the offering have the values of the available offerings. */
export function typeRequirements(
  size: Size,
  offerings: readonly Offering[],
  place: { readonly location: string; readonly cluster: string; readonly spec: Pick<NodeClassSpec, 'imageFamily' | 'fipsMode'> },
): readonly Requirement[] {
  return [...sizeRequirements(size), ...placeRequirements(place), ...offeringRequirements(offerings)].sort(
    byKey((requirement) => requirement.key),
  )
}

function sizeRequirements(size: Size): Requirement[] {
  const { record, parsed } = size
  const memoryMib = String(Math.trunc(size.memoryGib * 1024))
  const disk = ephemeralDisk(record)?.maxSizeGib ?? 0
  return [
    oneOf(LABEL.instanceType, [record.name]),
    oneOf(LABEL.arch, size.arch === undefined ? [] : [size.arch]),
    oneOf(LABEL.os, ['linux']),
    oneOf(AZURE_LABEL.skuName, [record.name]),
    oneOf(AZURE_LABEL.skuFamily, [parsed.family]),
    oneOf(AZURE_LABEL.skuSeries, [parsed.series]),
    oneOf(AZURE_LABEL.skuVersion, [versionLabel(parsed)]),
    oneOf(AZURE_LABEL.skuCpu, [String(size.cpus)]),
    oneOf(AZURE_LABEL.aksSkuCpu, [String(size.cpus)]),
    oneOf(AZURE_LABEL.skuMemory, [memoryMib]),
    oneOf(AZURE_LABEL.aksSkuMemory, [memoryMib]),
    oneOf(AZURE_LABEL.acceleratedNetworking, [String(isTrue(record, 'AcceleratedNetworkingEnabled'))]),
    oneOf(AZURE_LABEL.premiumStorage, [String(isTrue(record, 'PremiumIO'))]),
    oneOf(AZURE_LABEL.ephemeralDiskMax, disk === 0 ? [] : [String(disk)]),
    oneOf(AZURE_LABEL.gpuName, size.gpu === undefined || parsed.accelerator === undefined ? [] : [parsed.accelerator]),
    oneOf(AZURE_LABEL.gpuManufacturer, size.gpu === undefined ? [] : [size.gpu.vendor]),
    oneOf(AZURE_LABEL.gpuCount, [String(size.gpu === undefined ? 0 : size.gpus)]),
    oneOf(HYPERV_GENERATION_LABEL, size.generations),
  ]
}

function placeRequirements(place: Parameters<typeof typeRequirements>[2]): Requirement[] {
  return [
    oneOf(LABEL.region, [place.location]),
    oneOf(AZURE_LABEL.cluster, [place.cluster]),
    oneOf(AZURE_LABEL.mode, ['system', 'user']),
    oneOf(AZURE_LABEL.osSku, [place.spec.imageFamily === 'AzureLinux' ? 'AzureLinux' : 'Ubuntu']),
    oneOf(AZURE_LABEL.fips, place.spec.fipsMode === 'FIPS' ? ['true'] : []),
    oneOf(AZURE_LABEL.priority, ['regular', 'spot']),
    oneOf(AZURE_LABEL.scaleSetPriority, ['regular', 'spot']),
  ]
}

function offeringRequirements(offerings: readonly Offering[]): Requirement[] {
  // Offerings share equal requirement lists. Each list is read once.
  const lists = new Set(offerings.filter((offering) => offering.available).map((offering) => offering.requirements))
  const valuesOf = (key: string) => [...lists].flatMap((list) => list.find((requirement) => requirement.key === key)?.values ?? [])
  return [LABEL.zone, LABEL.capacityType, AZURE_LABEL.placementScope, AZURE_LABEL.ultraSsd].map((key) => oneOf(key, valuesOf(key)))
}
