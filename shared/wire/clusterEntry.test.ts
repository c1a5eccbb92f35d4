import { describe, expect, it } from 'vitest'
import { CLUSTER_ID, CLUSTERS, managedCluster, OWN_SUBNET } from '../../test/builders/managedCluster.ts'
import type { ClusterFacts } from '../model/clusterFacts.ts'
import { parseManagedCluster } from './azure/managedCluster.ts'
import { type ClusterEntry, overridesOf, parseClusterEntries, resolveCluster } from './clusterEntry.ts'

const ENTRY = { resourceId: CLUSTER_ID, caBundle: 'Y2E=' }
const TOPIC = '/subscriptions/s/resourceGroups/g/providers/Microsoft.EventGrid/topics/t'
const MANAGED_SUBNET =
  '/subscriptions/00000000-0000-4000-8000-000000000001/resourceGroups/MC_shop_shop_eastus/providers/Microsoft.Network/virtualNetworks/aks-vnet-1/subnets/aks-subnet'
const VNET_GUID = '00000000-0000-4000-8000-00000000000e'
const OTHER_ID = `${CLUSTER_ID}-2`

function entryOf(over: object = {}): ClusterEntry {
  const parsed = parseClusterEntries(JSON.stringify([{ ...ENTRY, ...over }]))
  const [entry] = parsed.ok ? parsed.value : []
  if (entry === undefined) throw new Error(JSON.stringify(parsed))
  return entry
}

function factsOf(body: unknown, network: Partial<ClusterFacts['network']> = {}): ClusterFacts {
  const read = parseManagedCluster(body, CLUSTER_ID)
  if (!read.ok) throw new Error(read.error.message)
  return { ...read.value, network: { subnetId: MANAGED_SUBNET, vnetGuid: VNET_GUID, ...network, ...read.value.network } }
}

/** The facts as Azure tells them of the cluster alone, without its network. */
function unlabelled(body: unknown): ClusterFacts {
  const read = parseManagedCluster(body, CLUSTER_ID)
  if (!read.ok) throw new Error(read.error.message)
  return { ...read.value, network: { ...read.value.network, subnetId: MANAGED_SUBNET } }
}

