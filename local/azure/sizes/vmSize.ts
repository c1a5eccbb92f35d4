/** A VM size of the emulated region: facts of the SKU list, and its prices. */
export type VmSize = {
  /** `Standard_D2s_v5`. */
  readonly name: string
  /** Quota family, as Azure spells it. */
  readonly family: string
  readonly cpus: number
  readonly memoryGib: number
  readonly gpus: number
  readonly zones: readonly string[]
  /** Zones with ultra disks. Default: none. */
  readonly ultraSsdZones?: readonly string[]
  readonly capabilities: Readonly<Record<string, string>>
  /** Dollars an hour. Undefined: the price list does not name the size. */
  readonly onDemandUsd?: number
  readonly spotUsd?: number
}

export function isSpotCapable(size: VmSize): boolean {
  return size.capabilities['LowPriorityCapable'] === 'True'
}

/**
 * The size as a Resource SKUs record. Azure spells `Name` of zoneDetails against its definition. Source: microsoft/lisa, the Azure platform, whose
 * comment quotes an answer; read on 2026-11-29.
 */
export function skuRecord(size: VmSize, location: string): object {
  const { ultraSsdZones = [] } = size
  const zoneDetails =
    ultraSsdZones.length === 0 ? [] : [{ Name: [...ultraSsdZones], capabilities: [{ name: 'UltraSSDAvailable', value: 'True' }] }]
  return {
    resourceType: 'virtualMachines',
    name: size.name,
    tier: 'Standard',
    size: size.name.replace(/^(Standard|Basic)_/, ''),
    family: size.family,
    locations: [location],
    locationInfo: [{ location, zones: [...size.zones], zoneDetails }],
    capabilities: Object.entries(size.capabilities).map(([name, value]) => ({ name, value })),
    restrictions: [],
  }
}
