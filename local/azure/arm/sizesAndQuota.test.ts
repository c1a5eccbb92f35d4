import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type ArmInMemory, armInMemory } from '../testing/armInMemory.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'], now: Date.parse('2026-01-01T00:00:00Z') }))
afterEach(() => void vi.useRealTimers())

const VM = 'Microsoft.Compute/virtualMachines'
/** Properties of a spot machine. */
const SPOT = { priority: 'Spot', evictionPolicy: 'Delete' }
const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms)
const inSubscription = ({ arm }: ArmInMemory, resource: string) => `/subscriptions/${arm.settings.subscriptionId}/providers/${resource}`
const valueOf = (body: unknown) => (body as { readonly value: readonly Record<string, unknown>[] }).value
const stateOf = async (cloud: ArmInMemory, name: string) => {
  const { status, body } = await cloud.call('GET', cloud.path(`${VM}/${name}`))
  return status === 200 ? (body as { properties: { provisioningState: string } }).properties.provisioningState : status
}

describe('the sizes of a region', () => {
  it('are told as records, a kind of disk among them as Azure has it', async () => {
    const cloud = armInMemory()
    const { body } = await cloud.call('GET', inSubscription(cloud, "Microsoft.Compute/skus?$filter=location eq 'EastUS'"))
    const [disk, first] = valueOf(body)
    expect(disk).toEqual({ resourceType: 'disks', name: 'Premium_LRS', tier: 'Premium', size: 'P10', locations: ['eastus'] })
    expect(first).toEqual({
      resourceType: 'virtualMachines',
      name: 'Standard_D4s_v5',
      tier: 'Standard',
      size: 'D4s_v5',
      family: 'standardDSv5Family',
      locations: ['eastus'],
      locationInfo: [{ location: 'eastus', zones: ['1', '2'], zoneDetails: [] }],
      capabilities: [
        { name: 'vCPUs', value: '4' },
        { name: 'LowPriorityCapable', value: 'True' },
      ],
      restrictions: [],
    })
  })

  it('are those of this region where none is named, none of another, and no other filter is served', async () => {
    const cloud = armInMemory()
    const asked = async (filter: string) => cloud.call('GET', inSubscription(cloud, `Microsoft.Compute/skus${filter}`))
    expect(valueOf((await asked('')).body)).toHaveLength(4)
    expect(valueOf((await asked("?$filter=location eq 'westus'")).body)).toEqual([])
    expect(await asked("?$filter=name eq 'x'")).toMatchObject({
      status: 400,
      code: 'InvalidFilter',
      message: "The filter 'name eq 'x'' is not served; location eq '...' is.",
    })
  })

  it('come in pages, whose links keep the question', async () => {
    const cloud = armInMemory({ pageSize: 3 })
    const first = await cloud.call('GET', inSubscription(cloud, "Microsoft.Compute/skus?$filter=location eq 'eastus'"))
    const { nextLink } = first.body as { readonly nextLink: string }
    expect(new URL(nextLink).searchParams.get('$filter')).toBe("location eq 'eastus'")
    expect(new URL(nextLink).searchParams.get('$skiptoken')).toBe('3')
    const second = await cloud.call('GET', nextLink)
    expect(valueOf(second.body).map(({ name }) => name)).toEqual(['Standard_M8ms'])
    expect(second.body).not.toHaveProperty('nextLink')
  })
})

