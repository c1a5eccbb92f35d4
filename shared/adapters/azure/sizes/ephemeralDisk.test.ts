import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { sku } from '../../../../test/azure/skuBuilder.ts'
import { parseResourceSku } from '../../../wire/azure/sizeRecord.ts'
import { type DiskPlacement, ephemeralDisk, ephemeralPlacement } from './ephemeralDisk.ts'

const SKUS = '../shared/data/resource-skus.southcentralus.json'
const SUPPORTED = { EphemeralOSDiskSupported: 'True' }
const place = (placement: DiskPlacement, maxSizeGib: number) => ({ placement, maxSizeGib })

describe('the ephemeral OS disk', () => {
  const nvme = { NvmeDiskSizeInMiB: '7208960', SupportedEphemeralOSDiskPlacements: 'NvmeDisk' }
  const cases = {
    'is on NVMe when the size has one for it': {
      caps: { ...SUPPORTED, ...nvme, CachedDiskBytes: '900000000000' },
      want: { maxSizeGib: 2040, places: [place('NvmeDisk', 2040)] },
    },
    'is in the cache when NVMe is not offered for it': {
      caps: {
        ...SUPPORTED,
        NvmeDiskSizeInMiB: '915527',
        SupportedEphemeralOSDiskPlacements: 'ResourceDisk,CacheDisk',
        CachedDiskBytes: '274877906944',
      },
      want: { maxSizeGib: 256, places: [place('CacheDisk', 256)] },
    },
    'is in the cache before the temporary disk': {
      caps: { ...SUPPORTED, CachedDiskBytes: '53687091200', MaxResourceVolumeMB: '16384' },
      want: { maxSizeGib: 50, places: [place('CacheDisk', 50), place('ResourceDisk', 16)] },
    },
    'is on the temporary disk when there is nothing else': {
      caps: { ...SUPPORTED, MaxResourceVolumeMB: '153600' },
      want: { maxSizeGib: 150, places: [place('ResourceDisk', 150)] },
    },
    'is nowhere on a size that does not support it': {
      caps: { EphemeralOSDiskSupported: 'False', CachedDiskBytes: '53687091200' },
      want: undefined,
    },
    'is nowhere on a size without local disks': { caps: SUPPORTED, want: undefined },
  } as const
  it.each(Object.entries(cases))('%s', (_sentence, { caps, want }) => {
    expect(ephemeralDisk(sku({ capabilities: caps }))).toEqual(want)
  })

  it('goes to the larger temporary disk when the cache is too small, and only to a place that the size has', () => {
    const caps = { ...SUPPORTED, CachedDiskBytes: '53687091200', MaxResourceVolumeMB: '512000' }
    const placementsOf = (more: object) => {
      const disk = ephemeralDisk(sku({ capabilities: { ...caps, ...more } }))
      return [30, 50, 51, 500, 501].map((gib) => ephemeralPlacement(disk, gib))
    }
    const both = ['CacheDisk', 'CacheDisk', 'ResourceDisk', 'ResourceDisk', undefined]
    expect(placementsOf({ SupportedEphemeralOSDiskPlacements: 'ResourceDisk,CacheDisk' })).toEqual(both)
    expect(placementsOf({})).toEqual(both)
    expect(placementsOf({ SupportedEphemeralOSDiskPlacements: 'CacheDisk' })).toEqual([
      'CacheDisk',
      'CacheDisk',
      undefined,
      undefined,
      undefined,
    ])
    expect(placementsOf({ SupportedEphemeralOSDiskPlacements: 'NvmeDisk' })).toEqual(Array(5).fill(undefined))
  })

  const shapes = [0, 300_000, 9_000_000].flatMap((nvme) =>
    [0, 40, 3000].flatMap((cache) =>
      [0, 100_000, 3_000_000].flatMap((temp) =>
        [undefined, 'NvmeDisk', 'CacheDisk', 'ResourceDisk', 'ResourceDisk,CacheDisk', 'NvmeDisk, ResourceDisk'].map(
          (places) => [nvme, cache, temp, places] as const,
        ),
      ),
    ),
  )
  it.each(shapes)(
    'is in the first place that it fits in: NVMe %s MiB, cache %s GiB, temporary disk %s MiB, places %s',
    (nvme, cache, temp, places) => {
      const capabilities = {
        ...SUPPORTED,
        NvmeDiskSizeInMiB: String(nvme),
        CachedDiskBytes: String(cache * 1024 ** 3),
        MaxResourceVolumeMB: String(temp),
        ...(places === undefined ? {} : { SupportedEphemeralOSDiskPlacements: places }),
      }
      const rooms = { NvmeDisk: nvme / 1024, CacheDisk: cache, ResourceDisk: temp / 1024 }
      const disk = ephemeralDisk(sku({ capabilities }))
      const fitting = (gib: number) =>
        (['NvmeDisk', 'CacheDisk', 'ResourceDisk'] as const).find(
          (each) => gib <= Math.min(rooms[each], 2040) && (places ?? 'CacheDisk,ResourceDisk').includes(each),
        )
      for (const gib of [30, 41, 128, 293, 2040, 2041, 2048]) expect(ephemeralPlacement(disk, gib)).toBe(fitting(gib))
    },
  )

  it.skipIf(!existsSync(SKUS))(`agrees with the published sizes (skipped without ${SKUS})`, () => {
    const records = (JSON.parse(readFileSync(SKUS, 'utf8')) as unknown[]).map((record) => parseResourceSku(record, 'southcentralus'))
    const maxSizes = Object.fromEntries(
      records.flatMap((record) => (record === undefined ? [] : [[record.size, ephemeralDisk(record)?.maxSizeGib ?? 0]])),
    )
    expect(maxSizes).toMatchObject({
      A0: 0,
      B20ms: 160,
      D128ds_v6: 2040,
      D16plds_v5: 600,
      D2as_v6: 0,
      D2_v2: 0,
      D2_v3: 0,
      D2_v5: 0,
      D2s_v3: 50,
      D4s_v3: 100,
      D64s_v3: 1600,
      DS2_v2: 86,
      E4d_v5: 150,
      F16s_v2: 256,
      NC16as_T4_v3: 352,
      NC24ads_A100_v4: 256,
    })
  })
})
