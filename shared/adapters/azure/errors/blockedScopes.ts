/** The offerings that a refused launch blocks. */
import type { VmSizeName, ZoneName } from '../../../model/ids.ts'
import type { CapacityType } from '../../../model/instanceType.ts'
import type { UnavailableScope } from '../../../model/unavailableOffering.ts'
import { REGIONAL } from '../sizes/zones.ts'

/** The offerings that a refusal blocks, relative to the offering that was tried. */
export type BlockedScope =
  /** Every offering of the attempted capacity type. */
  | 'capacity type'
  /** As `capacity type`, for sizes with at least as many CPUs. */
  | 'capacity type from size up'
  /** The size and the larger sizes of its family, in every zone and without a zone, for the attempted capacity type. */
  | 'family'
  /** The attempted offering alone: the size in its zone, for the attempted capacity type. */
  | 'offering'
  /** The size in the attempted zone, for all capacity types. */
  | 'size in zone'
  /** The size in all zones for a zonal attempt, or without a zone for a regional attempt, for all capacity types. */
  | 'size in scope'
  /** As `size in scope`, for the attempted capacity type only. */
  | 'size in scope as this capacity type'
  /** The size, in every zone and without a zone, for all capacity types. */
  | 'size'
  /** As `size`, for the attempted capacity type only. */
  | 'size as this capacity type'

/** The launch that Azure refused. */
export type LaunchAttempt = {
  readonly size: VmSizeName
  readonly zone: ZoneName
  readonly capacityType: CapacityType
  /** The quota family. Empty if the list of sizes does not give it. */
  readonly family: string
  readonly cpus: number
  /** All zones that offer the size. */
  readonly zones: readonly ZoneName[]
}

/** What the scope stands for in a launch. */
export function scopesOf(blocks: BlockedScope, attempt: LaunchAttempt): readonly UnavailableScope[] {
  const { size, capacityType } = attempt
  switch (blocks) {
    case 'capacity type':
      return [{ kind: 'capacityType', capacityType }]
    case 'capacity type from size up':
      return [{ kind: 'capacityType', capacityType, minCpus: attempt.cpus }]
    case 'family':
      return [fromSizeUp(attempt)]
    case 'size':
      return [{ kind: 'offering', size }]
    case 'size as this capacity type':
      return [{ kind: 'offering', size, capacityType }]
    case 'offering':
      return [{ kind: 'offering', size, zone: attempt.zone, capacityType }]
    case 'size in zone':
      return [{ kind: 'offering', size, zone: attempt.zone }]
    case 'size in scope':
      return zonesInScope(attempt).map((zone) => ({ kind: 'offering', size, zone }))
    case 'size in scope as this capacity type':
      return zonesInScope(attempt).map((zone) => ({ kind: 'offering', size, zone, capacityType }))
  }
}

/** The scope of the size and the larger sizes of its family. Only the size if the family is not known. */
function fromSizeUp({ family, size, cpus, capacityType }: LaunchAttempt): UnavailableScope {
  return family === '' ? { kind: 'offering', size, capacityType } : { kind: 'family', family, minCpus: cpus, capacityType }
}

/** The zones in the scope of an attempt: all zones for a zonal attempt, only the region for a regional attempt. */
function zonesInScope(attempt: LaunchAttempt): readonly ZoneName[] {
  if (attempt.zone === REGIONAL) return [REGIONAL]
  const zonal = attempt.zones.filter((zone) => zone !== REGIONAL)
  return zonal.includes(attempt.zone) ? zonal : [...zonal, attempt.zone]
}
