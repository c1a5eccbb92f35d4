import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { nodeClaimName } from '../../shared/model/ids.ts'
import type { LaunchRequest } from '../../shared/ports/cloudProvider.ts'
import { candidateOf, claim, nodeClass, SIGNAL, startHarness, typeNamed } from './harness.ts'

type Harness = Awaited<ReturnType<typeof startHarness>>
let harness: Harness

beforeEach(async () => {
  harness = await startHarness()
  await harness.catalog.refresh(SIGNAL)
})
afterEach(() => harness.azure.close())

async function request(
  name: string,
  size = 'Standard_D2as_v6',
  want: Parameters<typeof candidateOf>[1] = { capacityType: 'on-demand' },
): Promise<LaunchRequest> {
  const theClass = nodeClass()
  const types = await harness.catalog.instanceTypes(theClass, SIGNAL)
  return {
    claim: claim(name),
    nodeClass: theClass,
    candidate: candidateOf(typeNamed(types, size), want),
    bootstrapToken: async () => 'abcdef.0123456789abcdef',
  }
}

describe('launch', () => {
  it('makes interface and machine and does not wait for the machine', async () => {
    const launched = await harness.provider.launch(await request('one'), SIGNAL)
    expect(launched).toMatchObject({
      ok: true,
      value: { name: 'aks-one', claim: 'one', nodePool: 'default', size: 'Standard_D2as_v6', state: { kind: 'creating' } },
    })
    const { vms, nics } = harness.azure.state()
    expect({ vms: vms.map((vm) => vm.name), nics: nics.map((nic) => nic.name) }).toEqual({ vms: ['aks-one'], nics: ['aks-one'] })
    await vi.waitFor(async () => expect((await harness.provider.get(nodeClaimName('one'), SIGNAL))?.state).toEqual({ kind: 'running' }))
  })

  it('answers a repeated launch with the machine of the first, whatever the second asks for', async () => {
    const first = await harness.provider.launch(await request('one'), SIGNAL)
    const second = await harness.provider.launch(await request('one', 'Standard_F8s_v2'), SIGNAL)
    expect(first.ok && second.ok && second.value.size).toBe('Standard_D2as_v6')
    expect(harness.azure.requests.count({ method: 'PUT', type: 'virtualMachines' })).toBe(1)
  })

  it('leaves nothing behind when Azure refuses', async () => {
    harness.azure.script.capacity({ size: 'Standard_D2as_v6', code: 'ZonalAllocationFailed' })
    const launched = await harness.provider.launch(await request('one'), SIGNAL)
    expect(launched).toMatchObject({ ok: false, error: { then: 'next', problem: { code: 'AZURE.ALLOCATION.ZONE' } } })
    expect(harness.azure.state()).toEqual({ vms: [], nics: [], disks: [] })
  })

  it('tells a machine that failed later by the same table', async () => {
    harness.azure.script.capacity({ code: 'AllocationFailed', when: 'fail', times: 1 })
    await harness.provider.launch(await request('one', 'Standard_D4as_v6', { capacityType: 'spot' }), SIGNAL)
    await vi.waitFor(async () => {
      const found = await harness.provider.get(nodeClaimName('one'), SIGNAL)
      expect(found?.state).toMatchObject({ kind: 'failed', refusal: { then: 'next', problem: { code: 'AZURE.ALLOCATION.REGION' } } })
      const scopes = found?.state.kind === 'failed' ? found.state.refusal.unavailable.map((entry) => entry.scope) : []
      expect(scopes).toEqual(
        ['eastus-1', 'eastus-2', 'eastus-3'].map((zone) => ({ kind: 'family', family: 'standardDav6Family', minCpus: 4, zone })),
      )
    })
  })
})

describe('terminate', () => {
  it('ends machine, disk and interface, and says gone once they are', async () => {
    await harness.provider.launch(await request('one'), SIGNAL)
    expect(await harness.provider.terminate(nodeClaimName('one'), SIGNAL)).toBe('terminating')
    await vi.waitFor(async () => expect(await harness.provider.terminate(nodeClaimName('one'), SIGNAL)).toBe('gone'))
    expect(harness.azure.state()).toEqual({ vms: [], nics: [], disks: [] })
  })
})
