import { describe, expect, it } from 'vitest'
import { createBoundedMap, keptOnObjects, lazily } from './caches.ts'

it('holds so many entries, and lets go first what was set longest ago', () => {
  const recent = createBoundedMap<string, number>(2)
  recent.set('a', 1)
  recent.set('b', 2)
  recent.set('a', 3)
  recent.set('c', 4)
  expect(['a', 'b', 'c'].map(recent.get)).toEqual([3, undefined, 4])
  recent.delete('a')
  recent.set('d', 5)
  expect(['a', 'c', 'd'].map(recent.get)).toEqual([undefined, 4, 5])
})

describe('keptOnObjects', () => {
  it('keeps a value for each object, and shows it to nobody else', () => {
    const [one, other] = [Object.freeze({ name: 'a' }), { name: 'a' }]
    const [kept, apart] = [keptOnObjects<object, number>(), keptOnObjects<object, number>()]
    kept.set(one, 1)
    kept.set(one, 2)
    apart.set(other, 3)
    expect([one, other, { ...one }].map(kept.get)).toEqual([2, undefined, undefined])
    expect([one, other].map(apart.get)).toEqual([undefined, 3])
    expect(Reflect.ownKeys(one)).toEqual(['name'])
  })
})

describe('lazily', () => {
  it('makes nothing before the first call, and one for all calls', async () => {
    let made = 0
    const get = lazily(async () => ++made)
    expect(made).toBe(0)
    expect(await Promise.all([get(), get()])).toEqual([1, 1])
    expect(await get()).toBe(1)
  })

  it('tries again after a failure', async () => {
    const outcomes = ['down', 'up']
    const get = lazily(async () => {
      const outcome = outcomes.shift()
      if (outcome === 'down') throw new Error(outcome)
      return outcome
    })
    await expect(get()).rejects.toThrow('down')
    expect(await get()).toBe('up')
  })
})
