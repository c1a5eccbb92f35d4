import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { repositoryRoot } from '../../scripts/floors.ts'
import { definitionManifest } from '../../shared/wire/schema/definitionManifest.ts'
import { RESOURCE_DEFINITIONS } from '../../shared/wire/schema/definitions.ts'
import { evaluateRule } from './celRules.ts'

const CONTRACT = join(repositoryRoot, '..', 'shared', 'data', 'crd-contract')
const isHere = existsSync(CONTRACT)

const key = fc.oneof(
  fc.constantFrom(
    ...[
      'karpenter.sh',
      'a.karpenter.sh',
      'xkarpenter.sh',
      'karpenter.azure.com',
      'kubernetes.azure.com',
      'kubernetes.io',
      'example.com',
    ].flatMap((domain) => [
      domain,
      ...['nodepool', 'capacity-type', 'hostname', 'sku-cpu', 'mode', 'own', 'karpenter.sh', 'a/b'].map((name) => `${domain}/${name}`),
    ]),
    'agentpool',
    'accelerator',
    'storagetier',
    'storageprofile',
    'team',
    '',
    '/karpenter.sh',
    'karpentershx',
    'karpenterxsh/a',
  ),
  fc.string({ maxLength: 12 }),
)
const labels = fc.dictionary(key, fc.string({ maxLength: 3 }), { maxKeys: 3 })
const someText = fc.constantFrom('', 'a', 'b')
const maybe = <Value>(arbitrary: fc.Arbitrary<Value>): fc.Arbitrary<Value | undefined> => fc.option(arbitrary, { nil: undefined })
const optional = (shape: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<unknown> => fc.record(shape, { requiredKeys: [] })
const requirement = fc.record(
  {
    operator: fc.constantFrom('In', 'NotIn', 'Exists', 'DoesNotExist', 'Gt', 'Lt', 'Gte', 'Lte'),
    values: fc.array(fc.constantFrom('1', '0', '-1', 'a', '', '+5', '99999999999999999999'), { maxLength: 3 }),
    minValues: fc.integer({ min: 1, max: 3 }),
  },
  { requiredKeys: ['operator'] },
)
const zone = fc.record({
  zone: fc.constantFrom('.', 'cluster.local', 'a.cluster.local', 'example.com'),
  forwardDestination: fc.constantFrom('ClusterCoreDNS', 'VnetDNS'),
  serveStale: fc.constantFrom('Verify', 'Immediate', 'Disable'),
  protocol: fc.constantFrom('PreferUDP', 'ForceTCP'),
})
const small = fc.integer({ min: 1, max: 3 })
const port = fc.constantFrom('1023', '1024', '32767', '32768', '60999', '61000', '65535', '65536')

/** Random values for a place, by the end of its path. */
const VALUES: readonly (readonly [ending: string, values: fc.Arbitrary<unknown>])[] = [
  ['properties.labels', labels],
  ['requirements.items.properties.key', key],
  ['properties.requirements', fc.array(requirement, { maxLength: 3 })],
  ['properties.nodeClassRef', fc.record({ group: someText, kind: someText, name: someText })],
  ['nodeClassRef.properties.group', someText],
  ['nodeClassRef.properties.kind', someText],
  ['nodeClassRef.properties.name', someText],
  ['properties.budgets', fc.array(optional({ nodes: someText, schedule: someText, duration: someText }), { maxLength: 3 })],
  [
    'properties.tags',
    fc.dictionary(
      fc.oneof(fc.string(), fc.constantFrom('a%', 'a\\b', 'x'.repeat(512), 'x'.repeat(513))),
      fc.constantFrom('', 'v'.repeat(256), 'v'.repeat(257)),
    ),
  ],
  ['properties.kubelet', optional({ imageGCHighThresholdPercent: small, imageGCLowThresholdPercent: small })],
  [
    'properties.sysctls',
    optional({
      netCoreRmemDefault: small,
      netCoreRmemMax: small,
      netCoreWmemDefault: small,
      netCoreWmemMax: small,
      netIPv4NeighDefaultGcThresh1: small,
      netIPv4NeighDefaultGcThresh2: small,
      netIPv4NeighDefaultGcThresh3: small,
      netIPv4IPLocalPortRange: fc.tuple(port, port).map(([first, last]) => `${first} ${last}`),
    }),
  ],
  ['properties.capacity', fc.dictionary(fc.constantFrom('cpu', 'memory', 'ephemeral-storage', 'pods', 'x/cpu'), fc.constant('1'))],
  ['Overrides.items', zone],
  ['Overrides', fc.array(zone, { maxLength: 4 })],
]

const POOL_SPEC = optional({
  replicas: small,
  weight: small,
  limits: fc.dictionary(fc.constantFrom('nodes', 'cpu'), fc.constant('1')),
})
const CLAIM_SPEC = optional({ expireAfter: someText, nodeClassRef: fc.record({ name: someText }) })
const CLASS_SPEC = optional({
  fipsMode: fc.constantFrom('FIPS', 'Disabled'),
  imageFamily: fc.constantFrom('Ubuntu', 'Ubuntu2204', 'Ubuntu2404', 'AzureLinux'),
  security: optional({ trustedLaunch: optional({ vtpm: fc.boolean(), secureBoot: fc.boolean() }) }),
  linuxOSConfig: optional({ swapFileSize: someText }),
  kubelet: optional({ failSwapOn: fc.boolean() }),
})
const OVERLAY_SPEC = optional({ price: someText, priceAdjustment: someText })
const BUFFER_SPEC = optional({
  podTemplateRef: fc.record({ name: someText }),
  scalableRef: fc.record({ kind: someText, name: someText }),
  replicas: small,
  limits: fc.dictionary(fc.constantFrom('cpu'), fc.constant('1')),
})
const SPECS: { readonly [kind: string]: fc.Arbitrary<unknown> } = {
  NodePool: POOL_SPEC,
  NodeClaim: CLAIM_SPEC,
  NodeOverlay: OVERLAY_SPEC,
  AKSNodeClass: CLASS_SPEC,
  CapacityBuffer: BUFFER_SPEC,
}

describe.skipIf(!isHere)('our rules decide as the published ones (skipped where ../shared/data is absent)', () => {
  for (const definition of RESOURCE_DEFINITIONS) {
    const ours = definitionManifest(definition)
    const theirs: unknown = isHere ? JSON.parse(readFileSync(join(CONTRACT, `${ours.metadata.name}.json`), 'utf8')) : {}
    const published = rulesByPlace(theirs)
    for (const [place, rules] of rulesByPlace(ours)) {
      it(`${definition.kind} ${place.replace(/^.*openAPIV3Schema/, '').replaceAll('.properties', '')}`, () => {
        const values = VALUES.find(([ending]) => place.endsWith(ending))?.[1] ?? SPECS[definition.kind]
        if (!values) throw new Error(`no values for ${place}`)
        fc.assert(
          fc.property(values, maybe(values), (self, oldSelf) => {
            expect(accepts(rules, self, oldSelf)).toBe(accepts(published.get(place) ?? [], self, oldSelf))
          }),
          { numRuns: 400 },
        )
      })
    }
  }
})

function accepts(rules: readonly string[], self: unknown, oldSelf: unknown): boolean {
  return rules.every((rule) => (oldSelf === undefined && rule.includes('oldSelf')) || holds(rule, self, oldSelf))
}

function holds(rule: string, self: unknown, oldSelf: unknown): boolean {
  try {
    return evaluateRule(rule, { self, oldSelf })
  } catch {
    return false
  }
}

function rulesByPlace(value: unknown, path = ''): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, readonly string[]>()
  if (typeof value !== 'object' || value === null) return found
  for (const [name, member] of Object.entries(value)) {
    if (name === 'x-kubernetes-validations')
      found.set(
        path,
        (member as readonly { rule: string }[]).map(({ rule }) => rule),
      )
    else for (const [place, rules] of rulesByPlace(member, `${path}.${name}`)) found.set(place, rules)
  }
  return found
}