describe('JOINER_CLUSTERS', () => {
  it('needs the id of the cluster and its authority, and fills in what an operator may leave out', () => {
    expect(entryOf()).toEqual({
      id: 'shop',
      resourceId: CLUSTER_ID,
      caBundle: 'Y2E=',
      adminUsername: 'azureuser',
      images: { gallery: 'community', gallerySubscriptionId: expect.any(String), version: 'latest', byDefinition: {} },
      shimServiceAccount: 'joiner/joiner-shim',
      readerServiceAccount: 'joiner/joiner-reader',
      allowedShimIdentities: [],
      allowedReaderIdentities: [],
      apiServerAudience: expect.any(String),
      vmMemoryOverheadPercent: 0.075,
      machinePrefix: 'joiner-',
      formerMachinePrefixes: ['aks-'],
      podDeletionCosts: false,
      additionalTags: {},
    })
  })

  const cases: Record<string, { text: string; want: string }> = {
    'no JSON': { text: '{', want: 'setting JOINER_CLUSTERS: must be a JSON array of clusters' },
    'no cluster': { text: '[]', want: 'setting JOINER_CLUSTERS: must name at least one cluster' },
    'no id of a cluster': { text: '[{"caBundle":"Y2E="}]', want: 'JOINER_CLUSTERS[0].resourceId' },
    'no authority': { text: JSON.stringify([{ resourceId: CLUSTER_ID }]), want: 'JOINER_CLUSTERS[0].caBundle' },
    'the id of something else': {
      text: JSON.stringify([{ ...ENTRY, resourceId: TOPIC }]),
      want: 'resourceId: must be the resource id of an AKS cluster',
    },
    'a bad id': { text: JSON.stringify([{ ...ENTRY, id: 'Demo!' }]), want: 'JOINER_CLUSTERS[0].id: must be 1 to 40 lower-case letters' },
    'a cluster whose name is no id': {
      text: JSON.stringify([{ ...ENTRY, resourceId: `${CLUSTER_ID}_${'x'.repeat(40)}` }]),
      want: 'JOINER_CLUSTERS[0].id: is required where the name of the cluster',
    },
    'a service account without its namespace': {
      text: JSON.stringify([{ ...ENTRY, shimServiceAccount: 'shim' }]),
      want: 'shimServiceAccount: must be',
    },
    'a reader that is the shim': {
      text: JSON.stringify([{ ...ENTRY, readerServiceAccount: 'joiner/joiner-shim' }]),
      want: 'readerServiceAccount: must not be the service account of the shim',
    },
    'a service account with a colon': {
      text: JSON.stringify([{ ...ENTRY, shimServiceAccount: 'a:b/shim' }]),
      want: 'shimServiceAccount: must be',
    },
    'deletion costs that are neither on nor off': {
      text: JSON.stringify([{ ...ENTRY, podDeletionCosts: 'yes' }]),
      want: 'JOINER_CLUSTERS[0].podDeletionCosts: must be true or false',
    },
    'a subnet that is none': {
      text: JSON.stringify([{ ...ENTRY, vnetSubnetId: '/nope' }]),
      want: 'JOINER_CLUSTERS[0].vnetSubnetId: must be',
    },
    'plain http': {
      text: JSON.stringify([{ ...ENTRY, apiServer: 'http://b' }]),
      want: 'JOINER_CLUSTERS[0].apiServer: must be an https URL',
    },
    'an issuer over plain http': { text: JSON.stringify([{ ...ENTRY, oidcIssuer: 'http://b' }]), want: 'oidcIssuer: must be an https URL' },
    'a prefix of machines that AKS uses': {
      text: JSON.stringify([{ ...ENTRY, machinePrefix: 'aks-' }]),
      want: 'JOINER_CLUSTERS[0].machinePrefix: must be 2 to 16 lower-case letters',
    },
    'a prefix of machines that leaves no room for the claim': {
      text: JSON.stringify([{ ...ENTRY, machinePrefix: 'a-prefix-that-is-long-' }]),
      want: 'machinePrefix: must be 2 to 16',
    },
    'a prefix of machines that begins with an earlier one': {
      text: JSON.stringify([{ ...ENTRY, machinePrefix: 'j-x-', formerMachinePrefixes: ['j-'] }]),
      want: 'JOINER_CLUSTERS[0].formerMachinePrefixes: must not begin as another prefix of machines does',
    },
    'an unknown field': { text: JSON.stringify([{ ...ENTRY, colour: 'red' }]), want: 'colour' },
    'the same topic twice': {
      text: JSON.stringify([
        { ...ENTRY, eventGridTopicId: TOPIC },
        { ...ENTRY, resourceId: OTHER_ID, eventGridTopicId: TOPIC.toUpperCase().replace('/SUBSCRIPTIONS', '/subscriptions') },
      ]),
      want: 'JOINER_CLUSTERS[1].eventGridTopicId: must be unique; ',
    },
    'the same id twice': {
      text: JSON.stringify([ENTRY, { ...ENTRY, id: 'shop', resourceId: OTHER_ID }]),
      want: 'JOINER_CLUSTERS[1].id: must be unique; shop is there twice',
    },
    'the same cluster under two ids': {
      text: JSON.stringify([ENTRY, { ...ENTRY, id: 'other', resourceId: CLUSTER_ID.replace('/shop/', '/SHOP/') }]),
      want: 'JOINER_CLUSTERS[1].resourceId: must be unique; ',
    },
    'one issuer of two clusters': {
      text: JSON.stringify([
        { ...ENTRY, oidcIssuer: 'https://a/' },
        { ...ENTRY, resourceId: OTHER_ID, oidcIssuer: 'https://a/' },
      ]),
      want: 'JOINER_CLUSTERS[1].oidcIssuer: must be unique; ',
    },
  }
  it.each(Object.entries(cases))('refuses %s and names the place', (_sentence, { text, want }) => {
    const parsed = parseClusterEntries(text)
    expect(parsed.ok ? [] : parsed.error.map((problem) => problem.message).join('\n')).toContain(want)
  })

  it('is refused by the place of what is wrong, as data', () => {
    expect(parseClusterEntries('{')).toMatchObject({ error: [{ code: 'SETTING.INVALID', object: 'JOINER_CLUSTERS' }] })
    const empty = parseClusterEntries('[]')
    expect(empty).toMatchObject({ error: [{ code: 'SETTING.INVALID', object: 'JOINER_CLUSTERS' }] })
    expect(empty.ok || empty.error.some((problem) => 'path' in problem)).toBe(false)
    const wrong = { ...ENTRY, images: { gallery: 'private' } }
    expect(parseClusterEntries(JSON.stringify([wrong]))).toMatchObject({
      error: [{ object: 'JOINER_CLUSTERS', path: '[0].images.gallery' }],
    })
  })

  it('may name several clusters, with a topic or without', () => {
    const parsed = parseClusterEntries(
      JSON.stringify([
        { ...ENTRY, eventGridTopicId: TOPIC },
        { ...ENTRY, resourceId: OTHER_ID },
      ]),
    )
    expect(parsed).toMatchObject({ ok: true, value: [{ id: 'shop' }, { id: 'shop-2' }] })
  })
})

