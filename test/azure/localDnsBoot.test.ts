/** Local DNS, from the fields of a class to the Corefile that a machine decodes, and what a class is refused for. */
import { execFileSync } from 'node:child_process'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { localDnsFailure } from '../../local/kubelet/localDnsConfig.ts'
import { readShellScript } from '../../local/kubelet/shellScript.ts'
import { corefile } from '../../shared/adapters/azure/bootstrap/corefile.ts'
import { bootScript } from '../../shared/adapters/azure/bootstrap/customData.ts'
import { bootLabels } from '../../shared/adapters/azure/bootstrap/nodeLabels.ts'
import { classProblem } from '../../shared/adapters/azure/sizes/classProblem.ts'
import { buildInstanceTypes } from '../../shared/adapters/azure/sizes/instanceTypes.ts'
import { usableSize } from '../../shared/adapters/azure/sizes/size.ts'
import type { NodeClass } from '../../shared/model/nodeClass.ts'
import type { LocalDnsProfile } from '../../shared/wire/schema/localDnsSchema.ts'
import { dnsZone, localDns, NEEDED_ZONES, type Zone } from '../builders/localDns.ts'
import { candidateOf, claim, clusterConfig, nodeClass } from './harness.ts'
import { sku } from './skuBuilder.ts'

const SUBNET = '/subscriptions/s/resourceGroups/net/providers/Microsoft.Network/virtualNetworks/v/subnets/nodes'
const GUID = '00000000-0000-4000-8000-000000000001'
const DNS_SERVICE = '10.2.0.10'
const CONFIG = clusterConfig(
  { subscriptionId: GUID, tenantId: GUID, location: 'eastus', resourceGroups: ['mc_a'], subnetId: SUBNET },
  { dnsServiceIp: DNS_SERVICE },
)
const SIZE = usableSize(sku({ name: 'Standard_D4s_v5', capabilities: { vCPUs: '4', MemoryGB: '16' } }))
const [TYPE] = buildInstanceTypes({ sizes: SIZE === undefined ? [] : [SIZE], prices: {}, usages: {} }, nodeClass(), CONFIG)

function launchOf(spec: Partial<NodeClass['spec']>, state?: 'Enabled' | 'Disabled') {
  if (TYPE === undefined) throw new Error('the size must serve')
  const made = nodeClass(spec)
  const theClass = { ...made, status: { ...made.status, ...(state === undefined ? {} : { localDnsState: state }) } }
  return { claim: claim('one'), nodeClass: theClass, candidate: candidateOf(TYPE), config: CONFIG }
}

function scriptOf(...given: Parameters<typeof launchOf>) {
  const imageId = '/CommunityGalleries/g/images/2404gen2containerd/versions/202608.21.0'
  return bootScript({ ...launchOf(...given), imageId, bootstrapToken: 'abcdef.0123456789abcdef' })
}

/** Why the node of the script has no DNS. */
function failureOf(script: string, ...given: Parameters<typeof launchOf>): string | undefined {
  const { variables } = readShellScript(script)
  const clusterDns = /--cluster-dns=(\S*)/.exec(variables.get('KUBELET_FLAGS') ?? '')?.[1] ?? ''
  const launch = launchOf(...given)
  const labels = Object.fromEntries(bootLabels(launch.claim, launch.nodeClass, launch.candidate, launch.config))
  return localDnsFailure({ variables }, { clusterDns, labels })
}

