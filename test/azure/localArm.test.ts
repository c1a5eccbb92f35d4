import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type LocalAzure, startAzure } from '../../local/azure/startAzure.ts'
import { eventually } from '../builders/eventually.ts'
import { armCall, groupPath, nicBody, nicPath, vmBody, vmPath } from './armCall.ts'

let azure: LocalAzure
let made = 0

beforeAll(async () => {
  azure = await startAzure({ speed: 200, pageSize: 10, quota: { families: { standardFSv2Family: 8 }, spotCores: 40 } })
})
afterAll(() => azure.close())
afterEach(() => azure.script.clear())

async function freshNic(): Promise<string> {
  made += 1
  const name = `vm${made}`
  await armCall(azure, 'PUT', nicPath(azure, name), { body: nicBody(azure) })
  return name
}

async function freshVm(over: Parameters<typeof vmBody>[2] = {}): Promise<string> {
  const name = await freshNic()
  const reply = await armCall(azure, 'PUT', vmPath(azure, name), { body: vmBody(azure, name, over) })
  expect(reply.status).toBe(201)
  return name
}

describe('every request', () => {
  const cases: Record<string, { call: () => ReturnType<typeof armCall>; want: [number, string] }> = {
    'needs a token': { call: () => armCall(azure, 'GET', vmPath(azure, 'x'), { token: undefined }), want: [401, 'AuthenticationFailed'] },
    'needs a token this tenant signed': {
      call: () => armCall(azure, 'GET', vmPath(azure, 'x'), { token: 'a.b.c' }),
      want: [401, 'AuthenticationFailed'],
    },
    'needs an api-version': {
      call: () => armCall(azure, 'GET', vmPath(azure, 'x'), { version: '' }),
      want: [400, 'MissingApiVersionParameter'],
    },
    'needs an api-version that exists': {
      call: () => armCall(azure, 'GET', vmPath(azure, 'x'), { version: '1999-01-01' }),
      want: [400, 'NoRegisteredProviderFound'],
    },
    'needs a subscription that exists': {
      call: () => armCall(azure, 'GET', '/subscriptions/other/providers/Microsoft.Compute/skus'),
      want: [404, 'SubscriptionNotFound'],
    },
    'needs a resource group that exists': {
      call: () => armCall(azure, 'GET', vmPath(azure, 'x').replace(/resourceGroups\/[^/]+/, 'resourceGroups/none')),
      want: [404, 'ResourceGroupNotFound'],
    },
    'is refused where the emulator has nothing': {
      call: () => armCall(azure, 'GET', `${groupPath(azure)}/Microsoft.Compute/availabilitySets/x`),
      want: [501, 'NotImplemented'],
    },
    'needs a JSON body to make something': { call: () => armCall(azure, 'PUT', vmPath(azure, 'x')), want: [400, 'InvalidRequestContent'] },
    'finds no machine that is not there': { call: () => armCall(azure, 'GET', vmPath(azure, 'x')), want: [404, 'ResourceNotFound'] },
  }
  it.each(Object.entries(cases))('%s', async (_sentence, { call, want }) => {
    const reply = await call()
    expect([reply.status, reply.code]).toEqual(want)
  })

  it('names what is missing when it is not served', async () => {
    const reply = await armCall(azure, 'POST', `${vmPath(azure, 'x')}/redeploy`)
    expect(JSON.stringify(reply.body)).toContain('does not serve POST')
  })

  it('fails as the script says, so often, with the wait it names', async () => {
    azure.script.http({ method: 'GET', path: 'virtualMachines', status: 429, code: 'TooManyRequests', retryAfterSeconds: 7, times: 1 })
    const [first, second] = [await armCall(azure, 'GET', vmPath(azure, 'x')), await armCall(azure, 'GET', vmPath(azure, 'x'))]
    expect([first.status, first.headers['retry-after'], second.status]).toEqual([429, '7', 404])
  })

  it('finds resources whatever the case of the path', async () => {
    const name = await freshVm()
    expect((await armCall(azure, 'GET', vmPath(azure, name).toLowerCase())).status).toBe(200)
  })
})

