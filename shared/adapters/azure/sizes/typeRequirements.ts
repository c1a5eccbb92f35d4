import { byText } from '../../../base/lists.ts'
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

type Place = { readonly location: string; readonly cluster: string; readonly spec: Pick<NodeClassSpec, 'imageFamily' | 'fipsMode'> }

/**
 * Returns a function that lists one requirement for each well-known label of a size. Labels that depend on the offering have the values of the available
 * offerings. Equal requirements share one object, since a region has tens of thousands of them.
 */
export function createTypeRequirements(place: Place): (size: Size, offerings: readonly Offering[]) => readonly Requirement[] {
  const shared = sharedRequirements()
  const ofPlace = placeRequirements(place)
  const ofOfferings = createOfferingRequirements()
  let order: readonly number[] | undefined
  return (size, offerings) => {
    const all = [...sizeRequirements(size, shared), ...ofPlace, ...ofOfferings(offerings)]
    // All sizes have the same labels, so they are sorted once.
    order ??= [...all.keys()].sort((one, other) => byText(all[one]?.key ?? '', all[other]?.key ?? ''))
    return order.flatMap((at) => all[at] ?? [])
  }
}

type OneValue = (key: string, value: string | undefined) => Requirement

/** Returns equal requirements of one value, or of none, as one object. */
function sharedRequirements(): OneValue {
  const byKey = new Map<string, Map<string | undefined, Requirement>>()
  return (key, value) => {
    const known = byKey.get(key) ?? new Map<string | undefined, Requirement>()
    byKey.set(key, known)
    const made = known.get(value) ?? oneOf(key, value === undefined ? [] : [value])
    known.set(value, made)
    return made
  }
}

function sizeRequirements(size: Size, one: OneValue): Requirement[] {
  const { record, parsed } = size
  const cpus = String(size.cpus)
  const memoryMib = String(Math.trunc(size.memoryGib * 1024))
  const disk = ephemeralDisk(record)?.maxSizeGib ?? 0
  return [
    one(LABEL.instanceType, record.name),
    one(LABEL.arch, size.arch),
    one(LABEL.os, 'linux'),
    one(AZURE_LABEL.skuName, record.name),
    one(AZURE_LABEL.skuFamily, parsed.family),
    one(AZURE_LABEL.skuSeries, parsed.series),
    one(AZURE_LABEL.skuVersion, versionLabel(parsed)),
    one(AZURE_LABEL.skuCpu, cpus),
    one(AZURE_LABEL.aksSkuCpu, cpus),
    one(AZURE_LABEL.skuMemory, memoryMib),
    one(AZURE_LABEL.aksSkuMemory, memoryMib),
    one(AZURE_LABEL.acceleratedNetworking, String(isTrue(record, 'AcceleratedNetworkingEnabled'))),
    one(AZURE_LABEL.premiumStorage, String(isTrue(record, 'PremiumIO'))),
    one(AZURE_LABEL.ephemeralDiskMax, disk === 0 ? undefined : String(disk)),
    one(AZURE_LABEL.gpuName, size.gpu === undefined ? undefined : parsed.accelerator),
    one(AZURE_LABEL.gpuManufacturer, size.gpu?.vendor),
    one(AZURE_LABEL.gpuCount, String(size.gpu === undefined ? 0 : size.gpus)),
    size.generations.length < 2 ? one(HYPERV_GENERATION_LABEL, size.generations[0]) : oneOf(HYPERV_GENERATION_LABEL, size.generations),
  ]
}

function placeRequirements(place: Place): readonly Requirement[] {
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

/** Most sizes are sold in the same places, and offerings share equal requirement lists: each set of lists is read once. */
function createOfferingRequirements(): (offerings: readonly Offering[]) => readonly Requirement[] {
  const numbers = new Map<readonly Requirement[], number>()
  const known = new Map<string, readonly Requirement[]>()
  return (offerings) => {
    const lists = new Set<readonly Requirement[]>()
    for (const { available, requirements } of offerings) if (available) lists.add(requirements)
    let id = ''
    for (const list of lists) {
      if (!numbers.has(list)) numbers.set(list, numbers.size)
      id += ` ${numbers.get(list)}`
    }
    const made = known.get(id) ?? valuesOf([...lists])
    known.set(id, made)
    return made
  }
}

function valuesOf(lists: readonly (readonly Requirement[])[]): readonly Requirement[] {
  return [LABEL.zone, LABEL.capacityType, AZURE_LABEL.placementScope, AZURE_LABEL.ultraSsd].map((key) =>
    oneOf(
      key,
      lists.flatMap((list) => list.find((requirement) => requirement.key === key)?.values ?? []),
    ),
  )
}
