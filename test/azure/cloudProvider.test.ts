import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { NEWEST_IMAGE_VERSION } from '../../local/azure/arm/galleries.ts'
import { createCloudProvider } from '../../shared/adapters/azure/cloudProvider.ts'
import { clusterId, nodeClaimName } from '../../shared/model/ids.ts'
import { eventually } from '../builders/eventually.ts'
import { candidateOf, nodeClass, REAL_CLOCK, SIGNAL, SILENT, startHarness, typeNamed } from './harness.ts'
import { type LaunchOf, launchRequest } from './launchRequest.ts'

type Harness = Awaited<ReturnType<typeof startHarness>>
let harness: Harness

beforeEach(async () => {
  harness = await startHarness()
  await harness.catalog.refresh(SIGNAL)
})
afterEach(() => harness.azure.close())

const request = (...of: LaunchOf) => launchRequest(harness, ...of)

describe('launch', () => {
  it('makes interface and machine and does not wait for the machine', async () => {
    const launched = await harness.provider.launch(await request('one'), SIGNAL)
    expect(launched).toMatchObject({
      ok: true,
      value: { name: 'joiner-one', claim: 'one', nodePool: 'default', size: 'Standard_D2as_v6', state: { kind: 'creating' } },
    })
    const { vms, nics } = harness.azure.state()
    expect({ vms: vms.map((vm) => vm.name), nics: nics.map((nic) => nic.name) }).toEqual({ vms: ['joiner-one'], nics: ['joiner-one'] })
    await eventually(async () => expect((await harness.provider.get(nodeClaimName('one'), SIGNAL))?.state).toEqual({ kind: 'running' }))
  })

  it.each([
    ['community', 'AKSUbuntu-38d80f77-467a-481f-a8d4-09b6d4220bd2'],
    ['shared', 'galleries/AKSUbuntu'],
  ] as const)(
    'takes the newest version of an image of a %s gallery by its name, asks for it once, and says it',
    async (gallery, wanted) => {
      const provider = harness.cloudOf({ ...harness.config, images: { ...harness.config.images, gallery } })
      const launched = [await provider.launch(await request('one'), SIGNAL), await provider.launch(await request('two'), SIGNAL)]
      const ids = launched.map((each) => (each.ok ? each.value.imageId : each.error.problem.message))
      for (const id of ids) {
        expect(id).toContain(wanted)
        expect(id).toMatch(new RegExp(`/versions/${NEWEST_IMAGE_VERSION}$`))
      }
      expect(harness.azure.requests.all().filter(({ type }) => /galleries/i.test(type))).toHaveLength(1)
      const { vms } = harness.azure.state()
      expect(vms.length).toBe(2)
    },
  )

  it('says so where an image has no version, and leaves nothing behind', async () => {
    harness.azure.script.http({ method: 'GET', path: 'communityGalleries', status: 404, code: 'CommunityGalleryImageNotFound' })
    expect(await harness.provider.launch(await request('one'), SIGNAL)).toMatchObject({
      ok: false,
      error: { then: 'stop', problem: { code: 'AZURE.IMAGE_NOT_FOUND' } },
    })
    expect(harness.azure.state()).toEqual({ vms: [], nics: [], disks: [] })
  })

  it('answers a repeated launch with the machine of the first, whatever the second asks for', async () => {
    const first = await harness.provider.launch(await request('one'), SIGNAL)
    const second = await harness.provider.launch(await request('one', 'Standard_F8s_v2'), SIGNAL)
    expect(first.ok && second.ok && second.value.size).toBe('Standard_D2as_v6')
    expect(harness.azure.requests.count({ method: 'PUT', type: 'virtualMachines' })).toBe(1)
  })

  it('leaves no more than the interface when Azure refuses', async () => {
    harness.azure.script.capacity({ size: 'Standard_D2as_v6', code: 'ZonalAllocationFailed' })
    const launched = await harness.provider.launch(await request('one'), SIGNAL)
    expect(launched).toMatchObject({ ok: false, error: { then: 'next', problem: { code: 'AZURE.ALLOCATION.ZONE' } } })
    // The interface stays for the next try of the claim.
    expect(harness.azure.state()).toMatchObject({ vms: [], nics: [{ name: 'joiner-one' }], disks: [] })
  })

  it('tells a machine that failed later by the same table', async () => {
    harness.azure.script.capacity({ code: 'AllocationFailed', when: 'fail', times: 1 })
    await harness.provider.launch(await request('one', 'Standard_D4as_v6', { capacityType: 'spot' }), SIGNAL)
    await eventually(async () => {
      const found = await harness.provider.get(nodeClaimName('one'), SIGNAL)
      expect(found?.state).toMatchObject({ kind: 'failed', refusal: { then: 'next', problem: { code: 'AZURE.ALLOCATION.REGION' } } })
      const scopes = found?.state.kind === 'failed' ? found.state.refusal.unavailable.map((entry) => entry.scope) : []
      expect(scopes).toEqual(['eastus-1', 'eastus-2', 'eastus-3'].map((zone) => ({ kind: 'offering', size: 'Standard_D4as_v6', zone })))
    })
  })
})