describe('a machine that is wrong', () => {
  const cases: Record<string, { over: Parameters<typeof vmBody>[2]; want: [number, string] }> = {
    'names an interface that is not there': { over: { nic: 'none' }, want: [400, 'InvalidResourceReference'] },
    'is of a size nobody has': { over: { size: 'Standard_Z9' }, want: [400, 'InvalidParameter'] },
    'is in a zone its size is not in': {
      over: { size: 'Standard_D2ds_v6', top: { zones: ['3'] } },
      want: [400, 'InvalidAvailabilityZone'],
    },
    'is in two zones': { over: { top: { zones: ['1', '2'] } }, want: [400, 'InvalidParameter'] },
    'is in another region': { over: { top: { location: 'westus' } }, want: [400, 'LocationNotAvailableForResourceType'] },
    'has no operating system': { over: { properties: { osProfile: undefined } }, want: [400, 'InvalidParameter'] },
    'has an eviction policy but is not spot': { over: { properties: { evictionPolicy: 'Delete' } }, want: [400, 'InvalidParameter'] },
    'has custom data that is not base64': {
      over: { properties: { osProfile: { computerName: 'x', adminUsername: 'a', customData: '#!' } } },
      want: [400, 'InvalidParameter'],
    },
    'would exceed the quota of its family': { over: { size: 'Standard_F16s_v2' }, want: [409, 'OperationNotAllowed'] },
    'would exceed the quota of spot': {
      over: { size: 'Standard_D48as_v6', properties: { priority: 'Spot' } },
      want: [409, 'OperationNotAllowed'],
    },
  }
  it.each(Object.entries(cases))('%s', async (_sentence, { over, want }) => {
    const name = await freshNic()
    const reply = await armCall(azure, 'PUT', vmPath(azure, name), { body: vmBody(azure, name, over) })
    expect([reply.status, reply.code]).toEqual(want)
  })

  it('may take the last core of a quota, and the next one is refused', async () => {
    const over = { size: 'Standard_F4s_v2' }
    for (let core = 0; core < 8; core += 4) await freshVm(over)
    const name = await freshNic()
    const reply = await armCall(azure, 'PUT', vmPath(azure, name), { body: vmBody(azure, name, over) })
    expect([reply.status, reply.code]).toEqual([409, 'OperationNotAllowed'])
  })

  it('wants an interface that belongs to another', async () => {
    const owner = await freshVm()
    const reply = await armCall(azure, 'PUT', vmPath(azure, 'thief'), { body: vmBody(azure, 'thief', { nic: owner }) })
    expect([reply.status, reply.code]).toEqual([400, 'NicInUse'])
  })
})

describe('a machine', () => {
  it('is made by an operation one can follow, and runs', async () => {
    const name = await freshNic()
    const put = await armCall(azure, 'PUT', vmPath(azure, name), { body: vmBody(azure, name) })
    const operation = String(put.headers['azure-asyncoperation'])
    expect(put.body).toMatchObject({ properties: { provisioningState: 'Creating' } })
    expect((await armCall(azure, 'GET', operation)).body).toMatchObject({ status: 'InProgress' })
    await eventually(async () => expect((await armCall(azure, 'GET', operation)).body).toMatchObject({ status: 'Succeeded' }))
    await eventually(async () => {
      const view = await armCall(azure, 'GET', `${vmPath(azure, name)}?$expand=instanceView`)
      expect(JSON.stringify(view.body)).toContain('PowerState/running')
    })
  })

  it('never shows its custom data', async () => {
    const name = await freshVm()
    expect(JSON.stringify((await armCall(azure, 'GET', vmPath(azure, name))).body)).not.toContain('aGVsbG8=')
  })

  it('may be put again unchanged, and refuses to change what is fixed', async () => {
    const name = await freshVm()
    const same = await armCall(azure, 'PUT', vmPath(azure, name), { body: vmBody(azure, name) })
    const bigger = await armCall(azure, 'PUT', vmPath(azure, name), { body: vmBody(azure, name, { size: 'Standard_D4as_v6' }) })
    const only = await armCall(azure, 'PUT', vmPath(azure, name), { body: vmBody(azure, name), headers: { 'if-none-match': '*' } })
    expect([same.status, bigger.status, bigger.code, only.status]).toEqual([200, 409, 'PropertyChangeNotAllowed', 412])
  })

  it('fails later when its size runs out after it was accepted, and says why', async () => {
    azure.script.capacity({ size: 'Standard_D2as_v6', code: 'AllocationFailed', when: 'fail', times: 1 })
    const name = await freshVm()
    await eventually(async () => {
      const view = await armCall(azure, 'GET', `${vmPath(azure, name)}/instanceView`)
      expect(JSON.stringify(view.body)).toContain('ProvisioningState/failed/AllocationFailed')
    })
    expect((await armCall(azure, 'DELETE', nicPath(azure, name))).code).toBe('NicInUse')
  })

  it('takes disk and interface along when it goes', async () => {
    const name = await freshVm()
    expect((await armCall(azure, 'DELETE', `${vmPath(azure, name)}?forceDeletion=true`)).status).toBe(202)
    await eventually(async () => expect((await armCall(azure, 'GET', vmPath(azure, name))).status).toBe(404))
    expect([(await armCall(azure, 'GET', nicPath(azure, name))).status, azure.state().disks.some((disk) => disk.vmName === name)]).toEqual([
      404,
      false,
    ])
    expect((await armCall(azure, 'DELETE', vmPath(azure, name))).status).toBe(204)
  })

  it('takes new tags and keeps everything else', async () => {
    const name = await freshVm()
    await eventually(() => expect(azure.state().vms.find((vm) => vm.name === name)?.state).toBe('Succeeded'))
    const patched = await armCall(azure, 'PATCH', vmPath(azure, name), { body: { tags: { c: 'd' } } })
    const refused = await armCall(azure, 'PATCH', vmPath(azure, name), { body: { properties: {} } })
    expect([patched.status, (patched.body as { tags: object }).tags, refused.status]).toEqual([200, { c: 'd' }, 501])
  })
})

