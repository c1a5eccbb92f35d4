import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createClusterFactsSource } from '../../shared/adapters/azure/clusterFacts.ts'
import { preflight } from '../../shared/engine/preflight/preflight.ts'
import { clusterId } from '../../shared/model/ids.ts'
import { type EpochMs, epochMs } from '../../shared/model/units.ts'
import { parseClusterEntries, resolveCluster } from '../../shared/wire/clusterEntry.ts'
import { memoryBlobs, SIGNAL, SILENT, startHarness } from './harness.ts'

type Harness = Awaited<ReturnType<typeof startHarness>>
let harness: Harness
beforeAll(async () => {
  harness = await startHarness()
})
afterAll(() => harness.azure.close())

type Given = { readonly on?: Harness; readonly resourceId?: string; readonly given?: object }

/** One cluster with its own storage and a clock that the test moves. */
async function setUp({ on = harness, resourceId = on.azure.clusterResourceId, given = {} }: Given = {}) {
  const { credential, arm, azure } = on
  const blobs = memoryBlobs()
  let now = 1_800_000_000_000
  const clock = { now: (): EpochMs => epochMs(now), sleep: () => Promise.resolve() }
  const warnings: string[] = []
  const telemetry = { ...SILENT, warn: (message: string) => void warnings.push(message) }
  const start = () =>
    createClusterFactsSource({
      id: clusterId('local'),
      resourceId,
      given,
      credential,
      arm: { ...arm, maxRetries: 0 },
      blobs,
      clock,
      telemetry,
    })
  const change = (properties: object): void => {
    const held = azure.getResource(azure.clusterResourceId)
    if (held === undefined) throw new Error('there is no cluster')
    azure.putResource({ ...held, properties: { ...(held['properties'] as object), ...properties } })
  }
  return { facts: start(), start, change, blobs, warnings, pass: (ms: number) => void (now += ms) }
}

const GETS = /managedClusters\/local$/i

function asks(): number {
  return harness.azure.requests.all().filter(({ path }) => GETS.test(path)).length
}

