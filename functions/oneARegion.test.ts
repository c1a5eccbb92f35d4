import { expect, it } from 'vitest'
import { oneARegion } from './oneARegion.ts'

it('clusters share a value where subscription and region are the same, and nowhere else', () => {
  const known = new Map<string, object>()
  const made: string[] = []
  const sharedOf = (subscriptionId: string, location: string): object =>
    oneARegion(known, { subscriptionId, location }, (region) => {
      made.push(region)
      return {}
    })
  const first = sharedOf('s', 'eastus')
  expect(sharedOf('s', 'eastus')).toBe(first)
  expect(sharedOf('s', 'westus')).not.toBe(first)
  expect(sharedOf('t', 'eastus')).not.toBe(first)
  expect(made).toEqual(['regions/s/eastus', 'regions/s/westus', 'regions/t/eastus'])
})
