import type { SizeRecord } from '../../../wire/azure/sizeRecord.ts'
import { isTrue, numberOf } from './size.ts'

/** The largest ephemeral OS disk of a size, and its placement. */
export type EphemeralDisk = { readonly maxSizeGb: number; readonly placement: 'NvmeDisk' | 'CacheDisk' | 'ResourceDisk' }

const MIB = 1024 ** 2
const GB = 1_000_000_000

/**
 * The ephemeral disk of a size, on NVMe, else on the cache, else on the temporary disk. Only the first placement that the size has counts. If the
 * cache is too small, a larger temporary disk is not used, as on AKS agent pools. Undefined if the size supports no ephemeral OS disk.
 */
export function ephemeralDisk(record: SizeRecord): EphemeralDisk | undefined {
  if (!isTrue(record, 'EphemeralOSDiskSupported')) return undefined
  const placements = (record.capabilities['SupportedEphemeralOSDiskPlacements'] ?? '').split(',').map((place) => place.trim())
  const nvmeMib = numberOf(record, 'NvmeDiskSizeInMiB') ?? 0
  if (nvmeMib > 0 && placements.includes('NvmeDisk')) return { maxSizeGb: Math.floor((nvmeMib * MIB) / GB), placement: 'NvmeDisk' }
  const cacheBytes = numberOf(record, 'CachedDiskBytes') ?? 0
  if (cacheBytes > 0) return { maxSizeGb: Math.floor(cacheBytes / GB), placement: 'CacheDisk' }
  const tempMib = numberOf(record, 'MaxResourceVolumeMB') ?? 0
  return tempMib > 0 ? { maxSizeGb: Math.floor((tempMib * MIB) / GB), placement: 'ResourceDisk' } : undefined
}

/** The placement of an OS disk of this size. Undefined if it must be a managed disk. */
export function ephemeralPlacement(disk: EphemeralDisk | undefined, osDiskSizeGb: number): EphemeralDisk['placement'] | undefined {
  return disk !== undefined && osDiskSizeGb <= disk.maxSizeGb ? disk.placement : undefined
}
