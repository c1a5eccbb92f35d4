import { describe, expect, it } from 'vitest'
import { createMemoryWorld } from '../../adapters/memory/memoryWorld.ts'
import { createVirtualClock } from '../../adapters/memory/virtualClock.ts'
import { clusterId } from '../../model/ids.ts'
import { LONGEST_DELAY } from '../../model/message.ts'
import { epochMs } from '../../model/units.ts'
import { createWakeUp } from './wakeUp.ts'

const NEVER = new AbortController().signal
const START = epochMs(1_800_000_000_000)
const DAY = 86_400_000

function scene() {
  const world = createMemoryWorld({ clock: createVirtualClock(START), cluster: clusterId('test') })
  /** The time at which a queued message can be taken, counted from the start. */
  const rings = (): readonly number[] => {
    const at = world.queues.nextAt()
    return at === undefined ? [] : [at - START]
  }
  return { world, rings, wakeUp: createWakeUp(world.ports) }
}

describe('a time to look again', () => {
  it('is rung for once, however many decisions ask for it', async () => {
    const { world, wakeUp } = scene()
    for (const at of [60_000, 60_000, 60_500, 90_000]) await wakeUp.at(epochMs(START + at), NEVER)
    expect(world.queues.waiting()).toHaveLength(1)
    await wakeUp.at(epochMs(START + 30_000), NEVER)
    expect(world.queues.waiting()).toHaveLength(2)
  })

  it('is rung for again when the ring could not be sent', async () => {
    const { world, rings, wakeUp } = scene()
    world.failCall('queue.ring', 1)
    await expect(wakeUp.at(epochMs(START + 60_000), NEVER)).rejects.toThrow('queue.ring')
    expect(rings()).toEqual([])
    await wakeUp.at(epochMs(START + 60_000), NEVER)
    expect(rings()).toEqual([60_000])
  })

  it('further off than a message can wait is woken for on the way', async () => {
    const { world, rings, wakeUp } = scene()
    const expiry = epochMs(START + 30 * DAY)
    await wakeUp.at(expiry, NEVER)
    expect(rings()).toEqual([LONGEST_DELAY])
    await world.clock.advance(LONGEST_DELAY)
    world.queues.done(world.queues.take() ?? expect.fail('no message'))
    await wakeUp.at(expiry, NEVER)
    expect(rings()).toEqual([2 * LONGEST_DELAY])
  })
})

describe('a look that has to be made again', () => {
  /** Tries again on each ring, and on five doorbells every second, as if the shim posted. Returns the times of the rings. */
  async function troubled(forMs: number): Promise<readonly number[]> {
    const { world, wakeUp } = scene()
    const rung: number[] = []
    for (let at = 0; at < forMs; at += 250) {
      if (at % 1_000 === 0) for (let doorbell = 0; doorbell < 5; doorbell++) await wakeUp.again(NEVER)
      for (let message = world.queues.take(); message; message = world.queues.take()) {
        rung.push(world.clock.now() - START)
        world.queues.done(message)
        await wakeUp.again(NEVER)
      }
      await world.clock.advance(250)
    }
    return rung
  }

  it('is one chain that slows down, however many doorbells come', async () => {
    expect(await troubled(60_000)).toEqual([1_000, 3_000, 7_000, 15_000, 30_000, 45_000])
  })

  it('begins anew, and soon, once a look has done all there was', async () => {
    const { world, rings, wakeUp } = scene()
    for (let round = 0; round < 4; round++) {
      await wakeUp.again(NEVER)
      await world.clock.advance(15_000)
      world.queues.done(world.queues.take() ?? expect.fail('no message'))
    }
    wakeUp.done()
    await wakeUp.again(NEVER)
    expect(rings()).toEqual([61_000])
  })

  it('is rung for again when the ring could not be sent', async () => {
    const { world, rings, wakeUp } = scene()
    world.failCall('queue.ring', 1)
    await expect(wakeUp.again(NEVER)).rejects.toThrow('queue.ring')
    await wakeUp.again(NEVER)
    expect(rings()).toEqual([1_000])
  })
})
