import type { SizeRecord } from '../../shared/wire/azure/sizeRecord.ts'

/** A record of a usable size for tests. Fields that are not given are those of Standard_D2s_v5. */
export function sku(
  over: Partial<Omit<SizeRecord, 'capabilities'>> & { readonly capabilities?: Readonly<Record<string, string>> },
): SizeRecord {
  const name = over.name ?? 'Standard_D2s_v5'
  return {
    name,
    size: name.replace(/^(Standard|Basic)_/, ''),
    family: 'standardDSv5Family',
    zones: ['1', '2', '3'],
    ultraSsdZones: [],
    isRestricted: false,
    ...over,
    capabilities: {
      vCPUs: '2',
      MemoryGB: '8',
      CpuArchitectureType: 'x64',
      HyperVGenerations: 'V1,V2',
      PremiumIO: 'True',
      AcceleratedNetworkingEnabled: 'True',
      EncryptionAtHostSupported: 'True',
      LowPriorityCapable: 'True',
      ...over.capabilities,
    },
  }
}
