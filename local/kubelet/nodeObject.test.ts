import { describe, expect, it } from 'vitest'
import { archOfSize, providerIdOf } from './nodeObject.ts'

const SIZES: { readonly [size: string]: 'amd64' | 'arm64' } = {
  Standard_D8as_v6: 'amd64',
  Standard_D4ps_v5: 'arm64',
  Standard_D4pds_v6: 'arm64',
  Standard_E8pds_v5: 'arm64',
  'Standard_M8-2ms': 'amd64',
  Standard_NC24ads_A100_v4: 'amd64',
  Standard_HB120rs_v3: 'amd64',
}

describe('archOfSize', () => {
  for (const [size, want] of Object.entries(SIZES)) it(`${size} is ${want}`, () => expect(archOfSize(size)).toBe(want))
})

describe('providerIdOf', () => {
  it('writes the resource group in lower case and leaves the rest', () =>
    expect(providerIdOf('/subscriptions/S/resourceGroups/MC_A/providers/Microsoft.Compute/virtualMachines/joiner-X')).toBe(
      'azure:///subscriptions/S/resourceGroups/mc_a/providers/Microsoft.Compute/virtualMachines/joiner-X',
    ))
})