describe('list', () => {
  it('shows the machines of this cluster only, over all pages', async () => {
    await harness.azure.close()
    harness = await startHarness({ pageSize: 2 })
    await harness.catalog.refresh(SIGNAL)
    const other = createCloudProvider({
      config: { ...harness.config, id: clusterId('other') },
      credential: harness.credential,
      arm: harness.arm,
      sizes: harness.catalog,
      clock: REAL_CLOCK,
      telemetry: SILENT,
    })
    for (const name of ['a', 'b', 'c', 'd', 'e']) await harness.provider.launch(await request(name), SIGNAL)
    await other.launch(await request('foreign'), SIGNAL)
    const listed = await harness.provider.list(SIGNAL)
    expect(listed.map((instance) => instance.claim).sort()).toEqual(['a', 'b', 'c', 'd', 'e'])
    expect(listed[0]).toMatchObject({
      nodePool: 'default',
      size: 'Standard_D2as_v6',
      zone: 'eastus-1',
      capacityType: 'on-demand',
      providerId: expect.stringContaining('/resourceGroups/mc_local_demo_eastus/'),
    })
  })
})

describe('orphan interfaces', () => {
  it('are those of this cluster without a machine, and can be deleted', async () => {
    await harness.provider.launch(await request('kept'), SIGNAL)
    harness.azure.script.http({ method: 'PUT', path: 'virtualMachines/joiner-lost', drop: 'before' })
    await expect(harness.provider.launch(await request('lost'), SIGNAL)).rejects.toThrow('launch joiner-lost')
    expect(await harness.provider.listOrphanInterfaces(SIGNAL)).toEqual([
      { name: 'joiner-lost', claim: 'lost', createdAt: expect.any(Number) },
    ])
    await harness.provider.deleteInterface('joiner-lost', SIGNAL)
    await eventually(async () => expect(await harness.provider.listOrphanInterfaces(SIGNAL)).toEqual([]))
    expect(harness.azure.state().nics.map((nic) => nic.name)).toEqual(['joiner-kept'])
  })
})

