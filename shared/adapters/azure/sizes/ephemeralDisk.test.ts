import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { sku } from '../../../../test/azure/skuBuilder.ts'
import { parseResourceSku } from '../../../wire/azure/sizeRecord.ts'
import { ephemeralDisk, ephemeralPlacement } from './ephemeralDisk.ts'

const SKUS = '../shared/data/resource-skus.southcentralus.json'
const SUPPORTED = { EphemeralOSDiskSupported: 'True' }
const MIB_PER_GB = 1_000_000_000 / 1024 ** 2

describe('the ephemeral OS disk', () => {
  const nvme = { NvmeDiskSizeInMiB: '7208960', SupportedEphemeralOSDiskPlacements: 'NvmeDisk' }
  const cases = {
    'is on NVMe when the size has one for it': {
      caps: { ...SUPPORTED, ...nvme, CachedDiskBytes: '900000000000' },
      want: { maxSizeGb: 7559, placement: 'NvmeDisk' },
    },
    'is in the cache when NVMe is not offered for it': {
      caps: {
        ...SUPPORTED,
        NvmeDiskSizeInMiB: '915527',
        SupportedEphemeralOSDiskPlacements: 'ResourceDisk,CacheDisk',
        CachedDiskBytes: '274877906944',
      },
      want: { maxSizeGb: 274, placement: 'CacheDisk' },
    },
    'is in the cache before the temporary disk': {
      caps: { ...SUPPORTED, CachedDiskBytes: '53687091200', MaxResourceVolumeMB: '16384' },
      want: { maxSizeGb: 53, placement: 'CacheDisk' },
    },
    'is on the temporary disk when there is nothing else': {
      caps: { ...SUPPORTED, MaxResourceVolumeMB: '153600' },
      want: { maxSizeGb: 161, placement: 'ResourceDisk' },
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

  it('is not moved to a larger temporary disk when the cache is too small', () => {
    const disk = ephemeralDisk(
      sku({ capabilities: { ...SUPPORTED, CachedDiskBytes: '53687091200', MaxResourceVolumeMB: String(500 * MIB_PER_GB) } }),
    )
    expect([ephemeralPlacement(disk, 128), ephemeralPlacement(disk, 53), ephemeralPlacement(disk, 54)]).toEqual([
      undefined,
      'CacheDisk',
      undefined,
    ])
  })

  it.skipIf(!existsSync(SKUS))(`agrees with the published sizes (skipped without ${SKUS})`, () => {
    const records = (JSON.parse(readFileSync(SKUS, 'utf8')) as unknown[]).map((record) => parseResourceSku(record, 'southcentralus'))
    const maxSizes = Object.fromEntries(
      records.flatMap((record) => (record === undefined ? [] : [[record.size, ephemeralDisk(record)?.maxSizeGb ?? 0]])),
    )
    expect(maxSizes).toMatchObject({
      A0: 0,
      B20ms: 32,
      D128ds_v6: 7559,
      D16plds_v5: 429,
      D2as_v6: 0,
      D2_v2: 0,
      D2_v3: 0,
      D2_v5: 0,
      D2s_v3: 53,
      D4s_v3: 107,
      D64s_v3: 1717,
      DS2_v2: 92,
      E4d_v5: 161,
      F16s_v2: 274,
      NC16as_T4_v3: 154,
      NC24ads_A100_v4: 274,
    })
  })
})
