import { describe, expect, it } from 'vitest'
import { createManifestValidator } from '../../shared/wire/schema/validateManifest.ts'
import { evaluateRule } from './celRules.ts'

const validate = createManifestValidator(evaluateRule)

type Change = { readonly [path: string]: unknown }

const REF = { group: 'karpenter.azure.com', kind: 'AKSNodeClass', name: 'default' }
const POOL = { metadata: { name: 'default' }, spec: { template: { spec: { nodeClassRef: REF, requirements: [] } } } }
const CLAIM = { metadata: { name: 'c' }, spec: { nodeClassRef: REF, requirements: [] } }
const CLASS = { metadata: { name: 'default' }, spec: {} }

/** The object with members at dotted paths replaced; undefined removes. */
function changed(object: unknown, changes: Change): unknown {
  return Object.entries(changes).reduce((result, [path, value]) => set(result, path.split('.'), value), object)
}

function set(object: unknown, [step, ...rest]: readonly string[], value: unknown): unknown {
  if (step === undefined) return value
  const before = (object ?? {}) as { readonly [name: string]: unknown }
  return { ...before, [step]: set(before[step], rest, value) }
}

type Case = { readonly change?: Change; readonly from?: Change; readonly want: string | 'accepted' }

function check(kind: string, apiVersion: string, base: unknown, cases: { readonly [name: string]: Case }): void {
  for (const [name, { change = {}, from, want }] of Object.entries(cases)) {
    it(name, () => {
      const found = validate(kind, apiVersion, changed(base, change), from && changed(base, from))
      if (want === 'accepted') expect(found).toEqual([])
      else expect(found.map(({ message }) => message).join('\n')).toContain(want)
    })
  }
}

const label = (key: string): Change => ({ 'spec.template.metadata.labels': { [key]: 'x' } })
const requires = (key: string, operator = 'Exists', values?: readonly string[], minValues?: number): Change => ({
  'spec.template.spec.requirements': [{ key, operator, values, minValues }],
})
const budgets = (...list: object[]): Change => ({ 'spec.disruption': { consolidateAfter: '0s', budgets: list } })
const disruption = (value: object): Change => ({ 'spec.disruption': { consolidateAfter: '0s', ...value } })
const taint = (value: object): Change => ({ 'spec.template.spec.taints': [{ key: 'a', effect: 'NoSchedule', ...value }] })
const RESTRICTED = 'restricted'

