import { describe, expect, it } from 'vitest'
import { createVirtualClock } from '../testing/virtualClock.ts'
import { createWakeSignal } from './wakeSignal.ts'

function setUp() {
  const clock = createVirtualClock()
  const wakeSignal = createWakeSignal(clock)
  const stopping = new AbortController()
  const woken: number[] = []
  const wait = (ms: number) =>
    wakeSignal.wait(ms, stopping.signal).then(
      () => void woken.push(clock.monotonic()),
      () => void woken.push(-1),
    )
  return { clock, wakeSignal, woken, wait, stopping }
}

describe('a bell', () => {
  it('wakes who waits, when it rings or when the time is over', async () => {
    const { clock, wakeSignal, woken, wait } = setUp()
    void wait(100)
    await clock.advance(40)
    wakeSignal.notify()
    await clock.advance(10)
    void wait(100)
    await clock.advance(200)
    expect(woken).toEqual([40, 150])
  })

  it('that rang while nobody waited is heard once', async () => {
    const { clock, wakeSignal, woken, wait } = setUp()
    wakeSignal.notify()
    wakeSignal.notify()
    await wait(100)
    void wait(100)
    await clock.advance(99)
    expect(woken).toEqual([0])
    await clock.advance(1)
    expect(woken).toEqual([0, 100])
  })

  it('ends the wait of who stops, and of who stopped before', async () => {
    const { clock, wakeSignal, woken, wait, stopping } = setUp()
    void wait(100)
    await clock.advance(40)
    stopping.abort(new DOMException('stopped', 'AbortError'))
    await clock.advance(0)
    wakeSignal.notify()
    await wait(100)
    expect(woken).toEqual([-1, -1])
  })
})