/** What the scripts of the image write to the Corefile: the assignments of the script in a real shell, decoded as `generateLocalDNSFiles` does. */
function decoded(script: string): string {
  const assignments = script.split('\n').filter((line) => /^[A-Z_0-9]+='/.test(line))
  const command = `${assignments.join('\n')}\nbase64 -d <<< "\${LOCALDNS_COREFILE_BASE:-\${LOCALDNS_GENERATED_COREFILE:-}}"`
  return execFileSync('/bin/bash', ['--norc', '-eu'], { input: command, encoding: 'utf8', stdio: ['pipe', 'pipe', 'pipe'] })
}

const toVnet = { forwardDestination: 'VnetDNS' }
const kube = (...zones: readonly Zone[]): Zone => localDns('Required', { kubeDNSOverrides: [...NEEDED_ZONES, ...zones] })

describe('the boot data of a node', () => {
  const on = { SHOULD_ENABLE_LOCALDNS: 'true', LOCALDNS_CPU_LIMIT: '200.0%', LOCALDNS_MEMORY_LIMIT: '128M' }
  const off = { SHOULD_ENABLE_LOCALDNS: 'false' }
  it.each([
    ['nothing', {}, undefined, off],
    ['Disabled', { localDns: localDns('Disabled') }, 'Enabled', off],
    ['Preferred', { localDns: localDns('Preferred') }, 'Disabled', off],
    ['Preferred that was on', { localDns: localDns('Preferred') }, 'Enabled', on],
    ['Required', { localDns: localDns('Required') }, undefined, on],
  ] as const)('T-01, BS-16, LB-05 has local DNS or none with %s', (_name, spec, state, want) => {
    const script = scriptOf(spec, state)
    const text = script.ok ? script.value : expect.fail(script.error.message)
    const { variables } = readShellScript(text)
    const of = (name: string): boolean => name.includes('LOCALDNS') && name !== 'LOCALDNS_GENERATED_COREFILE'
    expect(Object.fromEntries([...variables].filter(([name]) => of(name)))).toEqual(want)
    const isOn = want === on
    expect(variables.get('KUBELET_FLAGS')).toContain(`--cluster-dns=${isOn ? '169.254.10.11' : DNS_SERVICE} `)
    expect(variables.get('KUBELET_NODE_LABELS')).toContain(`kubernetes.azure.com/localdns-state=${isOn ? 'enabled' : 'disabled'}`)
    expect(failureOf(text, spec, state)).toBeUndefined()
    expect(decoded(text)).toBe(isOn ? corefile(localDns('Required') as LocalDnsProfile, DNS_SERVICE) : '')
  })
})

describe('a class is refused by name, and no machine is made', () => {
  const root = (rest: Zone): Zone => localDns('Required', { vnetDNSOverrides: [dnsZone('.', rest), dnsZone('cluster.local')] })
  const cases: { readonly [sentence: string]: readonly [spec: Partial<NodeClass['spec']>, path: string, told: string, version?: string] } =
    {
      'with a mode that is none': [{ localDns: localDns('Always') }, '.mode', 'cannot be used'],
      'without zones': [{ localDns: { mode: 'Required' } }, '.vnetDNSOverrides', 'cannot be used'],
      'without the zone of the cluster': [
        { localDns: localDns('Required', { kubeDNSOverrides: [dnsZone('.')] }) },
        '.kubeDNSOverrides',
        'cluster.local',
      ],
      'before Kubernetes 1.31': [{ localDns: localDns('Required') }, '.mode', 'needs Kubernetes 1.31 or later; nodes get 1.30.9', '1.30.9'],
      'with FIPS': [{ localDns: localDns('Required'), fipsMode: 'FIPS' }, '.mode', 'FIPS'],
      'with a cache of no time': [
        { localDns: root({ cacheDuration: '0s' }) },
        '.vnetDNSOverrides[0].cacheDuration',
        'CoreDNS does not start',
      ],
      'with a cache of too long a time': [
        { localDns: root({ cacheDuration: '999999h' }) },
        '.vnetDNSOverrides[0].cacheDuration',
        '2147483647',
      ],
      'with stale answers of too long a time': [
        { localDns: root({ serveStaleDuration: '999999h' }) },
        '.vnetDNSOverrides[0].serveStaleDuration',
        '2147483647',
      ],
      'with the root zone of the network sent to the cluster': [
        { localDns: root({ forwardDestination: 'ClusterCoreDNS' }) },
        '.vnetDNSOverrides[0].forwardDestination',
        'VnetDNS',
      ],
      'with a zone of the cluster sent to the network': [
        { localDns: kube(dnsZone('a.cluster.local', toVnet)) },
        '.kubeDNSOverrides[2].forwardDestination',
        'ClusterCoreDNS',
      ],
      'with Verify and ForceTCP': [
        { localDns: root({ serveStale: 'Verify', protocol: 'ForceTCP' }) },
        '.vnetDNSOverrides[0].serveStale',
        'ForceTCP',
      ],
      'with one zone in two cases': [
        { localDns: kube(dnsZone('a.example'), dnsZone('A.example')) },
        '.kubeDNSOverrides[3].zone',
        'a.example',
      ],
      'with one zone with and without a dot': [{ localDns: kube(dnsZone('cluster.local.')) }, '.kubeDNSOverrides[2].zone', 'cluster.local'],
      'with the zone that the image asks for': [
        { localDns: kube(dnsZone('health-check.localdns.local')) },
        '.kubeDNSOverrides[2].zone',
        'health-check',
      ],
      'with more zones than the boot data have room for': [
        { localDns: kube(...Array.from({ length: 98 }, (_, index) => dnsZone(`${'z'.repeat(60)}.zone${index}.example`, toVnet))) },
        '',
        'list fewer zones',
      ],
    }
  it.each(Object.entries(cases))('%s', (_sentence, [spec, path, told, version]) => {
    const given = { ...CONFIG, ...(version === undefined ? {} : { kubernetesVersion: version }) }
    const made = nodeClass(spec)
    const found = classProblem(made, given)
    expect(found).toMatchObject({ code: 'NODECLASS.INVALID', path: `spec.localDNS${path}`, message: expect.stringContaining(told) })
    expect(buildInstanceTypes({ sizes: SIZE === undefined ? [] : [SIZE], prices: {}, usages: {} }, made, given)).toEqual([])
    expect(
      classProblem({ ...made, spec: { ...spec, ...made.spec, localDns: { ...(spec.localDns as Zone), mode: 'Disabled' } } }, given),
    ).toBeUndefined()
    const script = bootScript({ ...launchOf(spec), config: given, imageId: '', bootstrapToken: 'abcdef.0123456789abcdef' })
    expect(script.ok ? 'made' : script.error.path).toBe(`spec.localDNS${path}`)
  })

  it('keeps room for the other values of the boot data beside the longest Corefile', () => {
    const many = (count: number) => ({
      localDns: kube(...Array.from({ length: count }, (_, index) => dnsZone(`${'z'.repeat(60)}.zone${index}.example`, toVnet))),
    })
    const most = Array.from({ length: 98 }, (_, index) => index).findLast(
      (count) => classProblem(nodeClass(many(count)), CONFIG) === undefined,
    )
    const labels = Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`l${index}`, 'v'.repeat(63)]))
    const launch = launchOf(many(most ?? 0))
    const labelled = { ...launch.claim, meta: { ...launch.claim.meta, labels } }
    expect(most).toBeGreaterThan(50)
    expect(bootScript({ ...launch, claim: labelled, imageId: '', bootstrapToken: 'abcdef.0123456789abcdef' }).ok).toBe(true)
  })
})