describe('the facts of a cluster', () => {
  it('are read from ARM, with the network that AKS made in the node resource group', async () => {
    const { facts } = await setUp()
    const group = `/subscriptions/${harness.azure.subscriptionId}/resourceGroups/MC_local_demo_eastus/providers/Microsoft.Network`
    expect(await facts.load(SIGNAL)).toMatchObject({
      read: {
        at: 1_800_000_000_000,
        facts: {
          kubernetesVersion: '1.34.0',
          nodeResourceGroup: 'MC_local_demo_eastus',
          network: {
            dataplane: 'cilium',
            subnetId: harness.azure.subnetId,
            vnetGuid: '00000000-0000-4000-8000-00000000a00c',
            networkSecurityGroupId: `${group}/networkSecurityGroups/aks-agentpool-10000001-nsg`,
            backendPoolIds: [`${group}/loadBalancers/kubernetes/backendAddressPools/kubernetes`],
          },
        },
      },
    })
  })

  it('have the GUID of the network of a subnet that the entry names', async () => {
    const network = `/subscriptions/${harness.azure.subscriptionId}/resourceGroups/hub/providers/Microsoft.Network/virtualNetworks/hub`
    harness.azure.putResource({ id: network, location: 'eastus', properties: { resourceGuid: 'hub-guid' } })
    const { facts } = await setUp({ given: { vnetSubnetId: `${network}/subnets/nodes` } })
    expect((await facts.load(SIGNAL)).read?.facts.network.vnetGuid).toBe('hub-guid')
    const { facts: told } = await setUp({ given: { vnetSubnetId: `${network}-gone/subnets/nodes`, vnetGuid: 'told' } })
    expect((await told.load(SIGNAL)).read?.facts.network).not.toHaveProperty('vnetGuid')
  })

  it('are none where the network of an overlay cannot be read, and the right that is missing is named', async () => {
    const { facts } = await setUp()
    harness.azure.script.http({ method: 'GET', path: 'virtualNetworks/aks-vnet', times: 1, status: 403, code: 'AuthorizationFailed' })
    const known = await facts.load(SIGNAL)
    expect(known).not.toHaveProperty('read')
    expect(known.problem).toMatchObject({
      code: 'AZURE.FORBIDDEN',
      message: expect.stringContaining('Microsoft.Network/virtualNetworks/read'),
    })
  })

  it('are read without the GUID of the network where nodes do not need it', async () => {
    const { facts, change } = await setUp()
    const before = () => harness.azure.requests.all().filter(({ path }) => path.endsWith('virtualNetworks/aks-vnet-10000001')).length
    const asked = before()
    change({ networkProfile: { networkPlugin: 'azure', networkDataplane: 'cilium' } })
    expect((await facts.load(SIGNAL)).read?.facts.network).not.toHaveProperty('vnetGuid')
    expect(before()).toBe(asked)
    change({ networkProfile: { networkPlugin: 'azure', networkPluginMode: 'overlay', networkDataplane: 'cilium' } })
  })

  it('except the addresses of the network of the machines from the proxy, whether or not nodes need its GUID', async () => {
    const network = `/subscriptions/${harness.azure.subscriptionId}/resourceGroups/hub/providers/Microsoft.Network/virtualNetworks/wide`
    const properties = { resourceGuid: 'wide-guid', addressSpace: { addressPrefixes: ['10.77.0.0/16', '10.78.0.0/16'] } }
    harness.azure.putResource({ id: network, location: 'eastus', properties })
    const { facts, change } = await setUp({ given: { vnetSubnetId: `${network}/subnets/nodes`, vnetGuid: 'told' } })
    change({ httpProxyConfig: { httpProxy: 'http://proxy.example:3128' } })
    const { httpProxy, network: read } = (await facts.load(SIGNAL)).read?.facts ?? {}
    change({ httpProxyConfig: undefined })
    expect(httpProxy?.noProxy).toEqual(expect.arrayContaining(['localhost', '10.77.0.0/16', '10.78.0.0/16']))
    expect(read).not.toHaveProperty('vnetGuid')
  })

  it('have the pools of the load balancer that a machine joins, without those of addresses and of the other family', async () => {
    const { facts } = await setUp()
    const { azure } = harness
    const of = (name: string) =>
      `/subscriptions/${azure.subscriptionId}/resourceGroups/MC_local_demo_eastus/providers/Microsoft.Network/loadBalancers/${name}`
    const pool = (balancer: string, name: string, more: object = {}) => ({
      id: `${of(balancer)}/backendAddressPools/${name}`,
      name,
      properties: more,
    })
    const addresses = { loadBalancerBackendAddresses: [{ name: 'a', properties: { ipAddress: '10.0.0.4' } }] }
    azure.putResource({
      id: of('kubernetes'),
      properties: {
        backendAddressPools: [
          pool('kubernetes', 'aksOutboundBackendPool'),
          pool('kubernetes', 'aksOutboundBackendPool-ipv6'),
          pool('kubernetes', 'byAddress', addresses),
        ],
      },
    })
    azure.putResource({ id: of('mine'), properties: { backendAddressPools: [pool('mine', 'other')] } })
    expect((await facts.refresh(SIGNAL)).read?.facts.network.backendPoolIds).toEqual([
      `${of('kubernetes')}/backendAddressPools/aksOutboundBackendPool`,
    ])
  })

  it('NG-01 name the security groups if there are several that AKS may have made, and no machine is made until the entry says which', async () => {
    const on = await startHarness()
    const { facts } = await setUp({ on })
    const { subscriptionId, clusterResourceId: resourceId } = on.azure
    const of = (name: string) =>
      `/subscriptions/${subscriptionId}/resourceGroups/MC_local_demo_eastus/providers/Microsoft.Network/networkSecurityGroups/${name}`
    on.azure.putResource({ id: of('my-own-nsg'), location: 'eastus', properties: {} })
    expect((await facts.refresh(SIGNAL)).read?.facts).toMatchObject({
      unsupported: [],
      network: { networkSecurityGroupId: of('aks-agentpool-10000001-nsg') },
    })
    on.azure.putResource({ id: of('aks-agentpool-20000002-nsg'), location: 'eastus', properties: {} })
    const read = (await facts.refresh(SIGNAL)).read?.facts
    await on.azure.close()
    if (read === undefined) throw new Error('there are no facts')
    expect(read.network).not.toHaveProperty('networkSecurityGroupId')
    const says = expect.stringMatching(/aks-agentpool-10000001-nsg, aks-agentpool-20000002-nsg; .*; .*set networkSecurityGroup/)
    const configured = (over: object) => {
      const entries = parseClusterEntries(JSON.stringify([{ resourceId, caBundle: 'Y2E=', sshPublicKey: 'ssh-ed25519 A', ...over }]))
      const [entry] = entries.ok ? entries.value : []
      const resolved = entry && resolveCluster(entry, read)
      return resolved?.ok === true ? resolved.value.unsupported : resolved
    }
    expect(configured({})).toEqual([says])
    expect(configured({ networkSecurityGroup: 'aks-agentpool-10000001-nsg' })).toEqual([])
    const fails = (overrides: readonly string[]) =>
      preflight(read, { subscriptionId, overrides }).filter(({ severity }) => severity === 'fail')
    expect(fails([])).toMatchObject([{ code: 'PREFLIGHT.NETWORK', message: expect.stringContaining('aks-agentpool-20000002-nsg') }])
    expect(fails(['networkSecurityGroup'])).toEqual([])
  })

  it('are read once for all processes, and looked up in storage by the next', async () => {
    const { facts, start } = await setUp()
    await facts.load(SIGNAL)
    const before = asks()
    expect((await start().load(SIGNAL)).read?.facts.kubernetesVersion).toBe('1.34.0')
    expect(asks()).toBe(before)
  })

  it('follow an upgrade of the cluster in every process', async () => {
    const { facts, start, change, pass } = await setUp()
    const other = start()
    await facts.load(SIGNAL)
    await other.load(SIGNAL)
    change({ currentKubernetesVersion: '1.35.1' })
    expect((await facts.refresh(SIGNAL)).read?.facts.kubernetesVersion).toBe('1.35.1')
    expect((await other.load(SIGNAL)).read?.facts.kubernetesVersion).toBe('1.34.0')
    pass(30_000)
    expect((await other.load(SIGNAL)).read?.facts.kubernetesVersion).toBe('1.35.1')
    change({ currentKubernetesVersion: '1.34.0' })
  })

  it.each([
    [403, 'AuthorizationFailed', 'AZURE.FORBIDDEN', 'managedClusters/read'],
    [404, 'ResourceNotFound', 'AZURE.NOT_FOUND', 'resourceId in JOINER_CLUSTERS'],
    [429, 'TooManyRequests', 'AZURE.THROTTLED', 'cannot be read'],
    [500, 'InternalServerError', 'AZURE.FAILED', 'cannot be read'],
  ])('stay as they were while ARM answers %i, which is told', async (status, code, want, says) => {
    const { facts, warnings } = await setUp()
    await facts.load(SIGNAL)
    harness.azure.script.http({ method: 'GET', path: 'managedClusters/local', times: 1, status, code })
    const known = await facts.refresh(SIGNAL)
    expect(known.read?.facts.kubernetesVersion).toBe('1.34.0')
    expect(known.problem).toMatchObject({ code: want, message: expect.stringContaining(says), object: harness.azure.clusterResourceId })
    expect(warnings).toHaveLength(1)
    expect(await facts.refresh(SIGNAL)).not.toHaveProperty('problem')
  })

  it('stay as they were while what ARM says is not understood', async () => {
    const { facts, change } = await setUp()
    await facts.load(SIGNAL)
    change({ nodeResourceGroup: 7 })
    const known = await facts.refresh(SIGNAL)
    change({ nodeResourceGroup: 'MC_local_demo_eastus' })
    expect(known).toMatchObject({ read: { facts: { kubernetesVersion: '1.34.0' } }, problem: { path: 'properties.nodeResourceGroup' } })
  })

  it('of a cluster that is not there are none, and ARM is not asked at every call', async () => {
    const { facts, pass } = await setUp({ resourceId: `${harness.azure.clusterResourceId}-gone` })
    const gone = () => harness.azure.requests.all().filter(({ path }) => path.endsWith('local-gone')).length
    expect(await facts.load(SIGNAL)).toMatchObject({ problem: { code: 'AZURE.NOT_FOUND' } })
    await facts.load(SIGNAL)
    expect(gone()).toBe(1)
    pass(60_000)
    await facts.load(SIGNAL)
    expect(gone()).toBe(2)
  })

  it('of another cluster that had the same name here are none of this one', async () => {
    const { facts, start, blobs } = await setUp()
    await facts.load(SIGNAL)
    const stored = blobs.texts.get('clusters/local/facts') ?? ''
    blobs.texts.set('clusters/local/facts', stored.replace('managedClusters/local', 'managedClusters/earlier').replace('1.34.0', '1.20.0'))
    expect((await start().load(SIGNAL)).read?.facts.kubernetesVersion).toBe('1.34.0')
  })

  it('are given up by whoever has no time left', async () => {
    const { facts } = await setUp()
    const over = AbortSignal.abort(new Error('the time is over'))
    await expect(facts.refresh(over)).rejects.toThrow('the time is over')
  })
})