describe('terminate', () => {
  it('ends machine, disk and interface, and says gone once they are', async () => {
    await harness.provider.launch(await request('one'), SIGNAL)
    expect(await harness.provider.terminate(nodeClaimName('one'), SIGNAL)).toBe('terminating')
    await eventually(async () => expect(await harness.provider.terminate(nodeClaimName('one'), SIGNAL)).toBe('gone'))
    expect(harness.azure.state()).toEqual({ vms: [], nics: [], disks: [] })
  })

  it('is gone at once for a machine that never was, and may be asked again', async () => {
    await harness.azure.close()
    // The machine must not be gone before it is asked for again, however slow this machine is.
    harness = await startHarness({ durations: { nic: 200, vmDelete: 24 * 3_600_000 } })
    await harness.catalog.refresh(SIGNAL)
    expect(await harness.provider.terminate(nodeClaimName('never'), SIGNAL)).toBe('gone')
    await harness.provider.launch(await request('one'), SIGNAL)
    expect([
      await harness.provider.terminate(nodeClaimName('one'), SIGNAL),
      await harness.provider.terminate(nodeClaimName('one'), SIGNAL),
    ]).toEqual(['terminating', 'terminating'])
    expect(harness.azure.requests.count({ method: 'DELETE', type: 'virtualMachines' })).toBe(1)
  })

  it('takes an interface that lost its machine', async () => {
    harness.azure.script.http({ method: 'PUT', path: 'virtualMachines/joiner-one', drop: 'before' })
    await expect(harness.provider.launch(await request('one'), SIGNAL)).rejects.toThrow('launch joiner-one')
    expect(await harness.provider.terminate(nodeClaimName('one'), SIGNAL)).toBe('terminating')
    await eventually(async () => expect(await harness.provider.terminate(nodeClaimName('one'), SIGNAL)).toBe('gone'))
  })
})

describe('restart', () => {
  it.each([
    [409, 'OperationNotAllowed', 'AZURE.FAILED'],
    [409, 'ScopeLocked', 'AZURE.FAILED'],
    [403, 'AuthorizationFailed', 'AZURE.FORBIDDEN'],
    [400, 'InvalidParameter', 'AZURE.FAILED'],
  ])('is refused for good by %s %s', async (status, code, problem) => {
    await harness.provider.launch(await request('one'), SIGNAL)
    harness.azure.script.http({ method: 'POST', path: 'one/restart', status, code, message: 'no' })
    expect(await harness.provider.restart(nodeClaimName('one'), SIGNAL)).toMatchObject({ ok: false, error: { code: problem } })
  })

  it.each([
    [409, 'AnotherOperationInProgress'],
    [409, 'ConflictingConcurrentWriteNotAllowed'],
    [500, 'InternalError'],
  ])('may succeed later after %s %s', async (status, code) => {
    await harness.provider.launch(await request('one'), SIGNAL)
    harness.azure.script.http({ method: 'POST', path: 'one/restart', status, code, message: 'later' })
    await expect(harness.provider.restart(nodeClaimName('one'), SIGNAL)).rejects.toThrow('restart virtual machine joiner-one')
  })

  it('is known to be forbidden before any machine is touched, and an answer that says nothing is no problem', async () => {
    harness.azure.script.http({ method: 'POST', path: 'restart', status: 403, code: 'AuthorizationFailed', message: 'no right', times: 1 })
    expect(await harness.provider.restartProblem(SIGNAL)).toMatchObject({ code: 'AZURE.FORBIDDEN' })
    expect(await harness.provider.restartProblem(SIGNAL)).toBeUndefined()
    harness.azure.script.http({ method: 'POST', path: 'restart', status: 500, code: 'InternalError', message: 'broken' })
    expect(await harness.provider.restartProblem(SIGNAL)).toBeUndefined()
  })
})

describe('an ephemeral OS disk', () => {
  it.each([
    [200, 'CacheDisk'],
    [201, 'ResourceDisk'],
    [300, 'ResourceDisk'],
    [301, undefined],
  ])('of %s GB is where it fits in a D8ds_v5', async (osDiskSizeGb, placement) => {
    const planned = await request('one', 'Standard_D8ds_v5')
    const theClass = nodeClass({ osDiskSizeGb })
    expect(await harness.provider.launch({ ...planned, nodeClass: theClass }, SIGNAL)).toMatchObject({ ok: true })
    const [vm] = harness.azure.state().vms
    expect(vm?.body).toMatchObject({ properties: { storageProfile: { osDisk: { diskSizeGB: osDiskSizeGb } } } })
    expect(JSON.stringify(vm?.body).match(/"placement":"(\w+)"/)?.[1]).toBe(placement)
  })
})

