import type { SizeRecord } from '../../../wire/azure/sizeRecord.ts'
import { isTrue, numberOf } from './size.ts'

/** The largest OS disk that fits on the machine itself, and where on it. */
export type EphemeralDisk = { readonly maxSizeGb: number; readonly placement: 'NvmeDisk' | 'CacheDisk' | 'ResourceDisk' }

const MIB = 1024 ** 2
const GB = 1_000_000_000

/**
 * NVMe before cache before temporary disk. The first kind a size has decides: a cache that is too small is not made up
 * for by a larger temporary disk, as on AKS agent pools.
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

/** The placement for an OS disk of this size; undefined: a managed disk. */
export function ephemeralPlacement(disk: EphemeralDisk | undefined, osDiskSizeGb: number): EphemeralDisk['placement'] | undefined {
  return disk !== undefined && osDiskSizeGb <= disk.maxSizeGb ? disk.placement : undefined
}
