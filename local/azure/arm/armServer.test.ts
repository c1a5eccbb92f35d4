import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type ArmInMemory, armInMemory } from '../testing/armInMemory.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'], now: Date.parse('2026-01-01T00:00:00Z') }))
afterEach(() => void vi.useRealTimers())

const VM = 'Microsoft.Compute/virtualMachines'
const NIC = 'Microsoft.Network/networkInterfaces'
const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms)
const valueOf = (body: unknown) => (body as { readonly value: readonly Record<string, unknown>[] }).value
const stateOf = async (cloud: ArmInMemory, name: string) => {
  const { status, body } = await cloud.call('GET', cloud.path(`${VM}/${name}`))
  return status === 200 ? (body as { properties: { provisioningState: string } }).properties.provisioningState : status
}

describe('a machine', () => {
  it('is created, succeeds and boots, each in its time, and its operation follows', async () => {
    const cloud = armInMemory()
    const put = await cloud.putVm('web')
    expect(put.status).toBe(201)
    const operation = put.headers['azure-asyncoperation'] ?? ''
    expect(operation).toMatch(
      new RegExp(
        `^https://arm.test/subscriptions/${cloud.arm.settings.subscriptionId}/providers/Microsoft.Compute/locations/eastus/operations/`,
      ),
    )
    const started = new Date().toISOString()
    await pass(13_999)
    expect([await stateOf(cloud, 'web'), (await cloud.call('GET', operation)).body]).toMatchObject(['Creating', { status: 'InProgress' }])
    await pass(1)
    expect([await stateOf(cloud, 'web'), (await cloud.call('GET', operation)).body]).toMatchObject([
      'Succeeded',
      { status: 'Succeeded', startTime: started, endTime: new Date().toISOString() },
    ])
    expect(cloud.power).toEqual([])
    await pass(4_000)
    expect(cloud.power).toEqual(['+web'])
    const view = await cloud.call('GET', cloud.path(`${VM}/web/instanceView`))
    expect(JSON.stringify(view.body)).toMatch(/ProvisioningState\/succeeded.*PowerState\/running/)
  })

  it.each([
    ['', 8_000],
    ['?forceDeletion=false', 8_000],
    ['?forceDeletion=true', 4_000],
  ])('that is deleted%s is off at once and gone after %i ms, with disk and interface', async (query, ms) => {
    const cloud = armInMemory()
    await cloud.putVm('web')
    await pass(18_000)
    const gone = await cloud.call('DELETE', cloud.path(`${VM}/web${query}`))
    expect(gone.status).toBe(202)
    expect(cloud.power).toEqual(['+web', '-web'])
    await pass(ms - 1)
    expect(await stateOf(cloud, 'web')).toBe('Deleting')
    expect((await cloud.call('GET', gone.headers['location'] ?? '')).status).toBe(202)
    await pass(1)
    expect(await stateOf(cloud, 'web')).toBe(404)
    expect((await cloud.call('GET', gone.headers['location'] ?? '')).status).toBe(204)
    expect([cloud.arm.state.nics.size, cloud.arm.state.disks.size]).toEqual([0, 0])
    expect((await cloud.call('DELETE', cloud.path(`${VM}/web`))).status).toBe(204)
  })

  it('restarts on request if it runs, keeps its disk, and its operation ends before the guest is back', async () => {
    const cloud = armInMemory()
    await cloud.putVm('web')
    const restart = (name: string) => cloud.call('POST', cloud.path(`${VM}/${name}/restart`))
    expect(await restart('web')).toMatchObject({ status: 409, code: 'ConflictingConcurrentWriteNotAllowed' })
    await pass(18_000)
    const accepted = await restart('web')
    expect([accepted.status, accepted.body]).toEqual([202, undefined])
    await pass(1_000)
    expect((await cloud.call('GET', accepted.headers['location'] ?? '')).status).toBe(204)
    expect(cloud.power).toEqual(['+web', '~web'])
    // It is set to run, so it is restarted again.
    expect((await restart('web')).status).toBe(202)
    await pass(17_999)
    expect(cloud.power).toEqual(['+web', '~web'])
    await pass(1)
    expect([cloud.power, cloud.arm.state.disks.size, await stateOf(cloud, 'web')]).toEqual([['+web', '~web', '+web'], 1, 'Succeeded'])
    expect(await restart('other')).toMatchObject({ status: 404, code: 'ResourceNotFound' })
  })

  it('does not restart after its creation failed or once it is deleted, and a deletion ends a restart', async () => {
    const cloud = armInMemory()
    cloud.arm.faults.capacity({ code: 'AllocationFailed', when: 'fail', times: 1 })
    await cloud.putVm('failed')
    await cloud.putVm('web')
    await pass(18_000)
    const restart = (name: string) => cloud.call('POST', cloud.path(`${VM}/${name}/restart`))
    expect(await restart('failed')).toMatchObject({ status: 409, code: 'OperationNotAllowed' })
    await restart('web')
    await cloud.call('DELETE', cloud.path(`${VM}/web`))
    expect(await restart('web')).toMatchObject({ status: 409, code: 'OperationNotAllowed' })
    await pass(60_000)
    expect(cloud.power).toEqual(['+web', '~web'])
  })

  it('is evicted on request if it is a spot machine that runs, and no other is', async () => {
    const cloud = armInMemory()
    await cloud.putVm('web', { properties: { priority: 'Spot', evictionPolicy: 'Delete' } })
    await cloud.putVm('steady')
    const evict = (name: string) => cloud.call('POST', cloud.path(`${VM}/${name}/simulateEviction`))
    expect(await evict('web')).toMatchObject({ status: 409, code: 'OperationNotAllowed' })
    await pass(18_000)
    expect(await evict('web')).toMatchObject({ status: 204, body: undefined })
    expect(await evict('steady')).toMatchObject({ status: 409, code: 'OperationNotAllowed' })
    expect(await evict('other')).toMatchObject({ status: 404, code: 'ResourceNotFound' })
    expect(cloud.power).toEqual(['+web', '+steady', '!web'])
  })

  it('that is deleted while it is created never runs', async () => {
    const cloud = armInMemory()
    await cloud.putVm('web')
    await pass(5_000)
    await cloud.call('DELETE', cloud.path(`${VM}/web`))
    await pass(60_000)
    expect([await stateOf(cloud, 'web'), cloud.power]).toEqual([404, []])
  })

  it('that is deleted twice goes once, and both operations end', async () => {
    const cloud = armInMemory()
    await cloud.putVm('web')
    const answers = [await cloud.call('DELETE', cloud.path(`${VM}/web`)), await cloud.call('DELETE', cloud.path(`${VM}/web`))]
    await pass(8_000)
    for (const { headers } of answers)
      expect((await cloud.call('GET', headers['azure-asyncoperation'] ?? '')).body).toMatchObject({ status: 'Succeeded' })
    expect(await stateOf(cloud, 'web')).toBe(404)
  })

  it('is not put again while it goes', async () => {
    const cloud = armInMemory()
    await cloud.putVm('web')
    await cloud.call('DELETE', cloud.path(`${VM}/web`))
    expect(await cloud.putVm('web')).toMatchObject({
      status: 409,
      code: 'OperationNotAllowed',
      message: "Operation 'PUT' is not allowed on VM 'web' since the VM is marked for deletion.",
    })
  })

  it('fails in the middle where its size ran out, says why, and holds its interface for a while after it is gone', async () => {
    const cloud = armInMemory()
    cloud.arm.faults.capacity({ code: 'ZonalAllocationFailed', when: 'fail', times: 1 })
    const networkInterfaces = [{ id: cloud.path(`${NIC}/web`), properties: { deleteOption: 'Detach' } }]
    const put = await cloud.putVm('web', { top: { zones: ['2'] }, properties: { networkProfile: { networkInterfaces } } })
    const message = "Allocation failed. There is not enough capacity for the requested VM size Standard_D4s_v5 in zone '2'."
    await pass(7_000)
    expect(await stateOf(cloud, 'web')).toBe('Failed')
    const operation = await cloud.call('GET', put.headers['azure-asyncoperation'] ?? '')
    expect(operation.body).toMatchObject({ status: 'Failed', error: { code: 'ZonalAllocationFailed', message } })
    const view = await cloud.call('GET', cloud.path(`${VM}/web?$expand=instanceView`))
    expect(JSON.stringify(view.body)).toContain('ProvisioningState/failed/ZonalAllocationFailed')
    expect((await cloud.call('DELETE', cloud.path(`${NIC}/web`))).code).toBe('NicInUse')
    await cloud.call('DELETE', cloud.path(`${VM}/web`))
    await pass(8_000)
    expect((await cloud.call('DELETE', cloud.path(`${NIC}/web`))).code).toBe('NicReservedForAnotherVm')
    await pass(180_000)
    expect((await cloud.call('DELETE', cloud.path(`${NIC}/web`))).status).toBe(202)
    await pass(1_000)
    expect(cloud.arm.state.nics.size).toBe(0)
    expect(cloud.power).toEqual([])
  })

  it('is shown with what Azure adds, without its custom data, and its state where that is asked for', async () => {
    const cloud = armInMemory()
    await cloud.putVm('web')
    const { body } = await cloud.call('GET', cloud.path(`${VM}/web`))
    expect(body).toMatchObject({
      id: cloud.path(`${VM}/web`),
      name: 'web',
      type: VM,
      tags: { a: 'b' },
      properties: {
        provisioningState: 'Creating',
        timeCreated: '2026-01-01T00:00:00.000Z',
        osProfile: { computerName: 'web', allowExtensionOperations: true },
        storageProfile: { osDisk: { osType: 'Linux', managedDisk: { id: cloud.path('Microsoft.Compute/disks/web_OsDisk_1') } } },
      },
    })
    expect(body).not.toHaveProperty('properties.osProfile.customData')
    expect(body).not.toHaveProperty('properties.instanceView')
    expect((await cloud.call('GET', cloud.path(`${VM}/web?$expand=InstanceView`))).body).toHaveProperty('properties.instanceView')
    expect(await cloud.call('GET', cloud.path(`${VM}/web?$expand=userData`))).toMatchObject({ status: 400, code: 'InvalidParameter' })
    expect((await cloud.call('GET', cloud.path(`${VM}/none/instanceView`))).code).toBe('ResourceNotFound')
  })

  it('is listed in its group alone', async () => {
    const cloud = armInMemory({ resourceGroups: ['MC_one', 'MC_two'] })
    await cloud.putVm('web')
    const list = async (path: string) => valueOf((await cloud.call('GET', path)).body).map(({ name }) => name)
    expect(await list(cloud.path(VM))).toEqual(['web'])
    expect(await list(cloud.path(VM).replace('MC_one', 'mc_two'))).toEqual([])
    expect(await list(cloud.path(NIC))).toEqual(['web'])
    expect(await list(cloud.path(NIC).replace('MC_one', 'MC_two'))).toEqual([])
    expect(await list(cloud.path('Microsoft.Compute/disks'))).toEqual(['web_OsDisk_1'])
    expect(await list(cloud.path('Microsoft.Compute/disks').replace('MC_one', 'MC_two'))).toEqual([])
  })

  it('changes its tags as a whole and gains identities, with the version that is asked for', async () => {
    const cloud = armInMemory()
    const identity = (name: string) => ({ type: 'UserAssigned', userAssignedIdentities: { [name]: {} } })
    await cloud.putVm('web', { top: { identity: identity('one') } })
    const path = cloud.path(`${VM}/web`)
    expect(await cloud.call('PATCH', path, { tags: {} })).toMatchObject({ status: 409, code: 'ConflictingConcurrentWriteNotAllowed' })
    await pass(14_000)
    expect((await cloud.call('PATCH', path, { tags: { c: 'd' } }, { 'if-match': '"9"' })).status).toBe(412)
    const patched = await cloud.call('PATCH', path, { tags: { c: 'd' }, identity: identity('two') }, { 'if-match': '"2"' })
    expect(patched).toMatchObject({
      status: 200,
      headers: { etag: '"3"' },
      body: { tags: { c: 'd' }, identity: { type: 'UserAssigned', userAssignedIdentities: { one: {}, two: {} } } },
    })
    expect(await stateOf(cloud, 'web')).toBe('Updating')
    expect(await cloud.call('PATCH', path, { tags: {} })).toMatchObject({ status: 409, code: 'ConflictingConcurrentWriteNotAllowed' })
    await pass(1_000)
    expect([await stateOf(cloud, 'web'), (await cloud.call('GET', patched.headers['azure-asyncoperation'] ?? '')).body]).toMatchObject([
      'Succeeded',
      { status: 'Succeeded' },
    ])
    expect((await cloud.call('DELETE', path, undefined, { 'if-match': '"1"' })).status).toBe(412)
    expect((await cloud.call('PATCH', path, { zones: ['1'] })).message).toBe(
      "this emulator changes only tags and identity of a virtual machine, not 'zones'",
    )
    expect((await cloud.call('PATCH', cloud.path(`${VM}/none`), { tags: {} })).status).toBe(404)
  })

  it('gives its tags to its disk as both are made, and not later; interface and disk change theirs as a whole', async () => {
    const cloud = armInMemory()
    await cloud.putVm('web')
    const nic = cloud.path(`${NIC}/web`)
    expect(await cloud.call('PATCH', nic, { tags: {} })).toMatchObject({
      status: 429,
      code: 'RetryableError',
      headers: { 'retry-after': '1' },
    })
    await pass(14_000)
    await cloud.call('PATCH', cloud.path(`${VM}/web`), { tags: { c: 'd' } })
    const disk = cloud.path('Microsoft.Compute/disks/web_OsDisk_1')
    expect((await cloud.call('GET', disk)).body).toMatchObject({ tags: { a: 'b' } })
    for (const path of [nic, disk]) {
      expect(await cloud.call('PATCH', path, { tags: { e: 'f' } })).toMatchObject({ status: 200, body: { tags: { e: 'f' } } })
      expect((await cloud.call('GET', path)).body).toMatchObject({ tags: { e: 'f' } })
      expect((await cloud.call('PATCH', path, { properties: {} })).status).toBeGreaterThanOrEqual(400)
      expect((await cloud.call('PATCH', `${path}-none`, { tags: {} })).status).toBe(404)
    }
  })

  it.each([
    ['zones', { top: { zones: ['2'] } }],
    ['properties.hardwareProfile.vmSize', { size: 'Standard_D8s_v5' }],
    ['priority', { properties: { priority: 'Spot' } }],
  ])('cannot change its %s', async (what, over) => {
    const cloud = armInMemory()
    await cloud.putVm('web', { top: { zones: ['1'] } })
    const again = await cloud.putVm('web', { top: { zones: ['1'] }, ...over })
    expect(again).toMatchObject({ status: 409, code: 'PropertyChangeNotAllowed', message: `Changing property '${what}' is not allowed.` })
    expect(await cloud.putVm('web', { top: { zones: ['1'], tags: { x: 'y' } } })).toMatchObject({ status: 200, body: { tags: { x: 'y' } } })
  })

  it('keeps its disk where it does not say that the disk goes with it, and the disk goes alone', async () => {
    const cloud = armInMemory()
    const storageProfile = { osDisk: { createOption: 'FromImage', name: 'kept' }, imageReference: { communityGalleryImageId: '/x' } }
    await cloud.putVm('web', { properties: { storageProfile } })
    const disks = async () => valueOf((await cloud.call('GET', cloud.path('Microsoft.Compute/disks'))).body)
    expect(await disks()).toMatchObject([
      { name: 'kept', managedBy: cloud.path(`${VM}/web`), properties: { diskSizeGB: 30, diskState: 'Attached' } },
    ])
    const path = cloud.path('Microsoft.Compute/disks/kept')
    expect(await cloud.call('DELETE', path)).toMatchObject({
      status: 409,
      message: `Disk kept is attached to VM ${cloud.path(`${VM}/web`)}.`,
    })
    await cloud.call('DELETE', cloud.path(`${VM}/web`))
    await pass(8_000)
    expect(await disks()).toMatchObject([{ name: 'kept', properties: { diskState: 'Unattached' } }])
    expect((await cloud.call('DELETE', path)).status).toBe(200)
    expect((await cloud.call('DELETE', path)).status).toBe(204)
  })
})