/** For each field that overrides Azure, a value that no cluster of these tests has. */
const OVERRIDING = {
  tenantId: '00000000-0000-4000-8000-00000000000f',
  location: 'westus3',
  nodeResourceGroup: 'other-group',
  vnetSubnetId: OWN_SUBNET,
  vnetGuid: 'a-guid',
  networkSecurityGroupId: '/a/group',
  networkSecurityGroup: 'a-group',
  routeTable: 'a-table',
  apiServer: 'https://elsewhere:6443',
  kubernetesVersion: '1.33.1',
  kubeletIdentityClientId: 'another',
  nodeIdentities: ['/subscriptions/s/resourceGroups/g/providers/Microsoft.ManagedIdentity/userAssignedIdentities/other'],
  sshPublicKey: 'ssh-ed25519 OTHER',
  networkPlugin: 'none',
  networkPluginMode: '',
  networkPolicy: 'calico',
  networkDataplane: 'azure',
  dnsServiceIp: '10.9.9.9',
  backendPoolIds: ['/a/pool'],
  oidcIssuer: 'https://issuer.elsewhere/',
} as const

describe('a cluster', () => {
  it('is as Azure says', () => {
    const network = { subnetId: MANAGED_SUBNET, networkSecurityGroupId: '/x/networkSecurityGroups/aks-agentpool-12345678-nsg' }
    expect(resolveCluster(entryOf(), factsOf(CLUSTERS.public, network))).toMatchObject({
      ok: true,
      value: {
        id: 'shop',
        subscriptionId: '00000000-0000-4000-8000-000000000001',
        clusterName: 'shop',
        tenantId: '00000000-0000-4000-8000-000000000002',
        location: 'eastus',
        nodeResourceGroup: 'MC_shop_shop_eastus',
        vnetSubnetId: MANAGED_SUBNET,
        vnetGuid: VNET_GUID,
        networkSecurityGroup: 'aks-agentpool-12345678-nsg',
        routeTable: 'aks-agentpool-12345678-routetable',
        apiServer: 'https://shop-abc123.hcp.eastus.azmk8s.io',
        kubernetesVersion: '1.34.2',
        kubeletIdentityClientId: '00000000-0000-4000-8000-000000000004',
        nodeIdentities: [expect.stringContaining('shop-agentpool')],
        sshPublicKey: 'ssh-rsa AAAA shop',
        networkPlugin: 'azure',
        networkPluginMode: 'overlay',
        networkPolicy: 'cilium',
        networkDataplane: 'cilium',
        oidcIssuer: expect.stringContaining('https://eastus.oic'),
      },
    })
  })

  it('encrypts disks with the set of the cluster, if its entry names no other', () => {
    const set = (over: object) => {
      const resolved = resolveCluster(entryOf(over), factsOf(CLUSTERS['disk encryption set']))
      return resolved.ok && resolved.value.diskEncryptionSetId
    }
    expect([set({}), set({ diskEncryptionSetId: '/mine' })]).toEqual([expect.stringMatching(/diskEncryptionSets\/shop$/), '/mine'])
  })

  it('tells what is not supported, which no entry can override', () => {
    const resolved = resolveCluster(entryOf({ networkPolicy: 'azure' }), factsOf(CLUSTERS.calico))
    expect(resolved).toMatchObject({ ok: true, value: { unsupported: [expect.stringContaining('networkProfile.networkPolicy calico')] } })
    expect(parseClusterEntries(JSON.stringify([{ ...ENTRY, unsupported: [] }]))).toMatchObject({ ok: false })
  })

  it('has interfaces that name the group of AKS only in a network that is not of AKS', () => {
    const networkSecurityGroupId = '/x/networkSecurityGroups/aks-agentpool-12345678-nsg'
    const groupIn = (body: unknown, over = {}): unknown => {
      const resolved = resolveCluster(entryOf(over), factsOf(body, { subnetId: MANAGED_SUBNET, networkSecurityGroupId }))
      return resolved.ok && resolved.value.networkSecurityGroupId
    }
    expect(groupIn(CLUSTERS.public)).toBeUndefined()
    expect(groupIn(CLUSTERS['own subnet'])).toBe(networkSecurityGroupId)
    expect(groupIn(CLUSTERS.public, { vnetSubnetId: OWN_SUBNET })).toBe(networkSecurityGroupId)
    // A network of the user in the group of the nodes, and a subnet of the user in the network of AKS.
    expect(groupIn(CLUSTERS.public, { vnetSubnetId: MANAGED_SUBNET.replace(/aks-vnet-\d+/, 'my-vnet') })).toBe(networkSecurityGroupId)
    expect(groupIn(CLUSTERS.public, { vnetSubnetId: MANAGED_SUBNET.replace('aks-subnet', 'mine') })).toBe(networkSecurityGroupId)
  })

  it('has an override for every fact, all of them tried here', () => {
    const whole = { ...OVERRIDING }
    expect(overridesOf(entryOf(whole))).toEqual(Object.keys(OVERRIDING))
    expect(overridesOf(entryOf())).toEqual([])
  })

  it.each(Object.entries(OVERRIDING))('is as its entry says where that says %s', (name, value) => {
    const entry = entryOf({ [name]: value, ...(name === 'networkDataplane' ? { networkPolicy: '' } : {}) })
    const resolved = resolveCluster(entry, factsOf(CLUSTERS.public))
    expect(resolved).toMatchObject({ ok: true, value: { [name]: value } })
    const without = resolveCluster(entryOf(), factsOf(CLUSTERS.public))
    expect(without).not.toMatchObject({ value: { [name]: value } })
  })

  it('needs no answer of Azure where its entry says everything', () => {
    expect(resolveCluster(entryOf(OVERRIDING), undefined)).toMatchObject({ ok: true, value: OVERRIDING })
  })

  it('of which nobody knows enough is refused, each missing field by name', () => {
    const resolved = resolveCluster(entryOf(), undefined)
    const paths = resolved.ok ? [] : resolved.error.map(({ path }) => path)
    expect(paths.sort()).toEqual([
      'apiServer',
      'kubernetesVersion',
      'location',
      'networkDataplane',
      'nodeResourceGroup',
      'sshPublicKey',
      'vnetSubnetId',
    ])
    expect(resolved.ok ? '' : resolved.error[0]?.message).toMatch(
      /^setting JOINER_CLUSTERS\.\w+: is not known: Azure does not say it of cluster shop/,
    )
    const keyless = resolveCluster(entryOf(), factsOf(managedCluster({ linuxProfile: null })))
    expect(keyless).toMatchObject({ ok: false, error: [{ code: 'SETTING.INVALID', path: 'sshPublicKey' }] })
  })

  it('with an overlay network needs the GUID of the virtual network, and no other cluster does', () => {
    const facts = unlabelled(CLUSTERS.public)
    expect(resolveCluster(entryOf(), facts)).toMatchObject({
      ok: false,
      error: [{ code: 'SETTING.INVALID', path: 'vnetGuid', message: expect.stringContaining('is not known') }],
    })
    expect(resolveCluster(entryOf({ vnetGuid: 'a-guid' }), facts)).toMatchObject({
      value: { vnetGuid: 'a-guid' },
    })
    expect(resolveCluster(entryOf({ networkPluginMode: '' }), facts)).toMatchObject({ ok: true })
  })

  it('cannot have a data plane that does not go with its policies', () => {
    const resolved = resolveCluster(entryOf({ networkDataplane: 'azure' }), factsOf(CLUSTERS.public))
    expect(resolved.ok ? '' : resolved.error.map(({ message }) => message).join()).toContain(
      'JOINER_CLUSTERS.networkDataplane: must be cilium where networkPolicy is',
    )
  })
})
