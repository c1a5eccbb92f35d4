import { describe, expect, it } from 'vitest'
import { epochMs } from '../../model/units.ts'
import { readPrices, readQuota, readSizes, writePrices, writeQuota, writeSizes } from './catalogBlob.ts'

const fetchedAt = epochMs(5)
const SIZES = {
  fetchedAt,
  sizes: [
    {
      name: 'Standard_D2s_v5',
      size: 'D2s_v5',
      family: 'f',
      zones: ['1'],
      ultraSsdZones: [],
      isRestricted: false,
      capabilities: { vCPUs: '2' },
    },
  ],
  leftOut: { constrained: ['Standard_E8-4ds_v5'] },
}
const PRICES = {
  fetchedAt,
  prices: { Standard_D2s_v5: { onDemand: 96_000, spot: 19_000 }, Standard_D4s_v5: {} },
  disks: { P10: 27_000 },
}
/** Members that older versions did not write. */
const ADDED = ['leftOut', 'disks']
const QUOTA = { fetchedAt, usages: { cores: { limit: 100, used: 4.5 } } }

const BLOBS = [
  { name: 'sizes', text: writeSizes(SIZES), read: readSizes, value: SIZES },
  { name: 'prices', text: writePrices(PRICES), read: readPrices, value: PRICES },
  { name: 'quota', text: writeQuota(QUOTA), read: readQuota, value: QUOTA },
]

describe.each(BLOBS)('a stored list of $name', ({ text, read, value }) => {
  it('is read as it was written', () => {
    expect(read(text)).toMatchObject(value)
  })

  it('that another version wrote is fetched again', () => {
    expect(read(JSON.stringify({ ...JSON.parse(text), schema: 2 }))).toBeUndefined()
  })

  it.each(Object.keys(value).filter((member) => !ADDED.includes(member)))('without its %s is fetched again', (member) => {
    expect(read(JSON.stringify({ ...JSON.parse(text), [member]: undefined }))).toBeUndefined()
  })

  it.each(['', '{', 'null', '[]'])('that is none is fetched again: %j', (broken) => {
    expect(read(broken)).toBeUndefined()
  })
})

it('sizes of a version that kept no names of left-out sizes are read', () => {
  expect(readSizes(JSON.stringify({ ...JSON.parse(writeSizes(SIZES)), leftOut: undefined }))).toMatchObject({ ...SIZES, leftOut: {} })
})

it('prices of a version that kept none of disks are read', () => {
  expect(readPrices(JSON.stringify({ ...JSON.parse(writePrices(PRICES)), disks: undefined }))).toMatchObject({ ...PRICES, disks: {} })
})
