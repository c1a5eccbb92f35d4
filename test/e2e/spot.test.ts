import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { TEST_TIMEOUT_MS } from './until.ts'
import { startWorld, type World } from './world.ts'

let world: World

beforeAll(async () => {
  world = await startWorld({ capacityTypes: ['spot'] })
  await world.begin()
}, TEST_TIMEOUT_MS)
afterAll(() => world?.close())

describe('a spot machine that Azure takes', { timeout: TEST_TIMEOUT_MS }, () => {
  it('is announced by its node through the topic of the cluster, and replaced', async () => {
    await world.scale('app', 1)
    await world.settle(1)
    const [machine = ''] = world.machinesMade()
    const interrupted = world.whenSaid(/^nodeclaim .* is interrupted: Azure announced Preempt$/)
    await world.stack.evict(machine)
    await interrupted
    await world.settle(1)
    expect(world.machinesMade()).toHaveLength(2)
  })
})