describe('an interface', () => {
  it('is made, shown with its address and its machine, and goes, each by an operation', async () => {
    const cloud = armInMemory()
    const path = cloud.path(`${NIC}/web`)
    await cloud.putVm('web')
    const stateOfNic = async () => (await cloud.call('GET', path)).body
    expect(await stateOfNic()).toMatchObject({
      properties: { provisioningState: 'Updating', virtualMachine: { id: cloud.path(`${VM}/web`) } },
    })
    await pass(1_000)
    expect(await stateOfNic()).toMatchObject({
      id: path,
      type: NIC,
      properties: {
        provisioningState: 'Succeeded',
        macAddress: expect.stringMatching(/^00-0D-3A-00-[0-9A-F]{2}-[0-9A-F]{2}$/),
        ipConfigurations: [
          {
            id: `${path}/ipConfigurations/i`,
            properties: { privateIPAddress: expect.stringMatching(/^10\.224\.\d+\.\d+$/), subnet: { id: cloud.arm.settings.subnetId } },
          },
        ],
      },
    })
    expect((await cloud.call('DELETE', path)).code).toBe('NicInUse')
    expect((await cloud.call('DELETE', cloud.path(`${NIC}/none`))).status).toBe(204)
  })

  it('that goes is not made again until it is gone', async () => {
    const cloud = armInMemory()
    const path = cloud.path(`${NIC}/web`)
    const body = {
      location: 'eastus',
      properties: { ipConfigurations: [{ name: 'i', properties: { subnet: { id: cloud.arm.settings.subnetId } } }] },
    }
    expect((await cloud.call('PUT', path, body)).status).toBe(201)
    expect((await cloud.call('PUT', path, body)).status).toBe(200)
    await cloud.call('DELETE', path)
    expect(await cloud.call('PUT', path, body)).toMatchObject({ status: 429, code: 'RetryableError', headers: { 'retry-after': '1' } })
    await pass(1_000)
    expect((await cloud.call('PUT', path, body)).status).toBe(201)
  })

  it.each([
    [{ location: 'westus' }, 'LocationRequired'],
    [{ location: 'eastus', properties: {} }, 'NetworkInterfaceMustHaveAtLeastOneIpConfiguration'],
    [{ location: 'eastus', properties: { ipConfigurations: [{ name: 'i' }] } }, 'InvalidResourceReference'],
  ])('of %j is refused', async (body, code) => {
    const cloud = armInMemory()
    expect((await cloud.call('PUT', cloud.path(`${NIC}/web`), body)).code).toBe(code)
  })
})