describe('NodePool', () => {
  check('NodePool', 'karpenter.sh/v1', POOL, {
    'the least there can be': { want: 'accepted' },
    'a label of ones own': { change: label('example.com/team'), want: 'accepted' },
    'a label under karpenter.sh': { change: label('karpenter.sh/custom'), want: RESTRICTED },
    'a label under a domain that ends like karpenter.sh': { change: label('my.karpenter.sh/custom'), want: RESTRICTED },
    'the domain karpenter.sh itself as a key': { change: label('karpenter.sh'), want: RESTRICTED },
    'a label whose name, not domain, is karpenter.sh': { change: label('example.com/karpenter.sh'), want: 'accepted' },
    'the capacity type as a label': { change: label('karpenter.sh/capacity-type'), want: 'accepted' },
    'the pool itself as a label': { change: label('karpenter.sh/nodepool'), want: 'karpenter.sh/nodepool is restricted' },
    'the host name as a label': { change: label('kubernetes.io/hostname'), want: RESTRICTED },
    'a known label of karpenter.azure.com': { change: label('karpenter.azure.com/sku-family'), want: 'accepted' },
    'another label of karpenter.azure.com': { change: label('karpenter.azure.com/sku-hyperv-generation'), want: RESTRICTED },
    'a known label of kubernetes.azure.com': { change: label('kubernetes.azure.com/ebpf-dataplane'), want: 'accepted' },
    'another label of kubernetes.azure.com': { change: label('kubernetes.azure.com/role'), want: RESTRICTED },
    'agentpool as a label': { change: label('agentpool'), want: RESTRICTED },
    'accelerator as a label': { change: label('accelerator'), want: RESTRICTED },
    'a value that is no label value': { change: { 'spec.template.metadata.labels': { a: '-x' } }, want: 'spec.template.metadata.labels.a' },
    'a requirement on a label of ones own': { change: requires('team', 'In', ['a']), want: 'accepted' },
    'a requirement on the pool': { change: requires('karpenter.sh/nodepool', 'In', ['a']), want: RESTRICTED },
    'a requirement on a restricted domain': { change: requires('karpenter.sh/registered'), want: RESTRICTED },
    'a requirement on storagetier': { change: requires('storagetier'), want: RESTRICTED },
    'a key that is no qualified name': { change: requires('a/b/c'), want: 'requirements[0].key' },
    'an unknown operator': { change: requires('a', 'Equals'), want: 'requirements[0].operator' },
    'In without values': { change: requires('a', 'In'), want: 'In needs at least one value' },
    'In with an empty list': { change: requires('a', 'In', []), want: 'In needs at least one value' },
    'Gt with one integer': { change: requires('a', 'Gt', ['0']), want: 'accepted' },
    'Gte with two integers': { change: requires('a', 'Gte', ['1', '2']), want: 'exactly one integer' },
    'Lt with a negative integer': { change: requires('a', 'Lt', ['-1']), want: 'exactly one integer' },
    'Lte with a word': { change: requires('a', 'Lte', ['many']), want: 'exactly one integer' },
    'Lt without values': { change: requires('a', 'Lt'), want: 'exactly one integer' },
    'minValues with as many values': { change: requires('a', 'In', ['1', '2'], 2), want: 'accepted' },
    'minValues with fewer values': { change: requires('a', 'In', ['1'], 2), want: 'at least that many values' },
    'minValues without In': { change: requires('a', 'Exists', undefined, 2), want: 'accepted' },
    'minValues of 51': { change: requires('a', 'Exists', undefined, 51), want: 'minValues' },
    'no requirements at all': { change: { 'spec.template.spec.requirements': undefined }, want: 'spec.template.spec.requirements' },
    'a class without a name': { change: { 'spec.template.spec.nodeClassRef': { ...REF, name: '' } }, want: 'name must not be empty' },
    'a class whose group has a slash': {
      change: { 'spec.template.spec.nodeClassRef': { ...REF, group: 'a/b' } },
      want: 'nodeClassRef.group',
    },
    'another class': { change: { 'spec.template.spec.nodeClassRef.name': 'other' }, from: {}, want: 'accepted' },
    'a class of another group': { change: { 'spec.template.spec.nodeClassRef.group': 'other' }, from: {}, want: 'group of nodeClassRef' },
    'a class of another kind': { change: { 'spec.template.spec.nodeClassRef.kind': 'Other' }, from: {}, want: 'kind of nodeClassRef' },
    'expireAfter Never': { change: { 'spec.template.spec.expireAfter': 'Never' }, want: 'accepted' },
    'expireAfter 1h30m5s': { change: { 'spec.template.spec.expireAfter': '1h30m5s' }, want: 'accepted' },
    'expireAfter 1hr': { change: { 'spec.template.spec.expireAfter': '1hr' }, want: 'expireAfter' },
    'expireAfter -1s': { change: { 'spec.template.spec.expireAfter': '-1s' }, want: 'expireAfter' },
    'a grace period of Never': { change: { 'spec.template.spec.terminationGracePeriod': 'Never' }, want: 'terminationGracePeriod' },
    'the policy Balanced': { change: disruption({ consolidationPolicy: 'Balanced' }), want: 'accepted' },
    'an unknown policy': { change: disruption({ consolidationPolicy: 'WhenUnderutilized' }), want: 'consolidationPolicy' },
    'disruption without consolidateAfter': { change: { 'spec.disruption': {} }, want: 'consolidateAfter' },
    'a budget in percent': { change: budgets({ nodes: '100%' }), want: 'accepted' },
    'a budget of more than all': { change: budgets({ nodes: '101%' }), want: 'budgets[0].nodes' },
    'a budget with schedule and duration': { change: budgets({ nodes: '0', schedule: '@daily', duration: '1h30m' }), want: 'accepted' },
    'a budget with a schedule only': { change: budgets({ nodes: '0', schedule: '@daily' }), want: 'both a schedule and a duration' },
    'a budget with a duration only': { change: budgets({ nodes: '0', duration: '1h' }), want: 'both a schedule and a duration' },
    'a budget in seconds': { change: budgets({ nodes: '0', schedule: '@daily', duration: '30s' }), want: 'duration' },
    'a budget with four fields of cron': { change: budgets({ nodes: '0', schedule: '* * * *', duration: '1h' }), want: 'schedule' },
    'a budget for an unknown reason': { change: budgets({ nodes: '0', reasons: ['expired'] }), want: 'reasons' },
    'a taint': { change: taint({ value: 'b' }), want: 'accepted' },
    'a taint of an unknown effect': { change: taint({ effect: 'Never' }), want: 'taints[0].effect' },
    'a taint with an empty key': { change: taint({ key: '' }), want: 'taints[0].key' },
    'limits of any resource': { change: { 'spec.limits': { cpu: 100, 'nvidia.com/gpu': '2' } }, want: 'accepted' },
    'a limit that is no quantity': { change: { 'spec.limits': { cpu: 'many' } }, want: 'spec.limits.cpu' },
    'a weight of 100': { change: { 'spec.weight': 100 }, want: 'accepted' },
    'a weight of 0': { change: { 'spec.weight': 0 }, want: 'spec.weight' },
    'replicas with a limit of nodes': { change: { 'spec.replicas': 2, 'spec.limits': { nodes: 5 } }, want: 'accepted' },
    'replicas with another limit': { change: { 'spec.replicas': 2, 'spec.limits': { nodes: 5, cpu: 5 } }, want: "no limit but 'nodes'" },
    'replicas with a weight': { change: { 'spec.replicas': 2, 'spec.weight': 5 }, want: 'takes no weight' },
    'replicas changed': { change: { 'spec.replicas': 2 }, from: { 'spec.replicas': 1 }, want: 'accepted' },
    'replicas given to a pool without': { change: { 'spec.replicas': 2 }, from: {}, want: 'cannot change between' },
    'replicas taken from a pool': { from: { 'spec.replicas': 2 }, want: 'cannot change between' },
    'members nobody knows': { change: { 'spec.future': { a: 1 } }, want: 'accepted' },
  })
})