const HOSTILE = [
  ...[
    "a'; touch /x; '",
    '$(id)',
    '`id`',
    'a b',
    'a"b',
    'a {',
    '}',
    '.:53 {\n',
    'a\nb',
    '\u0000',
    '#',
    '${X}',
    '\\',
    '',
    ' ',
    '..',
    '*.a',
    'é',
  ],
  ...['-a', 'import', 'a:53', 'dns://a', '(snippet)', '{$HOME}', '{%HOME%}', 'a'.repeat(300), '10.0.0.0/8', '$IFS', '!!', '&', '|'],
]

describe('whatever stands in the fields of local DNS', () => {
  const text = fc.oneof(fc.constantFrom(...HOSTILE), fc.string(), fc.string({ unit: 'binary' }))
  const usual = (...good: readonly unknown[]) => fc.oneof({ arbitrary: fc.constantFrom(...good), weight: 30 }, text, fc.integer())
  const zone = (...destinations: readonly string[]) =>
    fc.record({
      zone: usual('a.example', 'b.example.', '10.in-addr.arpa', 'A_b.example', 'C.example', 'import', 'tls', 'localdns.local'),
      queryLogging: usual('Error', 'Log'),
      protocol: usual('PreferUDP', 'PreferUDP', 'PreferUDP', 'ForceTCP'),
      forwardDestination: usual(...destinations),
      forwardPolicy: usual('Sequential', 'RoundRobin', 'Random'),
      maxConcurrent: fc.oneof({ arbitrary: fc.nat(), weight: 30 }, text, fc.double()),
      cacheDuration: usual('1h', '1h30m5s', '5m', '90s'),
      serveStaleDuration: usual('1h', '0s', '2m'),
      serveStale: usual('Immediate', 'Disable', 'Disable', 'Verify'),
    })
  const list = (root: string, ...destinations: readonly string[]) =>
    fc
      .tuple(
        fc.record({ forwardPolicy: usual('Random', 'RoundRobin'), cacheDuration: usual('1m', '2h') }),
        fc.uniqueArray(zone(...destinations), { maxLength: 3, selector: (each) => each.zone }),
      )
      .map(([rest, zones]) => [dnsZone('.', { ...rest, forwardDestination: root }), dnsZone('cluster.local'), ...zones])
  const ofPods = fc.constantFrom('VnetDNS', 'ClusterCoreDNS').chain((root) => list(root, 'VnetDNS', 'ClusterCoreDNS'))

  it('is the Corefile of the node, unchanged by a shell, or refused by name', () => {
    let made = 0
    let refused = 0
    fc.assert(
      fc.property(list('VnetDNS', 'VnetDNS'), ofPods, (vnetDNSOverrides, kubeDNSOverrides) => {
        const profile = localDns('Required', { vnetDNSOverrides, kubeDNSOverrides })
        const script = scriptOf({ localDns: profile })
        if (!script.ok) {
          refused += 1
          expect(script.error).toMatchObject({ code: 'NODECLASS.INVALID', path: expect.stringMatching(/^spec\.localDNS\./) })
          expect(classProblem(nodeClass({ localDns: profile }), CONFIG)?.path).toBe(script.error.path)
          return
        }
        made += 1
        expect(failureOf(script.value, { localDns: profile })).toBeUndefined()
        expect(decoded(script.value)).toBe(corefile(profile as LocalDnsProfile, DNS_SERVICE))
      }),
      { numRuns: 400 },
    )
    expect([made > 50, refused > 50]).toEqual([true, true])
  })
})
