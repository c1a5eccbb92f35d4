import { describe, expect, it } from 'vitest'
import { instanceType } from '../../../test/builders/instanceType.ts'
import { typeNamed } from './usableOfferings.ts'

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
