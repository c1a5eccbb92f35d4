import { describe, expect, it } from 'vitest'
import { systemClock as shimClock } from '../../../shim/clock.ts'
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

  it.each([2 ** 31, Number.MAX_SAFE_INTEGER])('does not end a sleep of %d ms at once, as the timers of Node would', async (ms) => {
    const stopping = new AbortController()
    for (const clock of [createSystemClock(), shimClock]) {
      const longest = clock.sleep(ms, stopping.signal)
      await Promise.race([longest.then(() => expect.fail('the sleep is over')), clock.sleep(20, stopping.signal)])
      longest.catch(() => {})
    }
    stopping.abort()
  })
})