describe('NodeClaim', () => {
  const requirement = (key: string): Change => ({ 'spec.requirements': [{ key, operator: 'In', values: ['a'] }] })
  check('NodeClaim', 'karpenter.sh/v1', CLAIM, {
    'the least there can be': { want: 'accepted' },
    'a requirement on the pool': { change: requirement('karpenter.sh/nodepool'), want: 'accepted' },
    'a requirement on another label of karpenter.sh': { change: requirement('karpenter.sh/registered'), want: RESTRICTED },
    'the same spec again': { from: {}, want: 'accepted' },
    'another spec': { change: { 'spec.expireAfter': '1h' }, from: {}, want: 'cannot be changed' },
    'another status': { change: { status: { nodeName: 'n' } }, from: {}, want: 'accepted' },
    'a condition without message and reason': {
      change: { 'status.conditions': [{ type: 'Ready', status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z' }] },
      want: 'accepted',
    },
  })
})

describe('AKSNodeClass', () => {
  const trusted = { 'spec.security': { trustedLaunch: { secureBoot: true } } }
  const sysctls = (value: object): Change => ({ 'spec.linuxOSConfig': { sysctls: value } })
  const zone = (name: string, rest: object = {}): object => ({
    zone: name,
    queryLogging: 'Error',
    protocol: 'PreferUDP',
    forwardDestination: name === '.' ? 'VnetDNS' : 'ClusterCoreDNS',
    forwardPolicy: 'Sequential',
    maxConcurrent: 100,
    cacheDuration: '1h',
    serveStaleDuration: '1h',
    serveStale: 'Immediate',
    ...rest,
  })
  const both = [zone('.'), zone('cluster.local')]
  const dns = (vnet: readonly object[], kube: readonly object[] = both): Change => ({
    'spec.localDNS': { mode: 'Required', vnetDNSOverrides: vnet, kubeDNSOverrides: kube },
  })
  const subnet = '/subscriptions/s/resourceGroups/rg/providers/Microsoft.Network/virtualNetworks/v/subnets/n'

  check('AKSNodeClass', 'karpenter.azure.com/v1beta1', CLASS, {
    'the least there can be': { want: 'accepted' },
    'FIPS on Ubuntu': { change: { 'spec.fipsMode': 'FIPS' }, want: 'accepted' },
    'FIPS on Ubuntu2404': { change: { 'spec.fipsMode': 'FIPS', 'spec.imageFamily': 'Ubuntu2404' }, want: 'Ubuntu2404' },
    'FIPS on Ubuntu2204': { change: { 'spec.fipsMode': 'FIPS', 'spec.imageFamily': 'Ubuntu2204' }, want: 'needs trusted launch' },
    'FIPS on Ubuntu2204 with trusted launch': {
      change: { 'spec.fipsMode': 'FIPS', 'spec.imageFamily': 'Ubuntu2204', ...trusted },
      want: 'accepted',
    },
    'FIPS on AzureLinux': { change: { 'spec.fipsMode': 'FIPS', 'spec.imageFamily': 'AzureLinux' }, want: 'accepted' },
    'FIPS on AzureLinux with trusted launch': {
      change: { 'spec.fipsMode': 'FIPS', 'spec.imageFamily': 'AzureLinux', ...trusted },
      want: 'only available with imageFamily Ubuntu',
    },
    'trusted launch without FIPS': { change: { 'spec.imageFamily': 'AzureLinux', ...trusted }, want: 'accepted' },
    'a swap file': { change: { 'spec.linuxOSConfig': { swapFileSize: '1Gi' } }, want: 'failSwapOn: false' },
    'a swap file and failSwapOn': {
      change: { 'spec.linuxOSConfig': { swapFileSize: '1Gi' }, 'spec.kubelet': { failSwapOn: true } },
      want: 'failSwapOn: false',
    },
    'a swap file that is allowed': {
      change: { 'spec.linuxOSConfig': { swapFileSize: '1Gi' }, 'spec.kubelet': { failSwapOn: false } },
      want: 'accepted',
    },
    'image thresholds in order': {
      change: { 'spec.kubelet': { imageGCHighThresholdPercent: 80, imageGCLowThresholdPercent: 70 } },
      want: 'accepted',
    },
    'image thresholds the wrong way': {
      change: { 'spec.kubelet': { imageGCHighThresholdPercent: 70, imageGCLowThresholdPercent: 70 } },
      want: 'must be above',
    },
    'a log size without a unit': { change: { 'spec.kubelet': { containerLogMaxSize: '50' } }, want: 'containerLogMaxSize' },
    'a subnet in other letters': { change: { 'spec.vnetSubnetID': subnet.toUpperCase() }, want: 'accepted' },
    'a subnet of a group that ends with a dot': { change: { 'spec.vnetSubnetID': subnet.replace('/rg/', '/rg./') }, want: 'vnetSubnetID' },
    'a disk that is too small': { change: { 'spec.osDiskSizeGB': 29 }, want: 'osDiskSizeGB' },
    'too many pods': { change: { 'spec.maxPods': 251 }, want: 'maxPods' },
    'a tag with a slash': { change: { 'spec.tags': { 'a/b': 'c' } }, want: 'accepted' },
    'a tag with a percent sign': { change: { 'spec.tags': { 'a%': 'c' } }, want: 'none of' },
    'a tag with a backslash': { change: { 'spec.tags': { 'a\\b': 'c' } }, want: 'no backslash' },
    'a tag with a long key': { change: { 'spec.tags': { ['a'.repeat(513)]: 'c' } }, want: 'at most 512' },
    'a tag with a long value': { change: { 'spec.tags': { a: 'c'.repeat(257) } }, want: 'at most 256' },
    'buffers in order': { change: sysctls({ netCoreRmemDefault: 212_992, netCoreRmemMax: 212_992 }), want: 'accepted' },
    'receive buffers the wrong way': {
      change: sysctls({ netCoreRmemDefault: 212_993, netCoreRmemMax: 212_992 }),
      want: 'must not be above',
    },
    'send buffers the wrong way': { change: sysctls({ netCoreWmemDefault: 212_993, netCoreWmemMax: 212_992 }), want: 'must not be above' },
    'neighbour thresholds the wrong way': {
      change: sysctls({ netIPv4NeighDefaultGcThresh2: 2000, netIPv4NeighDefaultGcThresh3: 1024 }),
      want: 'netIPv4NeighDefaultGcThresh2 must not be above',
    },
    'a range of ports': { change: sysctls({ netIPv4IPLocalPortRange: '1024 60999' }), want: 'accepted' },
    'a first port below the range': { change: sysctls({ netIPv4IPLocalPortRange: '80 60999' }), want: 'first port' },
    'a last port below the range': { change: sysctls({ netIPv4IPLocalPortRange: '1024 2000' }), want: 'last port' },
    'ports the wrong way': { change: sysctls({ netIPv4IPLocalPortRange: '50000 40000' }), want: 'is not above the last' },
    'local DNS': { change: dns(both), want: 'accepted' },
    'local DNS without the root zone': { change: dns([zone('cluster.local')]), want: "the zones '.'" },
    'local DNS without the cluster zone': { change: dns(both, [zone('.')]), want: "'cluster.local' must be listed" },
    'a cluster zone sent to the network': {
      change: dns([zone('.'), zone('cluster.local', { forwardDestination: 'VnetDNS' })]),
      want: 'VnetDNS',
    },
    'the root zone of the network sent to the cluster': {
      change: dns([zone('.', { forwardDestination: 'ClusterCoreDNS' }), zone('cluster.local')]),
      want: "zone '.' of vnetDNSOverrides",
    },
    'another zone of the network sent to the cluster': { change: dns([...both, zone('example.com')]), want: 'outside cluster.local' },
    'Verify with ForceTCP': {
      change: dns([zone('.', { serveStale: 'Verify', protocol: 'ForceTCP' }), zone('cluster.local')]),
      want: 'Verify',
    },
  })

  it('is served in its older version too', () => {
    expect(validate('AKSNodeClass', 'karpenter.azure.com/v1alpha2', CLASS)).toEqual([])
    expect(validate('AKSNodeClass', 'karpenter.azure.com/v1', CLASS)).toMatchObject([{ code: 'NODECLASS.INVALID', path: 'apiVersion' }])
  })
})
