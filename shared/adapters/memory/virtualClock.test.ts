import { describe, expect, it } from 'vitest'
import { NOW } from '../../../test/builders/clock.ts'
import { createVirtualClock } from './virtualClock.ts'

const never = new AbortController().signal

describe('a virtual clock', () => {
  it('stands still until it is moved', async () => {
    const clock = createVirtualClock(NOW)
    expect(clock.now()).toBe(NOW)
    await clock.advance(1_500)
    expect(clock.now()).toBe(NOW + 1_500)
  })

  it('wakes sleepers in the order of their time, each at its own time', async () => {
    const clock = createVirtualClock(NOW)
    const woken: string[] = []
    const sleeper = async (name: string, ms: number): Promise<void> => {
      await clock.sleep(ms, never)
      woken.push(`${name} at ${clock.now() - NOW}`)
    }
    const all = [sleeper('late', 300), sleeper('early', 100), sleeper('second early', 100), sleeper('too late', 1_001)]
    await clock.advance(1_000)
    expect(woken).toEqual(['early at 100', 'second early at 100', 'late at 300'])
    expect(clock.sleepers()).toBe(1)
    await clock.advance(1)
    await Promise.all(all)
    expect(woken).toHaveLength(4)
  })

  it('lets a woken sleeper sleep again within the same move', async () => {
    const clock = createVirtualClock(NOW)
    const times: number[] = []
    const beat = async (): Promise<void> => {
      for (let count = 0; count < 3; count++) {
        await clock.sleep(10, never)
        times.push(clock.now() - NOW)
      }
    }
    const beating = beat()
    await clock.advance(100)
    await beating
    expect(times).toEqual([10, 20, 30])
  })

  it('goes to the next sleeper', async () => {
    const clock = createVirtualClock(NOW)
    expect(await clock.advanceToNext()).toBe(false)
    const sleeping = clock.sleep(250, never)
    expect(await clock.advanceToNext()).toBe(true)
    await sleeping
    expect(clock.now()).toBe(NOW + 250)
  })

  it('ends a sleep with the reason of its signal', async () => {
    const clock = createVirtualClock(NOW)
    const abort = new AbortController()
    const sleeping = clock.sleep(100, abort.signal)
    abort.abort('enough')
    await expect(sleeping).rejects.toBe('enough')
    await expect(clock.sleep(100, abort.signal)).rejects.toBe('enough')
    expect(clock.sleepers()).toBe(0)
  })
})
