import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Environment, startEnvironment } from './environment.ts'
import { TEST_TIMEOUT_MS } from './until.ts'

let environment: Environment

beforeAll(async () => {
  environment = await startEnvironment({ capacityTypes: ['spot'] })
  await environment.begin()
}, TEST_TIMEOUT_MS)
afterAll(() => environment?.close())

describe('a spot machine that Azure takes', { timeout: TEST_TIMEOUT_MS }, () => {
  it('is announced by its node through the topic of the cluster, and replaced', async () => {
    await environment.scale('app', 1)
    await environment.settle(1)
    const [machine = ''] = environment.machinesMade()
    const interrupted = environment.whenSaid(/^nodeclaim .* is interrupted: Preempt$/)
    await environment.stack.evict(machine)
    await interrupted
    await environment.settle(1)
    expect(environment.machinesMade()).toHaveLength(2)
  })
})
