import { describe, expect, it } from 'vitest'
import { parseResourceSku } from './sizeRecord.ts'

const SKU = {
  resourceType: 'virtualMachines',
  name: 'Standard_D2s_v5',
  size: 'D2s_v5',
  family: 'standardDSv5Family',
  locationInfo: [
    {
      location: 'EastUS',
      zones: ['3', '1', '2'],
      zoneDetails: [{ Name: ['2'], capabilities: [{ name: 'UltraSSDAvailable', value: 'True' }] }],
    },
  ],
  capabilities: [
    { name: 'vCPUs', value: '2' },
    { name: 'ACUs', value: '160' },
  ],
}

describe('a Resource SKUs record', () => {
  it('keeps name, family, places and the capabilities that decide something', () => {
    expect(parseResourceSku(SKU, 'eastus')).toEqual({
      name: 'Standard_D2s_v5',
      size: 'D2s_v5',
      family: 'standardDSv5Family',
      zones: ['1', '2', '3'],
      ultraSsdZones: ['2'],
      isRestricted: false,
      capabilities: { vCPUs: '2' },
    })
  })

  it('loses the zones a restriction names', () => {
    const restrictions = [{ type: 'Zone', values: ['eastus'], restrictionInfo: { zones: ['1', '3'] } }]
    expect(parseResourceSku({ ...SKU, restrictions }, 'eastus')).toMatchObject({ zones: ['2'], isRestricted: false })
  })

  it('is restricted, without zones, when a restriction names the region', () => {
    const restrictions = [{ type: 'Location', values: ['eastus'] }]
    expect(parseResourceSku({ ...SKU, restrictions }, 'eastus')).toMatchObject({ zones: [], isRestricted: true })
  })

  it('is not restricted by what is said of other regions', () => {
    const restrictions = [{ type: 'Location', values: ['westus'], restrictionInfo: { locations: ['northeurope'] } }, { type: 'Zone' }]
    expect(parseResourceSku({ ...SKU, restrictions }, 'eastus')).toMatchObject({ zones: ['1', '2', '3'], isRestricted: false })
    const both = [
      { type: 'Location', values: ['westus', 'EastUS'] },
      { type: 'Location', restrictionInfo: { locations: ['EastUS'] } },
    ]
    for (const restriction of both)
      expect(parseResourceSku({ ...SKU, restrictions: [restriction] }, 'eastus')).toMatchObject({ zones: [], isRestricted: true })
  })

  it('knows the places of its own region only', () => {
    const [here] = SKU.locationInfo
    const elsewhere = { location: 'westus', zones: ['9'], zoneDetails: [{ Name: ['9'], capabilities: here?.zoneDetails[0]?.capabilities }] }
    expect(parseResourceSku({ ...SKU, locationInfo: [elsewhere, {}, here] }, 'eastus')).toMatchObject({
      zones: ['1', '2', '3'],
      ultraSsdZones: ['2'],
    })
    for (const locationInfo of [undefined, [], [elsewhere], [{ location: 'eastus' }]])
      expect(parseResourceSku({ ...SKU, locationInfo }, 'eastus')).toMatchObject({ zones: [], ultraSsdZones: [] })
  })

  it('has ultra disks where the service says True', () => {
    const zoneDetails = [
      { Name: ['3'], capabilities: [{ name: 'UltraSSDAvailable', value: 'true' }], name: null },
      { name: ['1'], capabilities: [{ name: 'UltraSSDAvailable', value: 'true' }] },
      { name: ['2'], capabilities: [{ name: 'UltraSSDAvailable', value: 'False' }] },
      { name: ['2'] },
      { capabilities: [{ name: 'UltraSSDAvailable', value: 'True' }] },
      { name: ['2'], capabilities: [{ name: 'Other', value: 'True' }] },
    ]
    const sku = { ...SKU, locationInfo: [{ location: 'eastus', zones: ['1'], zoneDetails }] }
    expect(parseResourceSku(sku, 'eastus')).toMatchObject({ zones: ['1'], ultraSsdZones: ['1', '3'] })
  })

  it('is named without its tier where it does not say so itself, and may have no family', () => {
    for (const [name, size] of [
      ['Standard_D2s_v5', 'D2s_v5'],
      ['Basic_A1', 'A1'],
      ['My_Standard_A1', 'My_Standard_A1'],
    ]) {
      const record = parseResourceSku({ ...SKU, name, size: undefined, family: undefined, capabilities: undefined }, 'eastus')
      expect(record).toMatchObject({ name, size, capabilities: {} })
      expect(record).not.toHaveProperty('family')
    }
  })

  it.each([{ ...SKU, resourceType: 'disks' }, { ...SKU, resourceType: undefined }, { resourceType: 'virtualMachines' }, null, 'text'])(
    'is nothing for %j',
    (value) => {
      expect(parseResourceSku(value, 'eastus')).toBeUndefined()
    },
  )
})
