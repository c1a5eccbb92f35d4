import { describe, expect, it } from 'vitest'
import { hasTypes, memberNames } from '../../../test/azure/bicepTypes.ts'
import { CLUSTER_MEMBERS, type MemberTable, unsupportedMembers } from './clusterMembers.ts'
import { MANAGED_CLUSTER_VERSION } from './managedCluster.ts'

const TYPES = `containerservice-${MANAGED_CLUSTER_VERSION}.json.gz`
const RESOURCE = `Microsoft.ContainerService/managedClusters@${MANAGED_CLUSTER_VERSION}`
/** Members that only preview versions have. A stable version does not tell them. */
const PREVIEW = ['networkProfile.podLinkLocalAccess']

/** The path of each row. A row whose members have rows of their own is not a path. */
function pathsOf(table: MemberTable, before = ''): readonly string[] {
  return Object.entries(table).flatMap(([name, row]) =>
    row.rule === 'inside' ? pathsOf(row.members, `${before}${name}.`) : [`${before}${name}`],
  )
}

const insides = Object.entries(CLUSTER_MEMBERS).flatMap(([name, { rule }]) => (rule === 'inside' ? [name] : []))

describe('the members of a managed cluster', () => {
  it.skipIf(!hasTypes(TYPES))(`have a row each (skipped without ${TYPES})`, () => {
    const published = memberNames(TYPES, RESOURCE, 'properties').flatMap((name) =>
      insides.includes(name) ? memberNames(TYPES, RESOURCE, `properties.${name}`).map((inner) => `${name}.${inner}`) : [name],
    )
    expect([...pathsOf(CLUSTER_MEMBERS)].sort()).toEqual([...published, ...PREVIEW].sort())
  })

  it('were compared with this version of the API: a newer version needs a new look at its members', () => {
    expect(MANAGED_CLUSTER_VERSION).toBe('2026-05-01')
  })

  const refused: { readonly [member: string]: readonly [given: object, told: string] } = {
    kubenet: [{ networkProfile: { networkPlugin: 'kubenet' } }, 'networkProfile.networkPlugin kubenet is not supported'],
    'no plugin': [{ networkProfile: { networkPlugin: 'none' } }, 'networkProfile.networkPlugin none is not supported'],
    'a plugin that nobody knows': [{ networkProfile: { networkPlugin: 'new' } }, 'networkProfile.networkPlugin new is not supported'],
    'a basic load balancer': [{ networkProfile: { loadBalancerSku: 'basic' } }, 'networkProfile.loadBalancerSku basic is not supported'],
    'an outbound type that nobody knows': [{ networkProfile: { outboundType: 'new' } }, 'networkProfile.outboundType new is not supported'],
    acceleration: [
      { networkProfile: { advancedNetworking: { enabled: true, performance: { accelerationMode: 'BpfVeth' } } } },
      'networkProfile.advancedNetworking is not supported',
    ],
    'several load balancers': [
      { networkProfile: { loadBalancerProfile: { enableMultipleStandardLoadBalancers: true } } },
      'networkProfile.loadBalancerProfile is not supported',
    ],
    'a pod subnet of the second pool': [
      { agentPoolProfiles: [{ name: 'a' }, { name: 'b', podSubnetID: '/pods' }] },
      'agentPoolProfiles[1].podSubnetID is not supported',
    ],
    'availability sets': [
      { agentPoolProfiles: [{ type: 'AvailabilitySet' }] },
      'agentPoolProfiles[0].type AvailabilitySet is not supported',
    ],
    'a proxy with a password': [{ httpProxyConfig: { httpProxy: 'http://u:p@q', enabled: true } }, 'httpProxyConfig is not supported'],
    'certificates that are none': [
      { securityProfile: { customCATrustCertificates: ['-'] } },
      'securityProfile.customCATrustCertificates is not supported',
    ],
    'a hosted system': [{ hostedSystemProfile: { enabled: true } }, 'hostedSystemProfile is not supported'],
  }
  it.each(Object.entries(refused))('are refused by name: %s', (_, [given, told]) => {
    const [only, ...others] = unsupportedMembers(given)
    expect(only?.message).toContain(told)
    expect(others).toEqual([])
  })

  it.each([
    [{}],
    [undefined],
    ['text'],
    [{ httpProxyConfig: { httpProxy: 'p', enabled: false } }],
    [{ httpProxyConfig: { httpProxy: 'http://p', enabled: true } }],
    [{ httpProxyConfig: false }],
    [{ securityProfile: { customCATrustCertificates: ['YQ=='] } }],
    [{ bootstrapProfile: {} }],
    [{ httpProxyConfig: null, securityProfile: null, networkProfile: { networkMode: null, ipFamilies: null } }],
    [{ securityProfile: { customCATrustCertificates: [] } }],
    [{ bootstrapProfile: { artifactSource: 'Direct' } }],
    [
      {
        networkProfile: {
          networkPlugin: 'Azure',
          outboundType: 'userDefinedRouting',
          ipFamilies: ['IPv4'],
          advancedNetworking: { enabled: true },
        },
      },
    ],
  ])('are not refused: %j', (given) => {
    expect(unsupportedMembers(given)).toEqual([])
  })

  it('tell no value that may be a secret', () => {
    const [told] = unsupportedMembers({ httpProxyConfig: { httpProxy: 'http://user:p4ssw0rd@proxy' } })
    expect(JSON.stringify(told)).not.toContain('p4ssw0rd')
  })
})