describe('a fault of the script', () => {
  it('before the effect leaves nothing, after it the effect without an answer', async () => {
    const cloud = armInMemory()
    cloud.arm.faults.http({ method: 'PUT', path: VM, drop: 'before', times: 1 })
    expect((await cloud.putVm('web')).status).toBe(0)
    expect(cloud.arm.state.vms.size).toBe(0)
    cloud.arm.faults.http({ method: 'PUT', path: VM, drop: 'after', times: 1 })
    expect((await cloud.putVm('web')).status).toBe(0)
    expect(cloud.arm.state.vms.size).toBe(1)
    expect(cloud.log.all().filter(({ type }) => type === 'virtualMachines')).toMatchObject([
      { method: 'PUT', name: 'web', status: 0 },
      { method: 'PUT', name: 'web', status: 0 },
    ])
  })

  it('keeps an answer back for as long as it says, of real time', async () => {
    const cloud = armInMemory({ speed: 100 })
    cloud.arm.faults.http({ path: VM, delayMs: 5_000, times: 1 })
    let answered = false
    const asked = cloud.call('GET', cloud.path(`${VM}/web`)).then(() => {
      answered = true
    })
    await pass(4_999)
    expect(answered).toBe(false)
    await pass(1)
    await asked
    expect(answered).toBe(true)
  })

  it('has words of its own where the script gives none', async () => {
    const cloud = armInMemory()
    cloud.arm.faults.http({ path: VM, status: 503, times: 1 })
    expect(await cloud.call('GET', cloud.path(`${VM}/web`))).toMatchObject({
      status: 503,
      code: 'ScriptedFault',
      message: 'a fault of the script',
    })
  })
})