describe('quota', () => {
  const quota = { regionalCores: 16, spotCores: 8, familyCores: 12, families: { standardMSFamily: 8 } }
  const refusal = (title: string, limit: number, usage: number, required: number) =>
    `Operation could not be completed as it results in exceeding approved ${title}. Additional details - Deployment Model: Resource Manager, ` +
    `Location: eastus, Current Limit: ${limit}, Current Usage: ${usage}, Additional Required: ${required}, ` +
    `(Minimum) New Limit Required: ${usage + required}.`
  const usages = async (cloud: ArmInMemory) => {
    const { body } = await cloud.call('GET', inSubscription(cloud, 'Microsoft.Compute/locations/eastus/usages'))
    return valueOf(body).map(({ name, currentValue, limit }) => [(name as { value: string }).value, currentValue, limit])
  }

  it('of a family is refused with its name, limit, use and need, and the last core of it is not', async () => {
    const cloud = armInMemory({ quota })
    expect((await cloud.putVm('a', { size: 'Standard_D8s_v5' })).status).toBe(201)
    expect(await cloud.putVm('b', { size: 'Standard_D8s_v5' })).toMatchObject({
      status: 409,
      code: 'OperationNotAllowed',
      message: refusal('standardDSv5Family Cores quota', 12, 8, 8),
    })
    expect((await cloud.putVm('c')).status).toBe(201)
    expect(await cloud.putVm('d')).toMatchObject({ message: refusal('standardDSv5Family Cores quota', 12, 12, 4) })
  })

  it('of the region counts all families, and spot has its own', async () => {
    const cloud = armInMemory({ quota })
    await cloud.putVm('a', { size: 'Standard_D8s_v5' })
    await cloud.putVm('b')
    expect(await cloud.putVm('c', { size: 'Standard_M8ms' })).toMatchObject({ message: refusal('Total Regional Cores quota', 16, 12, 8) })
    expect((await cloud.putVm('d', { size: 'Standard_D8s_v5', properties: SPOT })).status).toBe(201)
    expect(await cloud.putVm('e', { properties: SPOT })).toMatchObject({
      message: refusal('LowPriorityCores quota', 8, 8, 4),
    })
    expect(await usages(cloud)).toEqual([
      ['virtualMachines', 3, 25_000],
      ['cores', 12, 16],
      ['lowPriorityCores', 8, 8],
      ['standardDSv5Family', 12, 12],
      ['standardMSFamily', 0, 8],
    ])
  })

  it('of spot is none for a size that is never sold as spot', async () => {
    const cloud = armInMemory({ quota })
    expect(await cloud.putVm('a', { size: 'Standard_M8ms', properties: SPOT })).toMatchObject({
      message: refusal('LowPriorityCores quota', 0, 0, 8),
    })
  })

  it('is given back by a machine that failed, and by one that is gone', async () => {
    const cloud = armInMemory({ quota })
    cloud.arm.faults.capacity({ code: 'AllocationFailed', when: 'fail', times: 1 })
    await cloud.putVm('a', { size: 'Standard_D8s_v5' })
    await pass(20_000)
    expect(await stateOf(cloud, 'a')).toBe('Failed')
    expect((await cloud.putVm('b', { size: 'Standard_D8s_v5' })).status).toBe(201)
    await cloud.call('DELETE', cloud.path(`${VM}/b`))
    expect((await cloud.putVm('c', { size: 'Standard_D8s_v5' })).status).toBe(409)
    await pass(8_000)
    expect((await cloud.putVm('c', { size: 'Standard_D8s_v5' })).status).toBe(201)
  })
})

describe('a machine that Azure has no room for', () => {
  it.each([
    [
      'SkuNotAvailable',
      "The requested VM size Standard_D4s_v5 is currently not available in location 'eastus' zone '1' because of capacity restrictions.",
    ],
    ['AllocationFailed', 'Allocation failed. There is not enough capacity for the requested VM size Standard_D4s_v5 in this region.'],
    ['ZonalAllocationFailed', "Allocation failed. There is not enough capacity for the requested VM size Standard_D4s_v5 in zone '1'."],
    ['OverconstrainedAllocationRequest', 'Allocation failed. The VM size Standard_D4s_v5 with these constraints cannot be allocated.'],
    [
      'OverconstrainedZonalAllocationRequest',
      "Allocation failed. The VM size Standard_D4s_v5 with these constraints cannot be allocated in zone '1'.",
    ],
  ] as const)('is refused with %s, in its words', async (code, message) => {
    const cloud = armInMemory()
    cloud.arm.faults.capacity({ code, times: 1 })
    expect(await cloud.putVm('web', { top: { zones: ['1'] } })).toMatchObject({ status: 409, code, message })
    expect((await cloud.putVm('web', { top: { zones: ['1'] } })).status).toBe(201)
  })

  it.each([
    ['FamilyQuota', 'standardDSv5Family Cores quota', 4],
    ['RegionalQuota', 'Total Regional Cores quota', 4],
    ['LowPriorityQuota', 'LowPriorityCores quota', 0],
  ] as const)('is refused for %s in the words of a quota', async (code, title, limit) => {
    const cloud = armInMemory()
    cloud.arm.faults.capacity({ code, times: 1 })
    const refused = await cloud.putVm('web')
    expect(refused).toMatchObject({ status: 409, code: 'OperationNotAllowed' })
    expect(refused.message).toMatch(
      new RegExp(`exceeding approved ${title}\\. .*Current Limit: ${limit}, Current Usage: ${limit}, Additional Required: 4`),
    )
  })
})
