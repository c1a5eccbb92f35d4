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
      zoneDetails: [{ name: ['2'], capabilities: [{ name: 'UltraSSDAvailable', value: 'True' }] }],
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

  it.each([{ ...SKU, resourceType: 'disks' }, { resourceType: 'virtualMachines' }, null, 'text'])('is nothing for %j', (value) => {
    expect(parseResourceSku(value, 'eastus')).toBeUndefined()
  })
})
