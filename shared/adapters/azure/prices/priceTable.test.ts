import { describe, expect, it } from 'vitest'
import type { RetailPrice } from '../../../wire/azure/retailPrice.ts'
import { diskPriceTable, priceTable } from './priceTable.ts'

const LINE: RetailPrice = {
  retailPrice: 0.096,
  armRegionName: 'eastus',
  effectiveStartDate: '2026-01-01T00:00:00Z',
  meterName: 'D2s v5',
  productName: 'Virtual Machines Dsv5 Series',
  skuName: 'D2s v5',
  unitOfMeasure: '1 Hour',
  type: 'Consumption',
  isPrimaryMeterRegion: true,
  armSkuName: 'Standard_D2s_v5',
}

describe('a line of the price list', () => {
  const cases: Record<string, { line: Partial<RetailPrice>; want: object }> = {
    'is an on-demand price': { line: {}, want: { Standard_D2s_v5: { onDemand: 96_000 } } },
    'is a spot price by its SKU name': {
      line: { skuName: 'D2s v5 Spot', retailPrice: 0.0211 },
      want: { Standard_D2s_v5: { spot: 21_100 } },
    },
    'is not ours for Windows': { line: { productName: 'Virtual Machines Dsv5 Series Windows' }, want: {} },
    'is not ours for Cloud Services': { line: { productName: 'Dsv5 Cloud Services' }, want: {} },
    'is not ours for a dedicated host': { line: { productName: 'Dsv5 Series Dedicated Host' }, want: {} },
    'is not ours for Batch': { line: { meterName: 'D2s v5 Low Priority' }, want: {} },
    'is not ours without a size': { line: { armSkuName: '' }, want: {} },
    'is not ours by the month': { line: { unitOfMeasure: '1/Month' }, want: {} },
    'is not ours as a reservation': { line: { type: 'Reservation' }, want: {} },
    'is not ours in another region': { line: { armRegionName: 'westus2' }, want: {} },
    'is not ours when it costs nothing': { line: { retailPrice: 0 }, want: {} },
  }
  it.each(Object.entries(cases))('%s', (_sentence, { line, want }) => {
    expect(priceTable([{ ...LINE, ...line }], 'eastus')).toEqual(want)
  })
})

describe('of two lines for one size', () => {
  const cases: Record<string, { other: Partial<RetailPrice>; want: number }> = {
    'the primary meter region counts': {
      other: { isPrimaryMeterRegion: false, retailPrice: 9, effectiveStartDate: '2027-01-01T00:00:00Z' },
      want: 96_000,
    },
    'the newest counts': { other: { effectiveStartDate: '2025-01-01T00:00:00Z', retailPrice: 9 }, want: 96_000 },
    'the first tier counts': { other: { tierMinimumUnits: 100, retailPrice: 0.01 }, want: 96_000 },
    'the dearer counts when nothing else tells': { other: { retailPrice: 0.2 }, want: 200_000 },
  }
  it.each(Object.entries(cases))('%s, in any order', (_sentence, { other, want }) => {
    const lines = [LINE, { ...LINE, ...other }]
    const tables = [priceTable(lines, 'eastus'), priceTable([...lines].reverse(), 'eastus')]
    expect(tables.map((table) => table['Standard_D2s_v5']?.onDemand)).toEqual([want, want])
  })
})

describe('a line of a disk', () => {
  const P10: RetailPrice = {
    ...LINE,
    retailPrice: 19.71,
    meterName: 'P10 LRS Disk',
    productName: 'Premium SSD Managed Disks',
    skuName: 'P10 LRS',
    unitOfMeasure: '1/Month',
    armSkuName: 'Premium_SSD_Managed_Disk_P10',
  }
  const cases: Record<string, { line: Partial<RetailPrice>; want: object }> = {
    'is the price of an hour of its tier': { line: {}, want: { P10: 27_000 } },
    'is one of a standard disk': {
      line: { retailPrice: 9.6, meterName: 'E10 LRS Disk', skuName: 'E10 LRS', productName: 'Standard SSD Managed Disks' },
      want: { E10: 13_151 },
    },
    'is not ours for a mount of a shared disk': { line: { meterName: 'P10 LRS Disk Mount' }, want: {} },
    'is not ours for a zone-redundant disk': { line: { meterName: 'P10 ZRS Disk', skuName: 'P10 ZRS' }, want: {} },
    'is not ours for operations': { line: { meterName: 'E10 LRS Disk Operations', unitOfMeasure: '10K' }, want: {} },
    'is not ours for a hard disk': {
      line: { meterName: 'S10 LRS Disk', skuName: 'S10 LRS', productName: 'Standard HDD Managed Disks' },
      want: {},
    },
    'is not ours for a page blob': { line: { productName: 'Premium Page Blob' }, want: {} },
    'is not ours for a tier that no OS disk has': { line: { meterName: 'P80 LRS Disk', skuName: 'P80 LRS' }, want: {} },
    'is not ours for a name from everywhere': { line: { meterName: 'toString LRS Disk', skuName: 'toString LRS' }, want: {} },
    'is not ours by the hour': { line: { unitOfMeasure: '1 Hour' }, want: {} },
    'is not ours as a reservation': { line: { type: 'Reservation' }, want: {} },
    'is not ours in another region': { line: { armRegionName: 'westus2' }, want: {} },
    'is not ours when it costs nothing': { line: { retailPrice: 0 }, want: {} },
  }
  it.each(Object.entries(cases))('%s', (_sentence, { line, want }) => {
    expect(diskPriceTable([{ ...P10, ...line }], 'eastus')).toEqual(want)
    expect(priceTable([{ ...P10, ...line }], 'eastus')).toEqual(line.unitOfMeasure === '1 Hour' ? expect.anything() : {})
  })

  it('is the newest of the primary meter region', () => {
    const lines = [
      P10,
      { ...P10, retailPrice: 21, effectiveStartDate: '2026-06-01T00:00:00Z' },
      { ...P10, retailPrice: 1, isPrimaryMeterRegion: false },
    ]
    expect([diskPriceTable(lines, 'eastus'), diskPriceTable([...lines].reverse(), 'eastus')]).toEqual([{ P10: 28_767 }, { P10: 28_767 }])
  })
})
