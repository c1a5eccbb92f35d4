/** What a smoke run says where Azure or the cluster is not as Joiner assumes, and what it leaves then. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { KIND_NAMES, KINDS, type KindName, type MachineKind } from '../../cli/smoke/kinds.ts'
import { callServer } from '../../local/kubernetes/testing/withServer.ts'
import { armCall, nicBody, nicPath, ownEverything, vmBody, vmPath } from './armCall.ts'
import { SIGNAL } from './harness.ts'
import { type SmokeWorld, startSmokeWorld } from './smokeWorld.ts'

let world: SmokeWorld
beforeAll(async () => {
  world = await startSmokeWorld({ needsRoles: true })
})
afterAll(() => world.close())
afterEach(async () => {
  world.azure.script.clear()
  world.programs.breakDns(false)
  grant('*')
  await world.run({ onlyRemove: true })
  expect(await world.left()).toEqual([])
})

/** Gives the caller these actions, without those. */
function grant(actions: string, ...without: readonly string[]): void {
  const { access, subscriptionId } = world.azure
  access.define({ id: 'theirs', actions: [actions], notActions: without })
  access.assign('a1', { principalId: 'o1', roleId: 'theirs', scope: `/subscriptions/${subscriptionId}` })
}

const RECORDED = /^ 5 record {8}\d+ answers of Azure in \d+ forms are kept, without secrets$/
const VM = '/subscriptions/{}/resourceGroups/{}/providers/Microsoft.Compute/virtualMachines/{}'
const states = ({ record }: Awaited<ReturnType<SmokeWorld['run']>>) => record?.steps.map(({ name, state }) => `${name} ${state}`)

