import { describe, expect, it } from 'vitest'
import { parseRetailPage } from './retailPrice.ts'

const LINE = {
  retailPrice: 0.096,
  meterName: 'D2s v5',
  productName: 'Virtual Machines Dsv5 Series',
  skuName: 'D2s v5',
  armSkuName: 'Standard_D2s_v5',
}

describe('a page of the price list', () => {
  it('has the lines that can be read, and the address of the next page', () => {
    const page = {
      Items: [LINE, { ...LINE, retailPrice: 'cheap' }, null, { ...LINE, skuName: 'D2s v5 Spot', extra: 1 }],
      NextPageLink: 'https://next',
    }
    expect(parseRetailPage(page)).toEqual({ items: [LINE, { ...LINE, skuName: 'D2s v5 Spot' }], next: 'https://next' })
  })

  it.each([undefined, null, ''])('is the last where it names %j as the next', (NextPageLink) => {
    expect(parseRetailPage({ Items: [], NextPageLink })).toEqual({ items: [], next: undefined })
  })

  it.each([null, 'text', {}, { Items: 'none' }, { Items: [], NextPageLink: 7 }])('is none: %j', (value) => {
    expect(parseRetailPage(value)).toBeUndefined()
  })
})
