import { describe, expect, it } from 'vitest'
import { NOW } from '../../../test/builders/clock.ts'
import { instanceType } from '../../../test/builders/instanceType.ts'
import { microUsdPerHour } from '../../model/units.ts'
import { typeNamed, usableOfferings } from './usableOfferings.ts'

describe('the instance type with a name', () => {
  const types = [instanceType({ name: 'Standard_D4as_v6' }), instanceType({ name: 'Standard_D8as_v6' })]

  it.each([
    ['Standard_D8as_v6', types[1]],
    ['Standard_D4as_v6', types[0]],
    ['Standard_D16as_v6', undefined],
    [undefined, undefined],
  ])('is found: %s', (name, expected) => {
    expect(typeNamed(types, name)).toBe(expected)
  })

  it('is that of the list that is asked', () => {
    const others = [instanceType({ name: 'Standard_D4as_v6', cpus: 8 })]
    expect([typeNamed(types, 'Standard_D4as_v6'), typeNamed(others, 'Standard_D4as_v6')]).toEqual([types[0], others[0]])
    expect(typeNamed(undefined, 'Standard_D4as_v6')).toBeUndefined()
  })
})

describe('the offerings of a size that can be bought', () => {
  const [plain] = instanceType().offerings
  if (plain === undefined) throw new Error('a size of the builder has offerings')
  const reserved = (remaining: number, available: boolean) =>
    ({ ...plain, capacityType: 'reserved', price: microUsdPerHour(1), available, reservation: { id: 'r', remaining } }) as const

  it.each([
    ['RV-02 a reservation with capacity comes first', reserved(1, true), ['reserved', 'on-demand']],
    ['RV-03 a reservation that is not there is left out, though it has capacity', reserved(1, false), ['on-demand']],
    ['RV-07 a reservation with nothing left is left out, however cheap it is', reserved(0, true), ['on-demand']],
  ])('%s', (_sentence, reservation, want) => {
    const type = { ...instanceType(), offerings: [{ ...plain, capacityType: 'on-demand' as const }, reservation] }
    expect(usableOfferings(type, [], NOW).map(({ capacityType }) => capacityType)).toEqual(want)
  })
})
