import { describe, expect, it } from 'vitest'
import { clusterConfig, nodeClass } from '../../../../test/azure/harness.ts'
import { sku } from '../../../../test/azure/skuBuilder.ts'
import type { NodeClass } from '../../../model/nodeClass.ts'
import type { ClusterConfigInput } from '../../../wire/clusterConfig.ts'
import { classProblem } from './classProblem.ts'
import { buildInstanceTypes } from './instanceTypes.ts'
import { sizeProblem } from './servedSizes.ts'
import { usableSize } from './size.ts'

const AZURE = {
  subscriptionId: '00000000-0000-0000-0000-000000000001',
  tenantId: '00000000-0000-0000-0000-000000000002',
  location: 'eastus',
  resourceGroups: ['MC_demo'],
  subnetId:
    '/subscriptions/00000000-0000-0000-0000-000000000001/resourceGroups/MC_demo/providers/Microsoft.Network/virtualNetworks/v/subnets/s',
}

type Case = readonly [config: Partial<ClusterConfigInput>, spec: Partial<NodeClass['spec']>, code: string, told: string]

const REFUSED: { readonly [sentence: string]: Case } = {
  'a member of the cluster that is not supported': [
    { unsupported: ['httpProxyConfig is not supported: no proxy; use another cluster'] },
    {},
    'CLUSTER.UNSUPPORTED',
    'httpProxyConfig is not supported',
  ],
  'another cloud': [{ location: 'usgovvirginia' }, {}, 'CLUSTER.UNSUPPORTED', 'region usgovvirginia is in Azure US Government'],
  'a version that is not known': [{ kubernetesVersion: '1.37.0' }, {}, 'CLUSTER.UNSUPPORTED', 'Kubernetes 1.37.0 is newer than 1.36'],
  'more than 50 tags': [
    { additionalTags: { owner: 'a' } },
    { tags: Object.fromEntries(Array.from({ length: 45 }, (_, index) => [`t${index}`, 'v'])) },
    'NODECLASS.INVALID',
    'spec.tags: there are 46 tags',
  ],
  'a tag like one of Joiner in another case': [
    {},
    { tags: { 'Joiner.dev/cluster': 'mine' } },
    'NODECLASS.INVALID',
    'joiner.dev_cluster and Joiner.dev_cluster differ in case only',
  ],
  'a tag like one of the settings in another case': [
    { additionalTags: { team: 'a' } },
    { tags: { Team: 'b' } },
    'NODECLASS.INVALID',
    'team and Team differ in case only',
  ],
  'FIPS of a pool that the class leaves open': [{ fipsPools: ['system'] }, {}, 'NODECLASS.INVALID', 'spec.fipsMode is not set'],
  'host encryption of a pool that the class leaves open': [
    { encryptedPools: ['system', 'user'] },
    {},
    'NODECLASS.INVALID',
    'spec.encryptionAtHost is not set, and the nodes of system, user have encryption at host',
  ],
}

const sizes = [usableSize(sku({}))].filter((size) => size !== undefined)

describe('no machine of any size is made', () => {
  it.each(Object.entries(REFUSED))('for %s, and the class says so', (_, [over, spec, code, told]) => {
    const config = clusterConfig(AZURE, over)
    const found = classProblem(nodeClass(spec), config)
    expect(found).toMatchObject({ code, object: 'aksnodeclass/default', message: expect.stringContaining(told) })
    expect(sizeProblem(sizes, nodeClass(spec), config)).toEqual(found)
    expect(buildInstanceTypes({ sizes, prices: {}, usages: {} }, nodeClass(spec), config)).toEqual([])
  })

  it.each<readonly [Partial<ClusterConfigInput>, Partial<NodeClass['spec']>]>([
    [{}, {}],
    [{ additionalTags: { team: 'a' } }, { tags: { team: 'b', 'joiner.dev/cluster': 'mine' } }],
    [{}, { tags: Object.fromEntries(Array.from({ length: 45 }, (_, index) => [`t${index}`, 'v'])) }],
    [{ kubernetesVersion: '1.36.4' }, {}],
    [{ encryptedPools: ['system'] }, { encryptionAtHost: false }],
    [{ encryptedPools: ['system'] }, { encryptionAtHost: true }],
    [{ fipsPools: ['system'] }, { fipsMode: 'Disabled' }],
  ])('but not for %j with %j', (over, spec) => {
    expect(classProblem(nodeClass(spec), clusterConfig(AZURE, over))).toBeUndefined()
    expect(buildInstanceTypes({ sizes, prices: {}, usages: {} }, nodeClass(spec), clusterConfig(AZURE, over))).toHaveLength(1)
  })
})
