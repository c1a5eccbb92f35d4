import { describe, expect, it } from 'vitest'
import { instanceType } from '../../../test/builders/instanceType.ts'
import { nodeOverlay } from '../../../test/builders/nodeOverlay.ts'
import { snapshot } from '../../../test/builders/snapshot.ts'
import { nodeClassName } from '../../model/ids.ts'
import { usdPerHour } from '../../model/units.ts'
import { changedPrice, isPriceChange, overlaidTypes } from './overlaidTypes.ts'

const CHANGES: readonly (readonly [string, number | undefined, { price?: string; priceAdjustment?: string }, number | undefined])[] = [
  ['a price replaces', 1, { price: '0.25' }, 0.25],
  ['a price replaces an unknown one', undefined, { price: '0.25' }, 0.25],
  ['an amount is added', 1, { priceAdjustment: '+0.25' }, 1.25],
  ['an amount is taken off', 1, { priceAdjustment: '-.25' }, 0.75],
  ['a share is added', 2, { priceAdjustment: '+10%' }, 2.2],
  ['a share is taken off', 2, { priceAdjustment: '-100%' }, 0],
  ['nothing is below nothing', 1, { priceAdjustment: '-7' }, 0],
  ['an unknown price stays unknown', undefined, { priceAdjustment: '+1' }, undefined],
  ['nothing said changes nothing', 1, {}, 1],
]

describe('the price after an overlay', () => {
  for (const [sentence, before, change, after] of CHANGES) {
    it(sentence, () => {
      const overlay = nodeOverlay(change)
      expect(changedPrice(before === undefined ? {} : { price: usdPerHour(before) }, overlay)).toEqual(
        after === undefined ? {} : { price: usdPerHour(after) },
      )
    })
  }

  it.each([
    [{ price: '0.25' }, 0.25, undefined],
    [{ priceAdjustment: '-30%' }, 0.727, 0.027],
    [{ priceAdjustment: '+10%' }, 1.127, 0.027],
    [{ priceAdjustment: '+0.5' }, 1.527, 0.027],
    [{ priceAdjustment: '-100%' }, 0.027, 0.027],
    [{ priceAdjustment: '-7' }, 0.027, 0.027],
    [{}, 1.027, 0.027],
  ])('replaces the whole, or adjusts the machine and adds its disk: %j', (change, price, disk) => {
    const before = { price: usdPerHour(1.027), diskPrice: usdPerHour(0.027) }
    const diskPrice = disk === undefined ? {} : { diskPrice: usdPerHour(disk) }
    expect(changedPrice(before, nodeOverlay(change))).toEqual({ price: usdPerHour(price), ...diskPrice })
  })

  it.each(['1,5', '-1', 'free', ''])('is not one that nobody can read: %j', (price) => expect(isPriceChange({ price })).toBe(false))
  it.each(['5', '+', '1%', '+1%%'])('has no change that nobody can read: %j', (priceAdjustment) =>
    expect(isPriceChange({ priceAdjustment })).toBe(false),
  )
})

describe('a size that an overlay changes', () => {
  it('OX-01 keeps its limit of disks, and all else that no overlay sets', () => {
    const type = { ...instanceType(), maxDataDisks: 8 }
    const changes = { price: '0.25', capacity: { 'example.com/a': 1 } }
    const given = snapshot({ types: [type], objects: { nodeOverlay: [nodeOverlay(changes)] } })
    const [changed] = overlaidTypes(given)('default', nodeClassName('default'))
    const { offerings, capacity, overlaid, ...rest } = changed ?? expect.fail('no size')
    const { offerings: before, capacity: own, ...others } = type
    expect(rest).toEqual(others)
    expect(overlaid).toEqual({ price: true, capacity: true })
    expect(capacity).toEqual({ ...own, 'example.com/a': 1 })
    expect(offerings).toEqual(before.map((each) => ({ ...each, price: usdPerHour(0.25) })))
  })
})
