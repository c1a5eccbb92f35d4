import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { STRUCK_PODS, scaleUpStruck } from './scaleUpStruck.ts'
import { TEST_TIMEOUT_MS } from './until.ts'
import { startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
}, TEST_TIMEOUT_MS)
afterAll(() => world?.close(), TEST_TIMEOUT_MS)
beforeEach(() => world.begin(), TEST_TIMEOUT_MS)

const killHost = () => world.stack.functions.child.kill()
const killShim = () => world.stack.shim.kill()
const now = () => Promise.resolve()
const nothing = () => undefined

describe('the functions host, killed', { timeout: TEST_TIMEOUT_MS }, () => {
  it.each([
    ['as the decision is made', () => world.whenSaid(/^decision /)],
    ['as the first network interface is asked for', () => world.whenAsked('PUT', 'networkInterfaces')],
    ['as the first machine is taken', () => world.whenSaid(/ launched /)],
  ])('leaves a scale-up that completes: %s', async (_name, moment) => {
    await scaleUpStruck(world, moment, killHost)
  })

  it('leaves a scale-down that completes', async () => {
    await world.scale('app', STRUCK_PODS)
    await world.settle(STRUCK_PODS)
    const deleting = world.whenAsked('DELETE', 'virtualMachines')
    await world.scale('app', 0)
    await deleting
    killHost()
    await world.settle(0)
    expect(world.machinesMade()).toHaveLength(STRUCK_PODS)
  })
})

describe('the shim, killed', { timeout: TEST_TIMEOUT_MS }, () => {
  it.each([
    ['before it posts', now],
    ['as the decision is made', () => world.whenSaid(/^decision /)],
  ])('leaves a scale-up that completes: %s', async (_name, moment) => {
    await scaleUpStruck(world, moment, killShim)
  })

  it('leaves a scale-up that completes when the host dies with it', async () => {
    await scaleUpStruck(world, now, () => [killShim(), killHost()])
  })
})

describe('two hosts on the same queues', { timeout: TEST_TIMEOUT_MS }, () => {
  it('make what one would make, also when one is killed', async () => {
    const second = world.startHost()
    await second.ready()
    await scaleUpStruck(world, () => world.whenSaid(/^decision /), nothing)
    await world.begin()
    await scaleUpStruck(world, () => world.whenAsked('PUT', 'virtualMachines'), killHost)
    await second.child.stop()
  })
})