describe('the OS disk of a machine', () => {
  it.each([
    ['Standard_D8ds_v5', { osDiskSizeGb: 200 }, 'CacheDisk', undefined],
    ['Standard_D8ds_v5', { osDiskSizeGb: 301 }, 'Premium_LRS', 100_301],
    ['Standard_D8ds_v5', { osDiskType: 'Managed' }, 'Premium_LRS', 27_000],
    ['Standard_D4as_v6', {}, 'Premium_LRS', 27_000],
    ['Standard_D4as_v6', { osDiskSizeGb: 64 }, 'Premium_LRS', 13_986],
  ] as const)('is the one that its price has: %s %j', async (size, spec, disk, diskPrice) => {
    const theClass = nodeClass(spec)
    const candidate = candidateOf(typeNamed(await harness.catalog.instanceTypes(theClass, SIGNAL), size))
    const asked = { ...(await request('one', size)), nodeClass: theClass, candidate }
    expect(await harness.provider.launch(asked, SIGNAL)).toMatchObject({ ok: true })
    const [vm] = harness.azure.state().vms
    expect(JSON.stringify(vm?.body).match(/"(?:placement|storageAccountType)":"(\w+)"/)?.[1]).toBe(disk)
    expect(candidate.choice.diskPrice).toBe(diskPrice)
  })
})

describe('a machine that Karpenter made for its claim', () => {
  it('is found, ended with its claim, and none of those that garbage collection may end', async () => {
    // Karpenter uses this prefix for its machines and does not set Joiner's tag.
    const karpenter = harness.cloudOf({ ...harness.config, id: clusterId('karpenter'), machinePrefix: 'aks-', formerMachinePrefixes: [] })
    await karpenter.launch(await request('default-x7k2p'), SIGNAL)
    const name = nodeClaimName('default-x7k2p')
    expect(await harness.provider.get(name, SIGNAL)).toMatchObject({ name: 'aks-default-x7k2p', claim: name })
    expect(await harness.provider.list(SIGNAL)).toEqual([])
    expect(await harness.provider.listOrphanInterfaces(SIGNAL)).toEqual([])
    expect(await harness.provider.terminate(name, SIGNAL)).toBe('terminating')
    await eventually(async () => expect(await harness.provider.terminate(name, SIGNAL)).toBe('gone'))
    expect(harness.azure.state()).toEqual({ vms: [], nics: [], disks: [] })
  })
})

describe('the list of machines', () => {
  it('has all machines, though the reason of a failed one cannot be read', async () => {
    harness.azure.script.capacity({ code: 'AllocationFailed', when: 'fail', times: 1 })
    for (const name of ['bad', 'good']) await harness.provider.launch(await request(name), SIGNAL)
    await eventually(() => expect(harness.azure.state().vms.map(({ state }) => state)).toEqual(['Failed', 'Succeeded']))
    harness.azure.script.http({ method: 'GET', path: 'instanceView', status: 500, code: 'InternalError' })
    const listed = await harness.provider.list(SIGNAL)
    expect(listed.map(({ claim, state }) => [claim, state.kind])).toEqual([
      ['bad', 'failed'],
      ['good', 'running'],
    ])
    await expect(harness.provider.get(nodeClaimName('bad'), SIGNAL)).rejects.toMatchObject({ name: 'Fault' })
  })
})

