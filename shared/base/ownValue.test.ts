import { describe, expect, it } from 'vitest'
import { ownValue, setOwnValue } from './ownValue.ts'

/** Names that every plain object answers to. */
const INHERITED = Object.getOwnPropertyNames(Object.prototype)

describe('the own value of a key', () => {
  it.each(INHERITED)('is absent while nobody set it: %s', (key) => {
    expect(ownValue({}, key)).toBeUndefined()
    expect(ownValue(undefined, key)).toBeUndefined()
  })

  it.each(INHERITED)('is what was set, and the record inherits as before: %s', (key) => {
    const members: { [key: string]: unknown } = {}
    for (const value of ['text', 7, {}, Object.prototype, Object.prototype.toString]) {
      setOwnValue(members, key, value)
      expect(ownValue(members, key)).toBe(value)
    }
    expect(Object.keys(members)).toEqual([key])
    expect(Object.getPrototypeOf(members)).toBe(Object.prototype)
  })

  it.each(INHERITED)('is what JSON says: %s', (key) => {
    const members: { readonly [key: string]: unknown } = JSON.parse(`{"${key}":"text"}`)
    expect(ownValue(members, key)).toBe('text')
  })
})
