/** Every answer of ARM that an adapter reads is read from a raw answer of Azure, so that no fixture has the spelling of the SDK. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isTestFile, repositoryRoot, sourceFiles } from '../../scripts/floors.ts'
import { fetchSizes, fetchUsages } from '../../shared/adapters/azure/catalog/fetchCatalog.ts'
import { createCloudProvider } from '../../shared/adapters/azure/cloudProvider.ts'
import { fetchFacts } from '../../shared/adapters/azure/clusterFacts/fetchFacts.ts'
import { fetchNewestVersion } from '../../shared/adapters/azure/images/newestVersion.ts'
import { putInterface } from '../../shared/adapters/azure/machines/interfaces.ts'
import { COMPUTE_GROUPS, NETWORK_GROUPS } from '../../shared/adapters/azure/sdk/groups.ts'
import { managedCluster } from '../builders/managedCluster.ts'
import { ANSWERS, answerFile, serveAnswers, UNREAD } from './answers.ts'
import { claim, clusterConfig, nodeClass, SIGNAL, SILENT } from './harness.ts'

const S = '00000000-0000-4000-8000-000000000001'
const NET = `/subscriptions/${S}/resourceGroups/mc_a/providers/Microsoft.Network`
const SUBNET = `/subscriptions/${S}/resourceGroups/net/providers/Microsoft.Network/virtualNetworks/hub/subnets/nodes`
const config = clusterConfig({ subscriptionId: S, tenantId: S, location: 'eastus', resourceGroups: ['mc_a'], subnetId: SUBNET })

let azure: Awaited<ReturnType<typeof serveAnswers>>
beforeAll(async () => {
  azure = await serveAnswers(S, { managedCluster: managedCluster({ nodeResourceGroup: 'mc_a' }) })
})
afterAll(() => azure.close())

function provider() {
  const { credential, arm, clock } = azure
  return createCloudProvider({ config, credential, arm, clock, telemetry: SILENT, sizes: { sizeFacts: async () => undefined } })
}
const deps = () => ({
  config,
  clients: azure.clients,
  pinImage: async (image: string) => image,
  sizes: { sizeFacts: async () => undefined },
  clock: azure.clock,
  telemetry: SILENT,
})

const ONE = {
  name: 'aks-one',
  claim: 'one',
  nodePool: 'default',
  providerId: `azure:///subscriptions/${S}/resourceGroups/mc_a/providers/Microsoft.Compute/virtualMachines/aks-one`,
  size: 'Standard_D4s_v5',
  zone: 'eastus-2',
  capacityType: 'spot',
  imageId: '/CommunityGalleries/AKSUbuntu-x/Images/2404gen2containerd/Versions/202608.21.0',
  createdAt: Date.UTC(2026, 8, 21, 14, 13, 20, 123),
  state: { kind: 'running' },
}

describe('an answer as Azure writes it is read', () => {
  it('of one machine, which may have failed', async () => {
    expect(await provider().get(claim('one').name, SIGNAL)).toEqual(ONE)
  })

  it('of all machines, with the reason of one that failed', async () => {
    const [first, second] = await provider().list(SIGNAL)
    expect(first).toEqual(ONE)
    expect(second).toMatchObject({
      name: 'aks-two',
      zone: 'eastus-3',
      state: { kind: 'failed', refusal: { problem: { message: expect.stringContaining('did not finish in the allotted time') } } },
    })
  })

  it('of interfaces: those of no machine, the id of a new one, and one that goes', async () => {
    expect(await provider().listOrphanInterfaces(SIGNAL)).toEqual([{ name: 'aks-three', claim: 'three', createdAt: 1_790_000_000_000 }])
    expect(await putInterface(deps(), 'aks-three', { location: 'eastus' }, SIGNAL)).toBe(`${NET}/networkInterfaces/aks-three`)
  })

  it('of tags: a machine, its interface and its disk get what they lack, and keep the rest', async () => {
    await provider().updateTags({ claim: claim('one'), nodeClass: nodeClass({ tags: { owner: 'a' } }), before: { team: 'shop' } }, SIGNAL)
    expect(azure.patched.map(({ path }) => path.split('/').slice(-2).join('/')).sort()).toEqual([
      'disks/aks-one',
      'networkInterfaces/aks-one',
      'virtualMachines/aks-one',
    ])
    for (const { body } of azure.patched) {
      expect(body).toMatchObject({ tags: { owner: 'a', 'joiner.dev_cluster': config.id } })
      expect(body).not.toHaveProperty('tags.team')
    }
  })

  it('of quotas and sizes', async () => {
    expect(await fetchUsages(azure.clients, 'eastus', SIGNAL)).toEqual({
      cores: { limit: 20, used: 12 },
      lowprioritycores: { limit: 3, used: 0 },
      standarddsv5family: { limit: 10, used: 4 },
    })
    const { usable, leftOut } = await fetchSizes(azure.clients, { subscriptionId: S, location: 'eastus' }, SIGNAL)
    const [size, ...others] = usable
    expect([others, leftOut]).toEqual([[], {}])
    expect(size).toMatchObject({ name: 'Standard_D4s_v5', family: 'standardDSv5Family', isRestricted: false })
    expect([[...(size?.zones ?? [])].sort(), [...(size?.ultraSsdZones ?? [])].sort()]).toEqual([
      ['2', '3'],
      ['2', '3'],
    ])
  })

  it('of the newest images, without those that Azure leaves out', async () => {
    const newest = (id: string) => fetchNewestVersion(azure.clients, 'eastus', id, SIGNAL)
    expect(await newest('/CommunityGalleries/AKSUbuntu-x/images/2404gen2containerd/versions/latest')).toBe('202608.21.0')
    const shared = `/subscriptions/${S}/resourceGroups/AKS-Ubuntu/providers/Microsoft.Compute/galleries/AKSUbuntu`
    expect(await newest(`${shared}/images/2204gen2fipscontainerd/versions/latest`)).toBe('202608.20.0')
  })

  it('of a cluster and its network', async () => {
    const id = `/subscriptions/${S}/resourceGroups/shop/providers/Microsoft.ContainerService/managedClusters/shop`
    const facts = await fetchFacts(azure.clients, id, {}, SIGNAL)
    expect(facts.ok && facts.value.network).toMatchObject({
      subnetId: `${NET}/virtualNetworks/aks-vnet-12345678/subnets/aks-subnet`,
      vnetGuid: '8c0d6d0e-1111-4222-8333-000000000004',
      networkSecurityGroupId: `${NET}/networkSecurityGroups/aks-agentpool-12345678-nsg`,
      backendPoolIds: [`${NET}/loadBalancers/kubernetes/backendAddressPools/aksOutboundBackendPool`],
    })
  })

  it('of a subnet without room: three of its three addresses are used', async () => {
    expect((await provider().subnetState(nodeClass({ vnetSubnetId: SUBNET }), SIGNAL)).problem).toMatchObject({
      code: 'AZURE.SUBNET_FULL',
      message: expect.stringContaining('has 0 free addresses'),
    })
  })

  it('and each answer was read', () => {
    expect([...azure.served].sort()).toEqual(Object.keys(ANSWERS).sort())
  })
})

const GROUPS = [...COMPUTE_GROUPS, ...NETWORK_GROUPS]
const CALL = new RegExp(`\\b(${GROUPS.join('|')})\\s*\\.(\\w+)\\(`, 'g')

describe('the calls of the adapters', () => {
  const files = sourceFiles(repositoryRoot).filter((file) => file.startsWith('shared/adapters/azure/') && !isTestFile(file))
  const texts = files.map((file) => ({ file, text: readFileSync(join(repositoryRoot, file), 'utf8') }))
  const calls = texts.flatMap(({ text }) => [...text.matchAll(CALL)].map(([, group, method]) => `${group}.${method}`))

  it('each have a raw answer, or a reason why nobody reads the answer', () => {
    const known = [...Object.keys(ANSWERS).filter((name) => name.includes('.')), ...Object.keys(UNREAD)]
    expect([...new Set(calls)].sort()).toEqual(known.sort())
  })

  it('are found in each group, under its own name', () => {
    expect(GROUPS.filter((group) => !calls.some((call) => call.startsWith(`${group}.`)))).toEqual([])
    expect(texts.filter(({ text }) => new RegExp(`\\b(${GROUPS.join('|')}): \\w+ \\} =`).test(text)).map(({ file }) => file)).toEqual([])
  })

  it('without the SDK are those of known files', () => {
    const raw = texts.flatMap(({ file, text }) =>
      [...text.matchAll(/(?<!function\*? )\barm(?:Get|List)\(/g)].map(() => file.split('/').at(-1)),
    )
    expect(raw.sort()).toEqual(['armGet.ts', 'checkEncryption.ts', 'fetchCatalog.ts', 'fetchFacts.ts', 'fetchFacts.ts'])
  })

  it('have no answer beside them that no row names', () => {
    expect(readdirSync(join(import.meta.dirname, 'answers')).filter((name) => !(name.replace('.json', '') in ANSWERS))).toEqual([])
    expect(Object.keys(ANSWERS).filter((call) => !existsSync(answerFile(call)))).toEqual(['managedCluster'])
  })
})
