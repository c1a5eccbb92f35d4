import { describe, expect, it } from 'vitest'
import { lazily } from './lazily.ts'

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