describe('the subnet of a class', () => {
  const problemOf = (vnetSubnetId?: string, of = harness.provider) =>
    of.subnetState(nodeClass(vnetSubnetId === undefined ? {} : { vnetSubnetId }), SIGNAL).then(({ problem }) => problem)
  /** The provider of a cluster whose network is not in the resource group of its nodes, and so not of AKS. */
  const inOwnNetwork = () => harness.cloudOf({ ...harness.config, nodeResourceGroup: 'nodes' })
  const asked = () => harness.azure.requests.count({ method: 'GET', type: 'subnets' })

  it('is looked for once in a while, whether it is there or not', async () => {
    const missing = harness.azure.subnetId.replace('aks-subnet', 'none')
    const of = inOwnNetwork()
    for (let look = 0; look < 3; look++) {
      expect(await problemOf(harness.azure.subnetId, of)).toBeUndefined()
      expect(await problemOf(missing, of)).toMatchObject({
        code: 'AZURE.NOT_FOUND',
        message: expect.stringContaining('does not exist in Azure'),
      })
    }
    expect(asked()).toBe(2)
  })

  it('F17 has room for as many machines as Azure takes, named or not, and says so when it has none', async () => {
    const small = await startHarness({ subnetAddresses: 3, speed: 1_000 })
    await small.catalog.refresh(SIGNAL)
    const provider = () => small.cloudOf(small.config)
    const states = (of = provider()) =>
      Promise.all([nodeClass(), nodeClass({ vnetSubnetId: small.azure.subnetId })].map((each) => of.subnetState(each, SIGNAL)))
    const outcomes: unknown[] = []
    for (const name of ['a', 'b', 'c', 'd']) {
      const before = await states()
      const launched = await small.provider.launch(await launchRequest(small, name), SIGNAL)
      outcomes.push([launched.ok || launched.error.problem.code, ...before.map(({ problem, room }) => problem?.code ?? room?.machines)])
    }
    expect(outcomes).toEqual([
      [true, 3, 3],
      [true, 2, 2],
      [true, 1, 1],
      ['AZURE.SUBNET_FULL', 'AZURE.SUBNET_FULL', 'AZURE.SUBNET_FULL'],
    ])
    expect((await states())[0]?.problem?.message).toMatch(/aks-subnet has 0 free addresses and a machine needs 1; use a larger subnet/)
    await small.azure.close()
  })

  it('needs an address for each pod where pods are in the subnet of the nodes', async () => {
    const pods = { networkPlugin: 'azure', networkPluginMode: '' } as const
    const small = await startHarness({ subnetAddresses: 27 }, pods)
    const of = (maxPods: number) => small.provider.subnetState(nodeClass({ maxPods }), SIGNAL)
    expect((await of(10)).room?.machines).toBe(2)
    expect([(await of(27)).problem?.code, (await of(28)).problem?.code]).toEqual([undefined, 'AZURE.SUBNET_FULL'])
    await small.azure.close()
  })

  it('of the cluster may be unreadable, since the app may lack the right', async () => {
    harness.azure.script.http({ method: 'GET', path: 'subnets', status: 403, code: 'AuthorizationFailed', times: 1 })
    expect(await problemOf()).toBeUndefined()
  })

  it('has to be in the network of the cluster', async () => {
    const elsewhere = harness.azure.subnetId.replace('aks-vnet-10000001', 'other')
    expect(await problemOf(elsewhere)).toMatchObject({ code: 'NODECLASS.INVALID', message: expect.stringContaining('virtual network') })
    expect(asked()).toBe(0)
  })

  it('NS-07 is not beside that of AKS in the network that AKS made, since AKS keeps no security group on it', async () => {
    const beside = harness.azure.subnetId.replace('aks-subnet', 'mine')
    const says = { code: 'NODECLASS.INVALID', message: expect.stringContaining('the virtual network that AKS made') }
    expect(await problemOf(beside)).toMatchObject(says)
    expect(asked()).toBe(0)
    expect(await problemOf(harness.azure.subnetId.toUpperCase().replace('/SUBSCRIPTIONS', '/subscriptions'))).not.toMatchObject(says)
    expect(await problemOf(beside, inOwnNetwork())).not.toMatchObject(says)
  })

  it('is held against the class where the app was not given it, since no machine could join it', async () => {
    harness.azure.script.http({ method: 'GET', path: 'subnets/', status: 403, code: 'AuthorizationFailed' })
    const found = await problemOf(harness.azure.subnetId)
    expect(found).toMatchObject({ code: 'AZURE.FORBIDDEN', path: 'spec.vnetSubnetID' })
    expect(found?.message).toMatch(
      /lacks Microsoft.Network\/virtualNetworks\/subnets\/read .*add it there and deploy again, which gives the app the role Joiner subnet/,
    )
  })

  it('is not held against the class where Azure cannot say', async () => {
    harness.azure.script.http({ method: 'GET', path: 'subnets/', status: 400, code: 'Whatever' })
    expect(await problemOf(harness.azure.subnetId)).toBeUndefined()
  })
})
