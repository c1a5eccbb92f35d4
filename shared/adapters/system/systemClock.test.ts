import { describe, expect, it } from 'vitest'
import { createSystemClock } from './systemClock.ts'

describe('createSystemClock', () => {
  it('ends a sleep with the reason of the signal', async () => {
    const clock = createSystemClock()
    const controller = new AbortController()
    const sleeping = clock.sleep(60_000, controller.signal)
    controller.abort('shutting down')
    await expect(sleeping).rejects.toBe('shutting down')
    await expect(clock.sleep(1, controller.signal)).rejects.toBe('shutting down')
  })

  it('sleeps and tells integer milliseconds', async () => {
    const clock = createSystemClock()
    const before = clock.now()
    await clock.sleep(5, new AbortController().signal)
    expect(clock.now()).toBeGreaterThanOrEqual(before + 4)
    expect(Number.isInteger(clock.now())).toBe(true)
  })
})
