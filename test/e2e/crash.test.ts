import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Environment, startEnvironment } from './environment.ts'
import { STRUCK_PODS, scaleUpStruck } from './scaleUpStruck.ts'
import { TEST_TIMEOUT_MS } from './until.ts'

let environment: Environment
beforeAll(async () => {
  environment = await startEnvironment()
}, TEST_TIMEOUT_MS)
afterAll(() => environment?.close(), TEST_TIMEOUT_MS)
beforeEach(() => environment.begin(), TEST_TIMEOUT_MS)

const killHost = () => environment.stack.functions.child.kill()
const killShim = () => environment.stack.shim.kill()
const now = () => Promise.resolve()
const nothing = () => undefined

describe('the functions host, killed', { timeout: TEST_TIMEOUT_MS }, () => {
  it.each([
    ['as the decision is made', () => environment.whenSaid(/^decision /)],
    ['as the first network interface is asked for', () => environment.whenAsked('PUT', 'networkInterfaces')],
    ['as the first machine is taken', () => environment.whenSaid(/ launched /)],
  ])('leaves a scale-up that completes: %s', async (_name, moment) => {
    await scaleUpStruck(environment, moment, killHost)
  })

  it('leaves a scale-down that completes', async () => {
    await environment.scale('app', STRUCK_PODS)
    await environment.settle(STRUCK_PODS)
    const deleting = environment.whenAsked('DELETE', 'virtualMachines')
    await environment.scale('app', 0)
    await deleting
    killHost()
    await environment.settle(0)
    expect(environment.machinesMade()).toHaveLength(STRUCK_PODS)
  })
})

describe('the shim, killed', { timeout: TEST_TIMEOUT_MS }, () => {
  it.each([
    ['before it posts', now],
    ['as the decision is made', () => environment.whenSaid(/^decision /)],
  ])('leaves a scale-up that completes: %s', async (_name, moment) => {
    await scaleUpStruck(environment, moment, killShim)
  })

  it('leaves a scale-up that completes when the host dies with it', async () => {
    await scaleUpStruck(environment, now, () => [killShim(), killHost()])
  })
})

describe('two hosts on the same queues', { timeout: TEST_TIMEOUT_MS }, () => {
  it('make what one would make, also when one is killed', async () => {
    const second = environment.startHost()
    await second.ready()
    await scaleUpStruck(environment, () => environment.whenSaid(/^decision /), nothing)
    await environment.begin()
    await scaleUpStruck(environment, () => environment.whenAsked('PUT', 'virtualMachines'), killHost)
    await second.child.stop()
  })
})
