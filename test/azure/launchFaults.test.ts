import { inspect } from 'node:util'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createCloudProvider } from '../../shared/adapters/azure/cloudProvider.ts'
import { createRetryAfterLimiter } from '../../shared/adapters/azure/retryAfterLimiter.ts'
import { clusterId, nodeClaimName, zoneName } from '../../shared/model/ids.ts'
import { Fault, problem } from '../../shared/model/problem.ts'
import { durationMs } from '../../shared/model/units.ts'
import { eventually } from '../builders/eventually.ts'
import { REAL_CLOCK, SIGNAL, SILENT, startHarness } from './harness.ts'
import { type LaunchOf, launchRequest } from './launchRequest.ts'

type Harness = Awaited<ReturnType<typeof startHarness>>
let harness: Harness

beforeEach(async () => {
  harness = await startHarness()
  await harness.catalog.refresh(SIGNAL)
})
afterEach(() => harness.azure.close())

const request = (...of: LaunchOf) => launchRequest(harness, ...of)

describe('launch under faults', () => {
  it('follows no operation where nothing fails: it looks at the interface until that is ready', async () => {
    const before = harness.azure.requests.all().length
    expect((await harness.provider.launch(await request('one'), SIGNAL)).ok).toBe(true)
    const calls = harness.azure.requests.all().slice(before)
    const made = calls.map(({ method, type }) => `${method} ${type}`).filter((call) => /networkInterfaces|operations|PUT/.test(call))
    expect(made.filter((call, at) => call !== made[at - 1])).toEqual([
      'PUT networkInterfaces',
      'GET networkInterfaces',
      'PUT virtualMachines',
    ])
  })

  it('finds its machine again when the answer to the PUT was lost', async () => {
    harness.azure.script.http({ method: 'PUT', path: 'virtualMachines/joiner-one', drop: 'after', times: 1 })
    const launched = await harness.provider.launch(await request('one'), SIGNAL)
    expect([launched.ok, harness.azure.state().vms.length]).toEqual([true, 1])
  })

  it('takes up the interface an earlier, interrupted launch left', async () => {
    harness.azure.script.http({ method: 'PUT', path: 'virtualMachines/joiner-one', drop: 'before' })
    await expect(harness.provider.launch(await request('one'), SIGNAL)).rejects.toMatchObject({
      name: 'Fault',
      problem: { code: 'AZURE.FAILED' },
    })
    expect(harness.azure.state().nics).toHaveLength(1)
    harness.azure.script.clear()
    expect((await harness.provider.launch(await request('one'), SIGNAL)).ok).toBe(true)
    expect([harness.azure.state().vms.length, harness.azure.state().nics.length]).toEqual([1, 1])
  })

  it('does not blame the offering when Azure is down, and keeps tokens out of the fault', async () => {
    harness.azure.script.http({ method: 'PUT', path: 'virtualMachines', status: 503, code: 'ServiceUnavailable' })
    const failed = harness.provider.launch(await request('one'), SIGNAL)
    await expect(failed).rejects.toMatchObject({ name: 'Fault' })
    const fault: unknown = await failed.catch((error: unknown) => error)
    expect(inspect(fault, { depth: 9 })).not.toMatch(/Bearer|0123456789abcdef/)
  })

  it('waits as long as a throttled call is told to, then asks for a retry', async () => {
    harness.azure.script.http({ method: 'PUT', path: 'virtualMachines', status: 429, code: 'TooManyRequests', retryAfterSeconds: 1 })
    const launched = await harness.provider.launch(await request('one'), SIGNAL)
    expect(launched).toMatchObject({
      ok: false,
      error: { then: 'retry', unavailable: [], problem: { code: 'AZURE.THROTTLED', retryAfterMs: 1_000 } },
    })
    const [first = 0, second = 0, ...more] = harness.azure.requests
      .all()
      .filter(({ method, type }) => method === 'PUT' && type === 'virtualMachines')
      .map(({ at }) => at)
    // A timer may fire slightly early.
    expect(second - first).toBeGreaterThan(990)
    expect(more).toEqual([])
  })

  it('of one claim ends after as many refusals as Azure takes requests for one machine, and that of the next claim begins at once', async () => {
    harness.azure.script.capacity({ code: 'SkuNotAvailable' })
    const refusedTwelveTimes = Array.from({ length: 12 }, () => ({ ok: false, error: { then: 'next' } }))
    const tried = []
    for (let n = 0; n < 13; n++) tried.push(await harness.provider.launch(await request('one'), SIGNAL))
    const usedUp = { ok: false, error: { then: 'end', unavailable: [], problem: { code: 'AZURE.THROTTLED', isLocal: true } } }
    expect(tried).toMatchObject([...refusedTwelveTimes, usedUp])
    harness.azure.script.clear()
    expect(await harness.provider.launch(await request('two'), SIGNAL)).toMatchObject({ ok: true })
  })

  it('ends with its lock, and then makes no machine any more', async () => {
    harness.azure.script.http({ method: 'PUT', path: 'networkInterfaces', delayMs: 2_000, times: 1 })
    const late = { ...(await request('one')), within: durationMs(500) }
    await expect(harness.provider.launch(late, SIGNAL)).rejects.toMatchObject({ name: 'TimeoutError' })
    await eventually(() => expect(harness.azure.requests.count({ method: 'PUT', type: 'networkInterfaces' })).toBe(1))
    expect(harness.azure.requests.count({ method: 'PUT', type: 'virtualMachines' })).toBe(0)
  })

  it('does not sleep away a long wait, and does not ask again before it is over', async () => {
    harness.azure.script.http({
      method: 'PUT',
      path: 'virtualMachines',
      status: 429,
      code: 'TooManyRequests',
      retryAfterSeconds: 600,
      times: 1,
    })
    const throttled = { then: 'retry', unavailable: [], problem: { code: 'AZURE.THROTTLED' } }
    const first = await harness.provider.launch(await request('one'), SIGNAL)
    const second = await harness.provider.launch(await request('two'), SIGNAL)
    expect([first, second]).toMatchObject([
      { ok: false, error: throttled },
      { ok: false, error: throttled },
    ])
    const waits = [first, second].map((launched) => (launched.ok ? 0 : (launched.error.problem.retryAfterMs ?? 0)))
    for (const wait of waits) expect(wait).toBeGreaterThan(500_000)
    expect(harness.azure.requests.count({ method: 'PUT', type: 'virtualMachines' })).toBe(1)
  })

  it('makes nothing after the cluster has got a member that is not supported', async () => {
    const planned = await request('one')
    const changed = harness.cloudOf({ ...harness.config, unsupported: ['httpProxyConfig is not supported: no proxy'] })
    expect(await changed.launch(planned, SIGNAL)).toMatchObject({
      ok: false,
      error: {
        then: 'stop',
        unavailable: [],
        problem: { code: 'CLUSTER.UNSUPPORTED', message: expect.stringContaining('httpProxyConfig') },
      },
    })
    expect(harness.azure.requests.count({ method: 'PUT' })).toBe(0)
    expect(await changed.get(planned.claim.name, SIGNAL)).toBeUndefined()
  })

  it('does not ask for another cluster of the process either', async () => {
    const retryAfterLimiter = createRetryAfterLimiter(REAL_CLOCK)
    const cloudOf = (id: string) =>
      createCloudProvider({
        config: { ...harness.config, id: clusterId(id) },
        credential: harness.credential,
        arm: { ...harness.arm, retryAfterLimiter },
        sizes: harness.catalog,
        clock: REAL_CLOCK,
        telemetry: SILENT,
      })
    const told = { method: 'PUT', path: 'virtualMachines', status: 429, code: 'TooManyRequests', retryAfterSeconds: 600, times: 1 } as const
    harness.azure.script.http(told)
    for (const id of ['first', 'second']) {
      const launched = await cloudOf(id).launch(await request(id), SIGNAL)
      expect(launched).toMatchObject({ ok: false, error: { then: 'retry', problem: { code: 'AZURE.THROTTLED' } } })
    }
    expect(harness.azure.requests.count({ method: 'PUT', type: 'virtualMachines' })).toBe(1)
  })

  it('never changes the machine of a launch that came in between, whatever it asks for', async () => {
    const [first, second] = await Promise.all([
      harness.provider.launch(await request('one'), SIGNAL),
      harness.provider.launch(await request('one'), SIGNAL),
    ])
    expect([first.ok, second.ok, harness.azure.state().vms.length]).toEqual([true, true, 1])
    const puts = harness.azure.requests
      .all()
      .filter(({ method, type }) => method === 'PUT' && type === 'virtualMachines')
      .map(({ status }) => status)
    expect(puts.filter((status) => status === 200)).toEqual([])
    expect(puts.filter((status) => status === 201)).toHaveLength(1)
  })

  it('leaves the machine of a launch that came in between and answers with it', async () => {
    const [first, second] = await Promise.all([
      harness.provider.launch(await request('one', 'Standard_D2as_v6'), SIGNAL),
      harness.provider.launch(await request('one', 'Standard_D4as_v6'), SIGNAL),
    ])
    const { vms, nics } = harness.azure.state()
    expect([first.ok && second.ok, first.ok && second.ok && first.value.size === second.value.size, vms.length, nics.length]).toEqual([
      true,
      true,
      1,
      1,
    ])
  })

  it('passes a failure of its neighbours on as it is', async () => {
    const broken = {
      ...(await request('one')),
      bootstrapToken: () => Promise.reject(new Fault('put token', problem('KUBE.CONFLICT', 'no'))),
    }
    await expect(harness.provider.launch(broken, SIGNAL)).rejects.toMatchObject({ operation: 'put token' })
  })

  it('asks for no token when the machine exists', async () => {
    await harness.provider.launch(await request('one'), SIGNAL)
    const bootstrapToken = vi.fn(async () => 'x.y')
    await harness.provider.launch({ ...(await request('one')), bootstrapToken }, SIGNAL)
    expect(bootstrapToken).not.toHaveBeenCalled()
  })

  it('says so when the subnet is full', async () => {
    const small = await startHarness({ subnetAddresses: 1 })
    await small.catalog.refresh(SIGNAL)
    await small.provider.launch(await request('one'), SIGNAL)
    const second = await small.provider.launch(await request('two'), SIGNAL)
    await small.azure.close()
    expect(second).toMatchObject({ ok: false, error: { then: 'stop', problem: { code: 'AZURE.SUBNET_FULL' } } })
  })

  const CODES = [
    'SkuNotAvailable',
    'ZonalAllocationFailed',
    'AllocationFailed',
    'OverconstrainedZonalAllocationRequest',
    'OverconstrainedAllocationRequest',
    'AzureSpotFeatureNotEnabledForSubscription',
    'AzureSpotIsNotSupportedForThisVMSize',
    'FamilyQuota',
    'LowPriorityQuota',
    'RegionalQuota',
    'RequestDisallowedByPolicy',
    'OSProvisioningTimedOut',
    'ScopeLocked',
    'ReadOnlyDisabledSubscription',
    'MissingSubscriptionRegistration',
  ] as const
  it.each([
    ['AzureSpotFeatureNotEnabledForSubscription', { kind: 'capacityType', capacityType: 'spot' }],
    ['AzureSpotIsNotSupportedForThisVMSize', { kind: 'offering', size: 'Standard_D4as_v6', capacityType: 'spot' }],
  ] as const)('%s leaves the size on demand', async (code, scope) => {
    harness.azure.script.capacity({ code, capacityType: 'spot' })
    const refused = await harness.provider.launch(await request('one', 'Standard_D4as_v6', { capacityType: 'spot' }), SIGNAL)
    expect(refused).toMatchObject({ ok: false, error: { then: 'next', unavailable: [{ scope }] } })
    expect(await harness.provider.launch(await request('one', 'Standard_D4as_v6'), SIGNAL)).toMatchObject({ ok: true })
  })

  it.each([
    ['ScopeLocked', 'AZURE.LOCKED'],
    ['ReadOnlyDisabledSubscription', 'AZURE.SUBSCRIPTION'],
    ['MissingSubscriptionRegistration', 'AZURE.SUBSCRIPTION'],
  ] as const)('%s is no fault of the size: nothing is blocked, and the claim waits', async (code, problemCode) => {
    harness.azure.script.capacity({ code })
    const refused = await harness.provider.launch(await request('one'), SIGNAL)
    expect(refused).toMatchObject({
      ok: false,
      error: { then: 'stop', unavailable: [], problem: { code: problemCode, retryAfterMs: 300_000 } },
    })
    expect(harness.azure.state().nics).toEqual([])
  })

  it.each([
    ['RequestDisallowedByPolicy', 403],
    ['SomethingNew', 400],
  ])('%s for the interface is no fault of the size, since an interface has none', async (code, status) => {
    harness.azure.script.http({ method: 'PUT', path: 'networkInterfaces', status, code })
    const refused = await harness.provider.launch(await request('one'), SIGNAL)
    expect(refused).toMatchObject({ ok: false, error: { then: 'retry', unavailable: [], problem: { retryAfterMs: 15_000 } } })
    expect(refused.ok ? undefined : refused.error.own).toBeUndefined()
  })

  const interfacePuts = () => harness.azure.requests.count({ method: 'PUT', type: 'networkInterfaces' })
  const interfaceDeletes = () => harness.azure.requests.count({ method: 'DELETE', type: 'networkInterfaces' })

  it('takes the interface of the refused try for the next size, in another zone', async () => {
    harness.azure.script.capacity({ code: 'ZonalAllocationFailed', size: 'Standard_D2as_v6' })
    const refused = await harness.provider.launch(
      await request('one', 'Standard_D2as_v6', { capacityType: 'on-demand', zone: zoneName('eastus-1') }),
      SIGNAL,
    )
    expect(refused).toMatchObject({ ok: false, error: { then: 'next' } })
    const launched = await harness.provider.launch(
      await request('one', 'Standard_D4as_v6', { capacityType: 'on-demand', zone: zoneName('eastus-2') }),
      SIGNAL,
    )
    expect([launched.ok, interfacePuts(), interfaceDeletes(), harness.azure.state().nics.length]).toEqual([true, 1, 0, 1])
  })

  it('deletes no interface that was not made, whoever throttles it', async () => {
    harness.azure.script.http({ method: 'PUT', path: 'networkInterfaces', status: 429, code: 'TooManyRequests', retryAfterSeconds: 600 })
    const throttled = { ok: false, error: { then: 'retry', problem: { code: 'AZURE.THROTTLED' } } }
    expect(await harness.provider.launch(await request('one'), SIGNAL)).toMatchObject(throttled)
    // The second is not sent at all.
    expect(await harness.provider.launch(await request('two'), SIGNAL)).toMatchObject(throttled)
    expect([interfacePuts(), interfaceDeletes()]).toEqual([1, 0])
  })

  it.each(['SubnetIsFull', 'RequestDisallowedByPolicy', 'ScopeLocked'])('deletes no interface that was refused with %s', async (code) => {
    harness.azure.script.http({ method: 'PUT', path: 'networkInterfaces', status: 400, code })
    expect(await harness.provider.launch(await request('one'), SIGNAL)).toMatchObject({ ok: false })
    expect([interfacePuts(), interfaceDeletes()]).toEqual([1, 0])
  })

  it('takes the interface of a throttled try for the next one', async () => {
    harness.azure.script.http({ method: 'PUT', path: 'virtualMachines', status: 429, code: 'TooManyRequests', times: 4 })
    const throttled = { ok: false, error: { then: 'retry', problem: { code: 'AZURE.THROTTLED' } } }
    expect(await harness.provider.launch(await request('one'), SIGNAL)).toMatchObject(throttled)
    harness.azure.script.clear()
    const launched = await harness.provider.launch(await request('one'), SIGNAL)
    expect([launched.ok, interfacePuts(), interfaceDeletes(), harness.azure.state().nics.length]).toEqual([true, 1, 0, 1])
  })

  it('updates the interface of the refused try for other tags, and makes it anew if it is gone', async () => {
    harness.azure.script.capacity({ code: 'ZonalAllocationFailed', size: 'Standard_D2as_v6', times: 2 })
    const first = await request('one', 'Standard_D2as_v6')
    await harness.provider.launch(first, SIGNAL)
    const { nodeClass } = first
    const other = { ...first, nodeClass: { ...nodeClass, spec: { ...nodeClass.spec, tags: { team: 'blue' } } } }
    await harness.provider.launch(other, SIGNAL)
    expect(interfacePuts()).toBe(2)
    await harness.provider.deleteInterface(harness.azure.state().nics[0]?.name ?? '', SIGNAL)
    await eventually(() => expect(harness.azure.state().nics).toEqual([]))
    expect(await harness.provider.launch(other, SIGNAL)).toMatchObject({ ok: false, error: { then: 'retry', unavailable: [] } })
    expect(await harness.provider.launch(other, SIGNAL)).toMatchObject({ ok: true })
    expect(interfacePuts()).toBe(3)
  })

  const nodeGroup = () => `/subscriptions/${harness.config.subscriptionId}/resourceGroups/${harness.config.nodeResourceGroup}`
  const stale = (id: string) => id.replace(/kubernetes$/, 'former')
  const fresh = () => `${nodeGroup()}/providers/Microsoft.Network/loadBalancers/kubernetes/backendAddressPools/kubernetes`

  it('asks for an interface that was refused for a stale backend pool once more, with the pools that exist', async () => {
    const provider = harness.cloudOf({ ...harness.config, backendPoolIds: [stale(fresh())] })
    expect(await provider.launch(await request('one'), SIGNAL)).toMatchObject({ ok: true })
    expect(interfacePuts()).toBe(2)
    expect(JSON.stringify(harness.azure.state().nics.map(({ body }) => body))).toContain(fresh())
    // The next launch knows the pools.
    expect(await provider.launch(await request('two'), SIGNAL)).toMatchObject({ ok: true })
    expect(interfacePuts()).toBe(3)
  })

  it('does not ask once more if the pools are the same', async () => {
    harness.azure.script.http({ method: 'PUT', path: 'networkInterfaces', status: 400, code: 'InvalidResourceReference', message: fresh() })
    const provider = harness.cloudOf({ ...harness.config, backendPoolIds: [fresh().toUpperCase()] })
    expect(await provider.launch(await request('one'), SIGNAL)).toMatchObject({ ok: false, error: { then: 'retry' } })
    expect(interfacePuts()).toBe(1)
  })

  it.each(CODES)('%s means the same whether it comes at once or later', async (code) => {
    harness.azure.script.capacity({ code, times: 1 })
    harness.azure.script.capacity({ code, when: 'fail', times: 1 })
    const atOnce = await harness.provider.launch(await request('now', 'Standard_D4as_v6', { capacityType: 'spot' }), SIGNAL)
    await harness.provider.launch(await request('later', 'Standard_D4as_v6', { capacityType: 'spot' }), SIGNAL)
    const later = await eventually(async () => {
      const found = await harness.provider.get(nodeClaimName('later'), SIGNAL)
      if (found?.state.kind !== 'failed') throw new Error('not failed yet')
      return found.state.refusal
    })
    const now = atOnce.ok ? undefined : atOnce.error
    expect([later.then, later.problem.code, [...later.unavailable, ...(later.own ?? [])].map((entry) => entry.scope)]).toEqual([
      now?.then,
      now?.problem.code,
      [...(now?.unavailable ?? []), ...(now?.own ?? [])].map((entry) => entry.scope),
    ])
  })
})
