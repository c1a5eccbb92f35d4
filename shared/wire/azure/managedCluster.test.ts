import { describe, expect, it } from 'vitest'
import { CLUSTER_ID, CLUSTERS, managedCluster, OWN_SUBNET } from '../../../test/builders/managedCluster.ts'
import type { ClusterFacts } from '../../model/clusterFacts.ts'
import { epochMs } from '../../model/units.ts'
import { readClusterFacts, writeClusterFacts } from './clusterFactsBlob.ts'
import { parseManagedCluster } from './managedCluster.ts'

function factsOf(body: unknown): ClusterFacts {
  const read = parseManagedCluster(body, CLUSTER_ID)
  if (!read.ok) throw new Error(read.error.message)
  return read.value
}

/** How the facts of each kind of cluster differ from those of a public cluster. */
const DIFFERENCES: { readonly [Kind in keyof typeof CLUSTERS]: object } = {
  public: {},
  'authorized ranges': { apiServer: { isPrivate: false, authorizedRanges: ['20.1.2.3/32', '20.4.0.0/16'] } },
  private: { apiServer: { url: 'https://shop-abc123.00000000.privatelink.eastus.azmk8s.io', isPrivate: true } },
  automatic: { sku: 'Automatic', nodeResourceGroupRestriction: 'ReadOnly', nodeProvisioning: 'Auto' },
  locked: { nodeResourceGroupRestriction: 'ReadOnly' },
  'node auto provisioning': { nodeProvisioning: 'Auto' },
  'no Entra': {},
  'no OIDC issuer': { hasWorkloadIdentity: false },
  'no workload identity': { hasWorkloadIdentity: false },
  stopped: { powerState: 'Stopped' },
  updating: { provisioningState: 'Updating' },
  old: { kubernetesVersion: '1.29.15' },
  kubenet: { network: { plugin: 'kubenet', pluginMode: '', policy: 'calico', dataplane: 'azure' } },
  'own network plugin': { network: { plugin: 'none', pluginMode: '' } },
  'service principal': { identity: 'ServicePrincipal' },
  'own subnet': { network: { subnetId: OWN_SUBNET } },
  'no outbound': { network: { outboundType: 'none' } },
  calico: { unsupported: [{ member: 'networkProfile.networkPolicy' }] },
  'pod subnet': { unsupported: [{ member: 'agentPoolProfiles[0].podSubnetID' }] },
  'dual stack': { unsupported: [{ member: 'networkProfile.ipFamilies' }] },
  'http proxy': {
    unsupported: [],
    httpProxy: {
      http: 'http://proxy.example:3128',
      https: 'http://proxy.example:3128',
      noProxy: [
        ...['10.0.0.0/8', 'localhost', '127.0.0.1', '168.63.129.16', '169.254.169.254', 'konnectivity'],
        ...['shop-abc123.hcp.eastus.azmk8s.io', '10.244.0.0/16', '10.0.0.0/16'],
      ],
      configuredNoProxy: ['10.0.0.0/8'],
    },
  },
  'own certificate authority': { unsupported: [], trustedCertificates: ['LS0t'] },
  'network isolated': { unsupported: [{ member: 'networkProfile.outboundType' }, { member: 'bootstrapProfile' }] },
  'IMDS restriction': { unsupported: [{ member: 'networkProfile.podLinkLocalAccess' }] },
  'disk encryption set': { unsupported: [], diskEncryptionSetId: expect.stringMatching(/diskEncryptionSets\/shop$/) },
  KMS: { unsupported: [] },
  'protected pools': { unsupported: [], pools: [{ hasFips: true, encryptsAtHost: true }] },
  'pools with local DNS': { unsupported: [], pools: [true, false, false].map((hasLocalDns) => ({ hasLocalDns })) },
  'autoscaled pools': { pools: [false, true, true, true, false].map((autoscales) => ({ autoscales })) },
  newer: { kubernetesVersion: '1.37.0' },
  'bare system pool': { pools: [{ name: 'system', mode: 'System', count: 0, taints: [] }] },
}

