import { describe, expect, it } from 'vitest'
import { bootVariables } from '../../shared/adapters/azure/bootstrap/bootVariables.ts'
import { interfaceBody } from '../../shared/adapters/azure/machines/interfaceBody.ts'
import { machineBody } from '../../shared/adapters/azure/machines/machineBody.ts'
import { machineTags } from '../../shared/adapters/azure/machines/tags.ts'
import { buildInstanceTypes } from '../../shared/adapters/azure/sizes/instanceTypes.ts'
import { usableSize } from '../../shared/adapters/azure/sizes/size.ts'
import { exceptRanges } from '../../shared/model/clusterFacts.ts'
import { clusterId, zoneName } from '../../shared/model/ids.ts'
import type { ClusterConfig } from '../../shared/wire/clusterConfig.ts'
import { clusterFactHashes, MACHINE_FACTS } from '../../shared/wire/machineFacts.ts'
import { candidateOf, claim, clusterConfig, nodeClass } from './harness.ts'
import { sku } from './skuBuilder.ts'

const SUBSCRIPTION = '00000000-0000-4000-8000-000000000001'
const inGroup = (rest: string): string => `/subscriptions/${SUBSCRIPTION}/resourceGroups/g/providers/${rest}`
const CONFIG: ClusterConfig = clusterConfig(
  {
    subscriptionId: SUBSCRIPTION,
    tenantId: '00000000-0000-4000-8000-000000000002',
    location: 'eastus',
    resourceGroups: ['mc_a'],
    subnetId: inGroup('Microsoft.Network/virtualNetworks/v/subnets/nodes'),
  },
  { hasFacts: true, networkDataplane: 'cilium', networkPolicy: 'cilium' },
)

/** Another value for each field. */
const OTHER: { readonly [Field in keyof Required<ClusterConfig>]: ClusterConfig[Field] } = {
  id: clusterId('other'),
  subscriptionId: '00000000-0000-4000-8000-00000000000f',
  clusterName: 'other',
  caBundle: 'b3RoZXI=',
  adminUsername: 'other',
  images: { ...CONFIG.images, version: '202601.01.0' },
  diskEncryptionSetId: inGroup('Microsoft.Compute/diskEncryptionSets/other'),
  shimServiceAccount: 'other/shim',
  readerServiceAccount: 'other/reader',
  allowedShimIdentities: [SUBSCRIPTION],
  allowedReaderIdentities: [SUBSCRIPTION],
  eventGridTopicId: inGroup('Microsoft.EventGrid/topics/other'),
  apiServerAudience: 'other',
  vmMemoryOverheadPercent: 0.1,
  machinePrefix: 'other-',
  formerMachinePrefixes: ['older-'],
  podDeletionCosts: true,
  additionalTags: { other: 'yes' },
  tenantId: '00000000-0000-4000-8000-00000000000f',
  location: 'westus3',
  nodeResourceGroup: 'mc_other',
  vnetSubnetId: inGroup('Microsoft.Network/virtualNetworks/v/subnets/other'),
  vnetGuid: '00000000-0000-4000-8000-00000000000f',
  networkSecurityGroupId: inGroup('Microsoft.Network/networkSecurityGroups/other'),
  networkSecurityGroup: 'other',
  routeTable: 'other',
  apiServer: 'https://other.example:443',
  kubernetesVersion: '1.33.1',
  kubeletIdentityClientId: '00000000-0000-4000-8000-00000000000f',
  nodeIdentities: [inGroup('Microsoft.ManagedIdentity/userAssignedIdentities/other')],
  sshPublicKey: 'ssh-ed25519 OTHER',
  networkPlugin: 'none',
  networkPluginMode: '',
  networkPolicy: 'azure',
  networkDataplane: 'azure',
  dnsServiceIp: '10.9.9.9',
  backendPoolIds: [inGroup('Microsoft.Network/loadBalancers/kubernetes/backendAddressPools/other')],
  oidcIssuer: 'https://issuer.example/',
  unsupported: ['something'],
  hasFacts: false,
  httpProxy: { http: 'http://proxy.example:3128', noProxy: ['localhost'], configuredNoProxy: [] },
  trustedCertificates: ['b3RoZXI='],
  fipsPools: ['other'],
  encryptedPools: ['other'],
}
const FIELDS = Object.entries(MACHINE_FACTS)
const changed = (field: string): ClusterConfig => ({ ...CONFIG, [field]: Reflect.get(OTHER, field) })