describe('a smoke run', () => {
  beforeAll(() => grant('*'))

  it('makes nothing where the answer is no', async () => {
    const before = world.azure.requests.all().filter(({ method }) => method === 'PUT').length
    const { code, lines, record } = await world.run({ answer: false })
    expect([code, lines, record]).toEqual([1, ['nothing was made'], undefined])
    expect(world.azure.requests.all().filter(({ method }) => method === 'PUT').length).toBe(before)
  })

  it('makes nothing where it would cost more than allowed, and does not ask', async () => {
    const { code, lines, asked, record } = await world.run({ maxCost: 0.01 })
    expect([code, asked, record]).toEqual([1, [], undefined])
    expect(lines).toEqual([expect.stringMatching(/^nothing was made: 2 machines .*, and that is more than \$0\.01; to do: .*--max-cost$/)])
  })

  it('makes nothing in a cluster that no machine could join, and removes all the same', async () => {
    await world.bind(false)
    const { code, lines, asked } = await world.run()
    const removed = await world.run({ onlyRemove: true })
    await world.bind(true)
    expect([code, asked]).toEqual([1, []])
    expect(lines).toEqual([expect.stringMatching(/^FAIL {2}KUBE\.FORBIDDEN {3}.*the chart is not installed; run: azd up$/)])
    expect(removed.code).toBe(0)
  })

  it('makes nothing in a cluster that Joiner does not support', async () => {
    const { azure } = world
    const held = azure.getResource(azure.clusterResourceId)
    if (held === undefined) throw new Error('there is no cluster')
    const properties = held['properties'] as { networkProfile: object }
    azure.putResource({ ...held, properties: { ...properties, networkProfile: { ...properties.networkProfile, networkPolicy: 'calico' } } })
    const { code, lines, asked } = await world.run()
    azure.putResource(held)
    expect([code, asked, lines.length]).toEqual([1, [], 1])
    expect(lines[0]).toMatch(/^FAIL {2}CLUSTER\.UNSUPPORTED {3}/)
  })

  it.each([
    ['read', 'Microsoft.Compute/disks/read'],
    ['delete', 'Microsoft.Network/networkInterfaces/delete'],
    ['write', 'Microsoft.Compute/virtualMachines/write'],
    ['write', 'Microsoft.Network/networkInterfaces/write'],
    ['write', 'Microsoft.Compute/disks/write'],
    ['read', 'Microsoft.Compute/virtualMachines/instanceView/read'],
    ['read', 'Microsoft.Network/locations/operations/read'],
    ['read', 'Microsoft.Compute/locations/communityGalleries/images/versions/read'],
    ['list of permissions', 'Microsoft.Network/virtualNetworks/subnets/join/action'],
    ['action', 'Microsoft.Compute/virtualMachines/simulateEviction/action'],
  ])('names an action that the caller lacks, found by %s', async (_, action) => {
    grant('*', action)
    const { lines, record } = await world.run()
    grant('*')
    const [first] = lines.filter((line) => line.startsWith(' 1 '))
    if (action === 'Microsoft.Compute/disks/read') {
      // Without this right, nobody can say what is left.
      expect(lines).toEqual([expect.stringMatching(/^FAIL {2}AZURE\.FORBIDDEN .*Microsoft\.Compute\/disks\/read/)])
      return
    }
    const [, working, all] = /^ 1 rights {8}FAIL {2}(\d+) of (\d+) actions work/.exec(first ?? '') ?? []
    expect(Number(all) - Number(working)).toBeGreaterThanOrEqual(1)
    expect(first).toContain(`login: ${action} on /subscriptions/<subscription>`)
    expect(record?.steps.map(({ name, state }) => `${name} ${state}`)).toEqual(['rights failed', 'end done', 'record done'])
  })

  it('reads the role assignments of the app where there is one', async () => {
    const principalId = '00000000-0000-4000-8000-0000000000aa'
    const { lines } = await world.run({ environment: { JOINER_APP_PRINCIPAL_ID: principalId } })
    expect(lines[0]).toContain(`app: Microsoft.Compute/virtualMachines/write on /subscriptions/<subscription>/resourceGroups/`)
  })

  it('takes a machine on demand where there is no spot, and evicts none', async () => {
    world.azure.script.capacity({ capacityType: 'spot', code: 'AzureSpotFeatureNotEnabledForSubscription' })
    const run = await world.run()
    expect(run.code, run.lines.join('\n')).toBe(0)
    expect(states(run)).toEqual(['rights done', 'image done', 'eviction skipped', 'end done', 'record done'])
    expect(run.lines[1]).toMatch(/boots on \S+, on-demand$/)
    expect(run.lines[2]).toMatch(/^ 3 eviction {6}skip {2}Azure gave no spot machine/)
  })

  it('evicts its own machine where no app answers, and names the app', async () => {
    const { code, lines, asked } = await world.run({
      environment: { JOINER_APP_NAME: 'func-joiner-x', JOINER_APP_ENDPOINT: 'http://127.0.0.1:1' },
    })
    expect(code, lines.join('\n')).toBe(0)
    expect(lines[2]).toMatch(/^ 3 eviction {6}notice after .*; not through the app: app func-joiner-x is not reached from here: /)
    expect(asked).toEqual([expect.stringMatching(/^Make 2 machines /)])
  })

  it('tries another offering where one is refused, and says why where all are', async () => {
    world.azure.script.capacity({ code: 'AllocationFailed', times: 2 })
    const run = await world.run()
    expect(run.code, run.lines.join('\n')).toBe(0)
    world.azure.script.capacity({ code: 'RequestDisallowedByPolicy' })
    const refused = await world.run()
    expect(refused.code).toBe(1)
    expect(refused.lines[1]).toMatch(/^ 2 image {9}FAIL {2}default: Standard_.*\(AZURE\.\w+\)$/)
    expect(refused.lines.at(-2)).toBe(' 4 drain, end    nothing left: 0 VMs, 0 NICs, 0 disks')
  })

  it('says what became of a machine that fails after Azure took it', async () => {
    world.azure.script.capacity({ code: 'OSProvisioningTimedOut', when: 'fail' })
    const { code, lines } = await world.run()
    expect(code).toBe(1)
    expect(lines[1]).toMatch(/^ 2 image {9}FAIL {2}default: machine joiner-smoke-[a-z]{6}-1 failed: /)
  })

  it('says that a pod finds no address', async () => {
    world.programs.breakDns(true)
    const { code, lines } = await world.run()
    expect(code).toBe(1)
    expect(lines[1]).toMatch(
      /^ 2 image {9}FAIL {2}default: a pod on \S+ finds no address of the API server in DNS: dns failed[\s\S]*NXDOMAIN/,
    )
  })

  it('says that Azure does not simulate the eviction', async () => {
    world.azure.script.http({ method: 'POST', path: '-1/simulateEviction', status: 409, code: 'OperationNotAllowed', message: 'not now' })
    const { code, lines } = await world.run()
    expect(code).toBe(1)
    expect(lines[2]).toBe(
      ' 3 eviction      FAIL  Azure does not simulate the eviction: 409 OperationNotAllowed: not now; not through the app: no app is deployed in this environment',
    )
  })

  it('says at once that the pod which waits for the notice is gone', async () => {
    const removeProbe = async (call: string): Promise<void> => {
      if (call !== `POST ${VM}/simulateEviction`) return
      const path = '/api/v1/namespaces/kube-system/pods'
      const asAdmin = { token: world.kubernetes.adminToken, body: undefined }
      const { body } = await callServer(world.kubernetes, { ...asAdmin, method: 'GET', path })
      for (const { metadata } of (body as { items: { metadata: { name: string } }[] }).items)
        await callServer(world.kubernetes, { ...asAdmin, method: 'DELETE', path: `${path}/${metadata.name}?gracePeriodSeconds=0` })
    }
    const { code, lines } = await world.run({ before: removeProbe })
    expect(code).toBe(1)
    expect(lines[2]).toMatch(/^ 3 eviction {6}FAIL {2}no notice came: pod smoke-\S+-notice was deleted before its program ended;/)
  })

  it('says what it cannot remove, and ends with 1', async () => {
    const { code, lines } = await world.run({ kill: { call: `PUT ${VM}`, nth: 1, when: 'after' } })
    expect([code, lines.length]).toEqual(['killed', 1])
    grant('*', 'Microsoft.Compute/virtualMachines/delete')
    const left = await world.run({ onlyRemove: true })
    expect([left.code, left.lines.join('\n')]).toEqual([1, expect.stringContaining('AZURE.FORBIDDEN')])
  })

  it('removes what it made where a person interrupts it', async () => {
    const stop = new AbortController()
    const running = world.run({ stop: stop.signal })
    await expect.poll(() => world.azure.state().vms.length).toBeGreaterThan(0)
    stop.abort()
    const { code, lines } = await running
    expect([code, lines.at(-2)]).toEqual([1, ' 4 drain, end    nothing left: 0 VMs, 0 NICs, 0 disks'])
    expect(lines[1]).toMatch(/^ 2 image {9}FAIL {2}/)
  })

  it('goes on where it was killed, and does no step twice', async () => {
    // Before Azure is asked for the eviction: the next run would find a machine that goes, or is gone. The rights step asks for an eviction too.
    const killed = await world.run({
      kill: { call: 'kube GET /api/v1/namespaces/kube-system/pods/smoke-{}-1-notice', nth: 1, when: 'after' },
    })
    expect(killed.code).toBe('killed')
    const resumed = await world.run({ resume: killed.record })
    expect(resumed.code, resumed.lines.join('\n')).toBe(0)
    expect(resumed.lines).toEqual([
      expect.stringMatching(/^an earlier run left 1 VMs, 1 NICs, .*; removing them first$/),
      expect.stringMatching(/^ 3 eviction {6}notice after/),
      ' 4 drain, end    nothing left: 0 VMs, 0 NICs, 0 disks',
      expect.stringMatching(RECORDED),
    ])
    expect(states(resumed)).toEqual(['rights done', 'image done', 'eviction done', 'end done', 'record done'])
    expect(resumed.record?.run).toBe(killed.record?.run)
    const names = resumed.record?.machines.map(({ claim }) => claim) ?? []
    expect([names.length, new Set(names).size]).toEqual([3, 3])
  })

  it('removes what an earlier run left whose record is lost', async () => {
    const killed = await world.run({ kill: { call: `PUT ${VM}`, nth: 1, when: 'after' } })
    expect(killed.code).toBe('killed')
    const next = await world.run()
    expect(next.code, next.lines.join('\n')).toBe(0)
    expect(next.lines[0]).toMatch(/^an earlier run left 1 VMs, 1 NICs, /)
    expect(next.record?.run).not.toBe(killed.record?.run)
  })

  it('removes a machine that lost its tags, and none of a cluster, whatever its name is', async () => {
    const { azure } = world
    ownEverything(azure)
    const make = async (name: string, tags: object) => {
      await armCall(azure, 'PUT', nicPath(azure, name), { body: { ...nicBody(azure), tags } })
      await armCall(azure, 'PUT', vmPath(azure, name), { body: vmBody(azure, name, { top: { tags } }) })
    }
    const others = {
      'joiner-smoke-abcdef-12345': { 'joiner.dev_cluster': 'demo' },
      'joiner-smoke-x': { 'joiner.dev_cluster': 'smoke' },
      'joiner-default-1': { 'joiner.dev_cluster': 'joiner-smoke' },
      'aks-smoke-abcdef-1': {},
      'joiner-smoke-y': {},
    }
    for (const [name, tags] of Object.entries(others)) await make(name, tags)
    await make('joiner-smoke-abcdef-1', {})
    const { code, lines } = await world.run({ onlyRemove: true })
    const kept = azure.state().vms.map(({ name }) => name)
    for (const name of Object.keys(others)) await armCall(azure, 'DELETE', vmPath(azure, name))
    await expect.poll(() => azure.state().vms.length).toBe(0)
    for (const { id } of [...azure.state().nics, ...azure.state().disks]) await armCall(azure, 'DELETE', id)
    await expect.poll(world.left).toEqual([])
    expect([code, lines[0]]).toEqual([0, expect.stringMatching(/^an earlier run left 1 VMs, 1 NICs, /)])
    expect(kept.sort()).toEqual(Object.keys(others).sort())
  })

  it('makes machines that the app does not take for its own, each with the tag of the run', async () => {
    const killed = await world.run({ kill: { call: `PUT ${VM}`, nth: 1, when: 'after' } })
    const { vms, nics, disks } = world.azure.state()
    expect([vms.length, nics.length, disks.length]).toEqual([1, 1, 1])
    for (const { tags } of [...vms, ...nics, ...disks])
      expect(tags).toMatchObject({ 'joiner.dev_smoke': killed.record?.run, 'joiner.dev_cluster': 'joiner-smoke' })
    expect(await world.harness.provider.list(SIGNAL)).toEqual([])
    expect(await world.harness.provider.listOrphanInterfaces(SIGNAL)).toEqual([])
  })
})