describe('the answer about a managed cluster', () => {
  it('is read to the facts of the cluster', () => {
    expect(factsOf(CLUSTERS.public)).toEqual({
      resourceId: CLUSTER_ID,
      location: 'eastus',
      kubernetesVersion: '1.34.2',
      powerState: 'Running',
      provisioningState: 'Succeeded',
      sku: 'Base',
      nodeResourceGroup: 'MC_shop_shop_eastus',
      nodeResourceGroupRestriction: 'Unrestricted',
      identity: 'ManagedIdentity',
      kubeletIdentity: {
        clientId: '00000000-0000-4000-8000-000000000004',
        resourceId: expect.stringMatching(/\/userAssignedIdentities\/shop-agentpool$/),
      },
      nodeProvisioning: 'Manual',
      hasWorkloadIdentity: true,
      oidcIssuer: expect.stringMatching(/^https:\/\/eastus\.oic\.prod-aks\.azure\.com\/.*\/$/),
      entra: { tenantId: '00000000-0000-4000-8000-000000000002' },
      apiServer: { url: 'https://shop-abc123.hcp.eastus.azmk8s.io', isPrivate: false, authorizedRanges: [] },
      network: {
        plugin: 'azure',
        pluginMode: 'overlay',
        policy: 'cilium',
        dataplane: 'cilium',
        outboundType: 'loadBalancer',
        dnsServiceIp: '10.0.0.10',
        backendPoolIds: [],
      },
      sshPublicKey: 'ssh-rsa AAAA shop',
      trustedCertificates: [],
      unsupported: [],
      pools: [
        {
          name: 'system',
          mode: 'System',
          count: 2,
          taints: ['CriticalAddonsOnly=true:NoSchedule'],
          hasFips: false,
          encryptsAtHost: false,
          hasLocalDns: false,
          autoscales: false,
        },
        { name: 'user', mode: 'User', count: 0, taints: [], hasFips: false, encryptsAtHost: false, hasLocalDns: false, autoscales: false },
      ],
    })
  })

  it.each(Object.entries(CLUSTERS))('of kind %s says what is different', (kind, body) => {
    expect(factsOf(body)).toMatchObject(DIFFERENCES[kind as keyof typeof CLUSTERS])
  })

  it('leaves out what the cluster does not have', () => {
    expect(factsOf(CLUSTERS['no Entra'])).not.toHaveProperty('entra')
    expect(factsOf(CLUSTERS['no OIDC issuer'])).not.toHaveProperty('oidcIssuer')
    expect(factsOf(CLUSTERS['service principal'])).not.toHaveProperty('kubeletIdentity')
    expect(factsOf(managedCluster({ linuxProfile: null }))).not.toHaveProperty('sshPublicKey')
  })

  it('goes by what runs, and by the version that was asked for only where nothing else is said', () => {
    expect(factsOf(managedCluster({ currentKubernetesVersion: null, kubernetesVersion: '1.33.4' })).kubernetesVersion).toBe('1.33.4')
  })

  it('spells the region as requests do', () => {
    expect(factsOf(managedCluster({}, { location: 'East US' })).location).toBe('eastus')
  })

  it('may have members that nobody here knows', () => {
    expect(factsOf(managedCluster({ somethingNew: { deep: [1] } }, { zones: ['1'] })).location).toBe('eastus')
  })

  const wrong: { readonly [sentence: string]: readonly [body: unknown, field: string] } = {
    'that is no object': ['<html>', ''],
    'without properties': [{ location: 'eastus' }, 'properties'],
    'without a region': [managedCluster({}, { location: undefined }), 'location'],
    'with a node resource group that is a number': [managedCluster({ nodeResourceGroup: 7 }), 'properties.nodeResourceGroup'],
    'without any version': [
      managedCluster({ kubernetesVersion: null, currentKubernetesVersion: null }),
      'properties.currentKubernetesVersion',
    ],
    'without an address': [managedCluster({ fqdn: null }), 'properties.fqdn'],
    'of a private cluster without a private address': [
      managedCluster({ apiServerAccessProfile: { enablePrivateCluster: true } }),
      'properties.privateFQDN',
    ],
    'with a pool without a name': [managedCluster({ agentPoolProfiles: [{ mode: 'System' }] }), 'properties.agentPoolProfiles.0.name'],
  }
  it.each(Object.entries(wrong))('%s is one problem that names cluster and field', (_, [body, field]) => {
    const read = parseManagedCluster(body, CLUSTER_ID)
    expect(read).toMatchObject({ ok: false, error: { code: 'AZURE.FAILED', object: CLUSTER_ID, path: field } })
  })
})

describe('facts in storage', () => {
  it.each(Object.entries(CLUSTERS))('of kind %s are read as they were written', (_, body) => {
    const facts = factsOf(body)
    expect(readClusterFacts(writeClusterFacts({ at: epochMs(5), facts }))).toEqual({ at: 5, facts })
  })

  it('of an older version have pools that nobody scales', () => {
    const text = writeClusterFacts({ at: epochMs(5), facts: factsOf(CLUSTERS.public) })
    const older = text.replaceAll(/,"autoscales":false|"autoscales":false,/g, '')
    expect(older).not.toBe(text)
    expect(readClusterFacts(older)).toEqual(readClusterFacts(text))
  })

  it('hold nothing of a cluster that is a secret', () => {
    const secrets = { servicePrincipalProfile: { clientId: 'x', secret: 'p4ssw0rd' }, aadProfile: { serverAppSecret: 'p4ssw0rd' } }
    expect(writeClusterFacts({ at: epochMs(5), facts: factsOf(managedCluster(secrets)) })).not.toContain('p4ssw0rd')
  })

  it.each(['', '{', '[]', '{"schema":2,"at":1,"facts":{}}', '{"schema":1,"at":1,"facts":{}}'])('are not read from %s', (text) => {
    expect(readClusterFacts(text)).toBeUndefined()
  })
})