/** All that is sent for a machine and its interface. The size and its place are those of the same catalog: they follow from the plan. */
function machineOf(config: ClusterConfig): string {
  const theClass = nodeClass()
  const size = usableSize(sku({}))
  const [type] = buildInstanceTypes({ sizes: size === undefined ? [] : [size], prices: {}, usages: {} }, theClass, CONFIG)
  if (type === undefined) throw new Error('the size must serve')
  const candidate = candidateOf(type, { zone: zoneName('eastus-1'), capacityType: 'on-demand' })
  const request = { claim: claim('one'), nodeClass: theClass, candidate }
  const tags = machineTags(request.claim, theClass, config)
  const imageId = '/CommunityGalleries/g/images/2404gen2containerd/versions/202608.21.0'
  const boot = bootVariables({ ...request, config, imageId, bootstrapToken: 'abcdef.0123456789abcdef' })
  const body = { name: 'n', request, config, tags, interfaceId: '/i', imageId, customData: '', disk: undefined }
  return JSON.stringify([
    boot,
    machineBody(body),
    interfaceBody('n', { instanceType: type, nodeClass: theClass, config, poolIds: config.backendPoolIds, tags }),
  ])
}

describe('each fact of a cluster', () => {
  it.each(FIELDS)('has a row that says whether it is in a machine: %s', (field, row) => {
    const isInMachine = machineOf(changed(field)) !== machineOf(CONFIG)
    expect(isInMachine).toBe(row === 'drifts' || 'stays' in row)
    if (row !== 'drifts') expect(Object.values(row).join('').split(' ').length).toBeGreaterThan(3)
  })

  it.each(FIELDS)('has a hash of its own if nodes drift by it, and changes no other: %s', (field, row) => {
    const [before = {}, after = {}] = [clusterFactHashes(CONFIG), clusterFactHashes({ ...changed(field), hasFacts: true, unsupported: [] })]
    const differing = Object.keys(before).filter((name) => before[name] !== after[name])
    expect(differing).toEqual(row === 'drifts' ? [field] : [])
  })

  it('of the proxy is what the cluster says: what Joiner excepts from it is left out, and facts of an older version are not compared', () => {
    const told = { http: 'http://proxy.example:3128', noProxy: ['.corp'], configuredNoProxy: ['.corp'] }
    const of = (httpProxy: ClusterConfig['httpProxy']) => clusterFactHashes({ ...CONFIG, httpProxy })
    expect(of(exceptRanges(told, ['10.77.0.0/16']))).toEqual(of(told))
    expect(of({ ...told, configuredNoProxy: ['.corp', '.other'] })).not.toEqual(of(told))
    expect(of({ ...told, http: 'http://other.example:3128' })).not.toEqual(of(told))
    const { httpProxy: _, ...others } = of(told) ?? {}
    expect(of({ http: told.http, noProxy: told.noProxy })).toEqual(others)
  })

  it('is not compared while Azure has not told the facts or no machine can be made, or where the same address is written in another way', () => {
    expect(clusterFactHashes({ ...CONFIG, hasFacts: false })).toBeUndefined()
    // A proxy that nodes cannot be prepared for is read as none, and no machine can be made in place of a node.
    expect(clusterFactHashes({ ...CONFIG, unsupported: ['httpProxyConfig is not supported: no proxy'] })).toBeUndefined()
    const withPort = { ...CONFIG, apiServer: 'https://shop.example:443/' }
    expect(clusterFactHashes(withPort)).toEqual(clusterFactHashes({ ...CONFIG, apiServer: 'https://shop.example' }))
  })
})
