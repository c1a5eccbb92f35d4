import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { TAG } from '../../shared/model/instance.ts'
import type { Labels } from '../../shared/model/labels.ts'
import { eventually } from '../builders/eventually.ts'
import { armCall, nicPath, vmPath } from './armCall.ts'
import { claim, nodeClass, SIGNAL, startHarness } from './harness.ts'
import { launchRequest } from './launchRequest.ts'

type Harness = Awaited<ReturnType<typeof startHarness>>
let harness: Harness

/** One machine in state Succeeded, whose class has the tag team=red. */
beforeEach(async () => {
  harness = await startHarness({ speed: 1_000 }, { additionalTags: { owner: 'me' } })
  await harness.catalog.refresh(SIGNAL)
  const request = await launchRequest(harness, 'one')
  const launched = await harness.provider.launch({ ...request, nodeClass: nodeClass({ tags: { team: 'red' } }) }, SIGNAL)
  expect(launched.ok && launched.value.tags).toEqual({ owner: 'me', team: 'red' })
  await eventually(() => expect(harness.azure.state().vms[0]?.state).toBe('Succeeded'))
  harness.azure.requests.clear()
})
afterEach(() => harness.azure.close())

const BLUE = {
  claim: claim('one'),
  nodeClass: nodeClass({ tags: { team: 'blue', 'cost/center': '7' } }),
  before: { owner: 'me', team: 'red' },
}
const OWN = { [TAG.cluster]: 'demo', [TAG.clusterName]: 'demo', [TAG.billing]: 'linux', [TAG.nodePool]: 'default', [TAG.claimCreated]: '0' }
const WANTED = { ...OWN, owner: 'me', team: 'blue', cost_center: '7' }
const update = (provider = harness.provider) => provider.updateTags(BLUE, SIGNAL)

const tagsOf = (): readonly Labels[] => {
  const { vms, nics, disks } = harness.azure.state()
  return [...vms, ...nics, ...disks].map(({ tags }) => tags)
}
const writes = () =>
  harness.azure.requests
    .all()
    .filter(({ method }) => method !== 'GET')
    .map(({ method, type }) => `${method} ${type}`)

describe('the tags of a machine on Azure', () => {
  it('IU-03, IU-08 change on machine, interface and disk, and nothing else is written', async () => {
    const before = harness.azure.state().vms[0]
    expect(await update()).toBe('updated')
    expect(tagsOf()).toEqual([WANTED, WANTED, WANTED])
    expect(writes()).toEqual(['PATCH networkInterfaces', 'PATCH disks', 'PATCH virtualMachines'])
    expect(harness.azure.state().vms[0]?.vmId).toBe(before?.vmId)
  })

  it('IU-05 cost reads only if they are right', async () => {
    await update()
    harness.azure.requests.clear()
    expect(await update()).toBe('updated')
    expect(writes()).toEqual([])
    expect(harness.azure.requests.all().length).toBe(3)
  })

  it('keep what others wrote, lose what the class lost, and get back a tag of ours that somebody removed', async () => {
    const { azure } = harness
    const theirs = { policy: 'x', owner: 'me', TEAM: 'red' }
    await armCall(azure, 'PATCH', vmPath(azure, 'joiner-one'), { body: { tags: theirs } })
    await armCall(azure, 'PATCH', nicPath(azure, 'joiner-one'), { body: { tags: theirs } })
    await eventually(() => expect(azure.state().vms[0]?.state).toBe('Succeeded'))
    await harness.provider.updateTags({ ...BLUE, nodeClass: nodeClass() }, SIGNAL)
    const after = { ...OWN, policy: 'x', owner: 'me' }
    expect(tagsOf().slice(0, 2)).toEqual([after, after])
  })

  it('are not written over a change that comes in between: the machine is read again', async () => {
    harness.azure.script.http({ method: 'PATCH', path: 'virtualMachines', status: 412, code: 'ConditionNotMet', times: 1 })
    expect(await update()).toBe('updated')
    expect(tagsOf()).toEqual([WANTED, WANTED, WANTED])
    expect(harness.azure.requests.count({ method: 'PATCH', type: 'virtualMachines' })).toBe(2)
  })

  it('are left for later while another write of the machine is under way', async () => {
    harness.azure.script.http({
      method: 'PATCH',
      path: 'virtualMachines',
      status: 409,
      code: 'ConflictingConcurrentWriteNotAllowed',
      times: 1,
    })
    await expect(update()).rejects.toMatchObject({ name: 'Fault', problem: { code: 'AZURE.FAILED' } })
    expect(await update()).toBe('updated')
    expect(tagsOf()).toEqual([WANTED, WANTED, WANTED])
  })

  it('are not asked for again before the time that Azure gives', async () => {
    harness.azure.script.http({ method: 'PATCH', path: 'virtualMachines', status: 429, code: 'TooManyRequests', retryAfterSeconds: 600 })
    const throttled = { name: 'Fault', problem: { code: 'AZURE.THROTTLED' } }
    await expect(update()).rejects.toMatchObject(throttled)
    await expect(update()).rejects.toMatchObject(throttled)
    expect(harness.azure.requests.count({ method: 'PATCH', type: 'virtualMachines' })).toBe(1)
  })

  it('IU-07 of a machine that is not there are no failure', async () => {
    expect(await harness.provider.updateTags({ ...BLUE, claim: claim('none') }, SIGNAL)).toBe('gone')
    await harness.provider.terminate(BLUE.claim.name, SIGNAL)
    expect(await update()).toBe('gone')
    expect(writes().filter((line) => line.startsWith('PATCH'))).toEqual([])
  })

  it('are right after the next try, whichever call was cut off before or after it took effect', async () => {
    await update()
    const calls = harness.azure.requests.all().filter(({ type }) => type !== 'operations')
    expect(calls.length).toBeGreaterThanOrEqual(6)
    let variant = 0
    for (const { method, type } of calls)
      for (const drop of ['before', 'after'] as const) {
        variant += 1
        // One process would keep the limit of Azure for one machine.
        const provider = harness.cloudOf(harness.config)
        const nodeClassNow = nodeClass({ tags: { team: `blue${variant}` } })
        await eventually(() => expect(harness.azure.state().vms[0]?.state).toBe('Succeeded'))
        // The client tries once more by itself.
        harness.azure.script.http({ method, path: type, drop, times: 2 })
        const request = { ...BLUE, nodeClass: nodeClassNow }
        await provider.updateTags(request, SIGNAL).catch((error: unknown) => expect(error).toMatchObject({ name: 'Fault' }))
        harness.azure.script.clear()
        await eventually(() => expect(harness.azure.state().vms[0]?.state).toBe('Succeeded'))
        expect(await provider.updateTags({ ...request, before: { team: `blue${variant - 1}` } }, SIGNAL)).toBe('updated')
        const wanted = { ...OWN, owner: 'me', team: `blue${variant}` }
        expect(tagsOf()).toMatchObject([wanted, wanted, wanted])
        expect(harness.azure.state()).toMatchObject({ vms: { length: 1 }, nics: { length: 1 } })
      }
  })
})
