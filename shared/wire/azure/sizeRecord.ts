import * as z from 'zod'

/** The relevant part of a Resource SKUs record: name, family, zones and the capabilities that decisions depend on. */
export const sizeRecord = z.object({
  name: z.string(),
  /** Name without its tier, for example `D2s_v5`. */
  size: z.string(),
  family: z.string().optional(),
  zones: z.array(z.string()),
  /** Zones in which ultra disks are available. */
  ultraSsdZones: z.array(z.string()),
  /** The subscription may not use the size in this region at all. */
  isRestricted: z.boolean(),
  capabilities: z.record(z.string(), z.string()),
})

export type SizeRecord = Readonly<z.output<typeof sizeRecord>>

/** The capabilities to keep. All others are dropped. */
const KEPT_CAPABILITIES = [
  'vCPUs',
  'MemoryGB',
  'GPUs',
  'MaxDataDiskCount',
  'CpuArchitectureType',
  'HyperVGenerations',
  'EphemeralOSDiskSupported',
  'CachedDiskBytes',
  'MaxResourceVolumeMB',
  'NvmeDiskSizeInMiB',
  'SupportedEphemeralOSDiskPlacements',
  'AcceleratedNetworkingEnabled',
  'PremiumIO',
  'EncryptionAtHostSupported',
  'UltraSSDAvailable',
  'LowPriorityCapable',
  'TrustedLaunchDisabled',
] as const

const restriction = z.object({
  type: z.string().optional(),
  values: z.array(z.string()).optional(),
  restrictionInfo: z.object({ zones: z.array(z.string()).optional(), locations: z.array(z.string()).optional() }).optional(),
})

const capability = z.object({ name: z.string().optional(), value: z.string().optional() })

/** Azure writes `Name`, against its own definition, which says `name`. */
const zoneDetail = z.object({
  Name: z.array(z.string()).nullish(),
  name: z.array(z.string()).nullish(),
  capabilities: z.array(capability).optional(),
})

const resourceSku = z.object({
  resourceType: z.string().optional(),
  name: z.string(),
  size: z.string().optional(),
  family: z.string().optional(),
  locationInfo: z
    .array(
      z.object({
        location: z.string().optional(),
        zones: z.array(z.string()).optional(),
        zoneDetails: z.array(zoneDetail).optional(),
      }),
    )
    .optional(),
  capabilities: z.array(capability).optional(),
  restrictions: z.array(restriction).optional(),
})

/** Parses the record of a virtual machine size in a region. Undefined for another resource type or another shape. */
export function parseResourceSku(value: unknown, location: string): SizeRecord | undefined {
  const parsed = resourceSku.safeParse(value)
  if (!parsed.success || parsed.data.resourceType?.toLowerCase() !== 'virtualmachines') return undefined
  const sku = parsed.data
  const isRestricted = (sku.restrictions ?? []).some((entry) => entry.type === 'Location' && namesRegion(entry, location))
  const places = placesOf(sku, location)
  return {
    name: sku.name,
    size: sku.size ?? sku.name.replace(/^(Standard|Basic)_/, ''),
    ...(sku.family === undefined ? {} : { family: sku.family }),
    zones: isRestricted ? [] : places.zones,
    ultraSsdZones: places.ultraSsdZones,
    isRestricted,
    capabilities: kept(sku.capabilities),
  }
}

function placesOf(sku: z.output<typeof resourceSku>, location: string): Pick<SizeRecord, 'zones' | 'ultraSsdZones'> {
  const here = sku.locationInfo?.find((info) => info.location?.toLowerCase() === location)
  const restrictions = (sku.restrictions ?? []).filter((entry) => entry.type === 'Zone')
  const barred = new Set(restrictions.flatMap((entry) => entry.restrictionInfo?.zones ?? []))
  const ultra = (here?.zoneDetails ?? []).filter((detail) => isTrue(valueOf(detail.capabilities, 'UltraSSDAvailable')))
  return {
    zones: (here?.zones ?? []).filter((zone) => !barred.has(zone)).sort(),
    ultraSsdZones: [...new Set(ultra.flatMap((detail) => detail.Name ?? detail.name ?? []))].sort(),
  }
}

function namesRegion(entry: z.output<typeof restriction>, location: string): boolean {
  const regions = [...(entry.values ?? []), ...(entry.restrictionInfo?.locations ?? [])]
  return regions.some((region) => region.toLowerCase() === location)
}

function kept(capabilities: readonly z.output<typeof capability>[] | undefined): Record<string, string> {
  const found = KEPT_CAPABILITIES.map((name) => [name, valueOf(capabilities, name)] as const)
  return Object.fromEntries(found.filter((entry): entry is readonly [(typeof KEPT_CAPABILITIES)[number], string] => entry[1] !== undefined))
}

function valueOf(capabilities: readonly z.output<typeof capability>[] | undefined, name: string): string | undefined {
  return capabilities?.find((entry) => entry.name === name)?.value
}

function isTrue(value: string | undefined): boolean {
  return value?.toLowerCase() === 'true'
}