describe('the kinds of machines', () => {
  /** The local cluster is an overlay cluster with Cilium and without a disk encryption set. */
  const LEFT_OUT: { readonly [Name in KindName]?: RegExp } = {
    des: /des: the cluster has no disk encryption set/,
    overlay: /overlay: the network of the cluster is cilium/,
    'node-subnet': /node-subnet: the network of the cluster is cilium/,
  }

  it.each(Object.entries(KINDS) as [KindName, MachineKind][])('%s boots, or is left out with its reason', async (kind) => {
    const run = await world.run({ kinds: [kind] })
    const why = LEFT_OUT[kind]
    expect(run.code, run.lines.join('\n')).toBe(0)
    const [image = ''] = run.lines.filter((line) => line.startsWith(' 2 '))
    expect(image).toMatch(why ?? /boots on/)
    if (why === undefined) expect(run.record?.machines[0]?.kind).toBe(kind)
  })

  it('are told by their machines: architecture, family, GPU and local DNS', async () => {
    const run = await world.run({ kinds: ['family', 'arch', 'gpu', 'localdns'] })
    expect(run.code, run.lines.join('\n')).toBe(0)
    const labels = run.record?.machines.map((each) => each.labels ?? {}) ?? []
    expect(labels[0]).toMatchObject({ 'kubernetes.azure.com/os-sku': 'AzureLinux' })
    expect(labels[1]).toMatchObject({ 'kubernetes.io/arch': 'arm64' })
    expect(Number(labels[2]?.['karpenter.azure.com/sku-gpu-count'])).toBeGreaterThan(0)
    expect(labels[3]).toMatchObject({ 'kubernetes.azure.com/localdns-state': 'enabled' })
    expect(KIND_NAMES.length).toBe(9)
  })
})