describe('lists', () => {
  it('come in pages whose links lead to all of them', async () => {
    const names: string[] = []
    let next: string | undefined = `/subscriptions/${azure.subscriptionId}/providers/Microsoft.Compute/skus?$filter=location eq 'eastus'`
    while (next !== undefined) {
      const reply: { value: { name: string }[]; nextLink?: string } = (await armCall(azure, 'GET', next)).body as never
      expect(reply.value.length).toBeLessThanOrEqual(10)
      names.push(...reply.value.map((sku) => sku.name))
      next = reply.nextLink
    }
    expect([names.length > 60, new Set(names).size]).toEqual([true, names.length])
  })

  it('count CPUs in use by family, region and spot', async () => {
    const path = `/subscriptions/${azure.subscriptionId}/providers/Microsoft.Compute/locations/eastus/usages`
    const usage = async (name: string) => {
      const entries: { name: { value: string }; currentValue: number }[] = []
      let next: string | undefined = path
      while (next !== undefined) {
        const reply: { value: typeof entries; nextLink?: string } = (await armCall(azure, 'GET', next)).body as never
        entries.push(...reply.value)
        next = reply.nextLink
      }
      return entries.find((entry) => entry.name.value === name)?.currentValue
    }
    const before = [await usage('standardESv5Family'), await usage('lowPriorityCores')]
    await freshVm({ size: 'Standard_E4s_v5' })
    await freshVm({ size: 'Standard_E8s_v5', properties: { priority: 'Spot' } })
    expect([await usage('standardESv5Family'), await usage('lowPriorityCores')]).toEqual([(before[0] ?? 0) + 4, (before[1] ?? 0) + 8])
  })
})

describe('an interface', () => {
  it('needs a place in the subnet', async () => {
    const small = await startAzure({ subnetAddresses: 1 })
    await armCall(small, 'PUT', nicPath(small, 'one'), { body: nicBody(small) })
    const second = await armCall(small, 'PUT', nicPath(small, 'two'), { body: nicBody(small) })
    await small.close()
    expect([second.status, second.code]).toEqual([400, 'SubnetIsFull'])
  })

  it('needs a subnet that exists', async () => {
    const body = JSON.parse(JSON.stringify(nicBody(azure)).replace('aks-subnet', 'none')) as object
    expect((await armCall(azure, 'PUT', nicPath(azure, 'lost'), { body })).code).toBe('InvalidResourceReference')
  })

  it('that was freed by a failed machine stays reserved for it', async () => {
    azure.script.capacity({ code: 'AllocationFailed', when: 'fail', times: 1 })
    const name = await freshNic()
    const detached = { networkProfile: { networkInterfaces: [{ id: nicPath(azure, name), properties: { deleteOption: 'Detach' } }] } }
    await armCall(azure, 'PUT', vmPath(azure, name), { body: vmBody(azure, name, { properties: detached }) })
    await eventually(async () => expect(JSON.stringify((await armCall(azure, 'GET', vmPath(azure, name))).body)).toContain('"Failed"'))
    await armCall(azure, 'DELETE', vmPath(azure, name))
    await eventually(async () => expect((await armCall(azure, 'DELETE', nicPath(azure, name))).code).toBe('NicReservedForAnotherVm'))
  })
})
