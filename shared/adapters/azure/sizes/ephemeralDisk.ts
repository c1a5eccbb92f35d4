import { largestOf } from '../../../base/lists.ts'
import type { SizeRecord } from '../../../wire/azure/sizeRecord.ts'
import { isTrue, numberOf } from './size.ts'

export type DiskPlacement = 'NvmeDisk' | 'CacheDisk' | 'ResourceDisk'

/** The places of a size for an ephemeral OS disk, best first, and the largest disk of them all. */
export type EphemeralDisk = {
  readonly maxSizeGib: number
  readonly places: readonly { readonly placement: DiskPlacement; readonly maxSizeGib: number }[]
}

const GIB = 1024 ** 3
const MIB_PER_GIB = 1024
/** The largest ephemeral OS disk. Source: Ephemeral OS disks for Azure VMs (learn.microsoft.com), read on 2026-11-29. */
const MAX_GIB = 2040
/** The places of a size whose list Azure does not publish. Such a size is older than NVMe disks. */
const OLD_PLACES = 'CacheDisk,ResourceDisk'

/** The ephemeral disk of a size: on NVMe, in the cache or on the temporary disk. What Azure calls GB of an OS disk is GiB. Undefined without a place. */
export function ephemeralDisk(record: SizeRecord): EphemeralDisk | undefined {
  if (!isTrue(record, 'EphemeralOSDiskSupported')) return undefined
  const named = (record.capabilities['SupportedEphemeralOSDiskPlacements'] ?? OLD_PLACES).split(',').map((place) => place.trim())
  const rooms = [
    { placement: 'NvmeDisk', gib: (numberOf(record, 'NvmeDiskSizeInMiB') ?? 0) / MIB_PER_GIB },
    { placement: 'CacheDisk', gib: (numberOf(record, 'CachedDiskBytes') ?? 0) / GIB },
    { placement: 'ResourceDisk', gib: (numberOf(record, 'MaxResourceVolumeMB') ?? 0) / MIB_PER_GIB },
  ] as const
  const places = rooms
    .filter(({ placement, gib }) => gib >= 1 && named.includes(placement))
    .map(({ placement, gib }) => ({ placement, maxSizeGib: Math.min(Math.floor(gib), MAX_GIB) }))
  return places.length === 0 ? undefined : { places, maxSizeGib: largestOf(places.map(({ maxSizeGib }) => maxSizeGib)) }
}

/** The best place that an OS disk of this size fits in. Undefined if it must be a managed disk. */
export function ephemeralPlacement(disk: EphemeralDisk | undefined, osDiskSizeGib: number): DiskPlacement | undefined {
  return disk?.places.find(({ maxSizeGib }) => osDiskSizeGib <= maxSizeGib)?.placement
}
