import { describe, expect, it } from 'vitest'
import { driverNeed, GPU_SIZES, gpuSize, needsFabricManager } from './gpuSizes.ts'

describe('BS-19: the driver of a GPU size', () => {
  it.each([
    ['Standard_NC4as_T4_v3', 'nvidia', 'cuda', false],
    ['Standard_NC24ads_A100_v4', 'nvidia', 'cuda', false],
    ['Standard_ND96isr_H100_v5', 'nvidia', 'cuda', true],
    ['Standard_NV6ads_A10_v5', 'nvidia', 'grid', false],
    ['Standard_NC8ads_A10_v4', 'nvidia', 'grid', false],
    ['Standard_NC6', 'nvidia', 'cuda', false],
    ['Standard_NC6_Promo', 'nvidia', 'cuda', false],
    ['Standard_NC6s_v3', 'nvidia', 'cuda', false],
    ['Standard_NC36ds_xl_RTXPRO6000BSE_v6', 'nvidia', 'grid-v20', false],
  ])('%s: %s, %s, fabric manager %s', (name, vendor, need, hasFabric) => {
    expect(gpuSize(name)?.vendor).toBe(vendor)
    expect(driverNeed(name)).toBe(need)
    expect(needsFabricManager(name)).toBe(hasFabric)
  })

  it.each(GPU_SIZES)('%s is known whatever the case of its name, and says where its driver runs', (name) => {
    const size = gpuSize(`Standard_${name.toUpperCase()}`)
    expect(size).toBe(gpuSize(name))
    expect(size?.systems).toContain('ubuntu')
    expect(size?.hasDriverInstall).toBe(size?.vendor === 'nvidia')
    if (size?.vendor === 'amd') expect(needsFabricManager(name)).toBe(false)
  })

  it('is none for a size that AKS does not support', () => {
    expect(gpuSize('Standard_NV4as_v4')).toBeUndefined()
    expect(gpuSize('Standard_D2s_v5')).toBeUndefined()
  })
})
