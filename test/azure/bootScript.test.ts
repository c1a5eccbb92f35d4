import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readShellScript } from '../../local/kubelet/shellScript.ts'
import { type BootInput, bootVariables } from '../../shared/adapters/azure/bootstrap/bootVariables.ts'
import { bootScript } from '../../shared/adapters/azure/bootstrap/customData.ts'
import { buildInstanceTypes } from '../../shared/adapters/azure/sizes/instanceTypes.ts'
import { usableSize } from '../../shared/adapters/azure/sizes/size.ts'
import { zoneName } from '../../shared/model/ids.ts'
import type { KubeletSettings } from '../../shared/model/nodeClass.ts'
import type { TaintEffect } from '../../shared/model/taint.ts'
import { candidateOf, claim, clusterConfig, nodeClass } from './harness.ts'
import { sku } from './skuBuilder.ts'

const SUBNET = '/subscriptions/s/resourceGroups/net/providers/Microsoft.Network/virtualNetworks/v/subnets/nodes'
const CONFIG = clusterConfig({ subscriptionId: ID(1), tenantId: ID(2), location: 'eastus', resourceGroups: ['mc_a'], subnetId: SUBNET })

function ID(number: number): string {
  return `00000000-0000-4000-8000-00000000000${number}`
}

/** All fields that a person with write access to node classes, pools or claims can set. */
type Said = {
  readonly kubelet: KubeletSettings
  readonly system: { readonly [field: string]: unknown }
  readonly taint: { readonly key: string; readonly value: string; readonly effect: string }
  readonly requirement: { readonly key: string; readonly value: string }
  readonly label: { readonly key: string; readonly value: string }
  readonly subnet: string
  readonly version: string
}

const GOOD: Said = {
  kubelet: { cpuManagerPolicy: 'static', cpuCfsQuotaPeriod: '100ms', topologyManagerPolicy: 'best-effort', containerLogMaxSize: '50Mi' },
  system: { swapFileSize: '1Gi', sysctls: { vmSwappiness: 10 } },
  taint: { key: 'example.com/team', value: 'a', effect: 'NoSchedule' },
  requirement: { key: 'example.com/kind', value: 'b' },
  label: { key: 'example.com/label', value: 'c' },
  subnet: SUBNET,
  version: '1.34.2',
}

function inputOf({ kubelet, system, taint, requirement, label, subnet, version }: Said): BootInput {
  const theClass = nodeClass({ kubelet, linuxOsConfig: system, vnetSubnetId: subnet })
  const size = usableSize(sku({}))
  const [type] = buildInstanceTypes({ sizes: size === undefined ? [] : [size], prices: {}, usages: {} }, nodeClass(), CONFIG)
  if (type === undefined) throw new Error('the size must serve')
  const requirements = [{ key: requirement.key, operator: 'In' as const, values: [requirement.value] }]
  // The schema of a cluster may let any value through: the TypeScript types do not constrain it.
  const taints = [{ ...taint, effect: taint.effect as TaintEffect }]
  const made = claim('one', { taints, requirements })
  return {
    claim: { ...made, meta: { ...made.meta, labels: { ...made.meta.labels, [label.key]: label.value } } },
    nodeClass: { ...theClass, status: { ...theClass.status, kubernetesVersion: version } },
    candidate: candidateOf(type, { zone: zoneName('eastus-1') }),
    config: CONFIG,
    imageId: '/CommunityGalleries/g/images/2404gen2containerd/versions/202608.21.0',
    bootstrapToken: 'abcdef.0123456789abcdef',
  }
}

function flagsIn(script: string): readonly string[] {
  return (readShellScript(script).variables.get('KUBELET_FLAGS') ?? '').split(/\s+/)
}

const namesIn = (flags: readonly string[]): readonly string[] => flags.map((flag) => flag.split('=')[0] ?? '')
const good = bootScript(inputOf(GOOD))
const goodScript = good.ok ? good.value : expect.fail(good.error.message)

const HOSTILE = [
  ...[
    '100ms --manifest-url=http://evil',
    '1s\n--x=y',
    "'; touch /x; '",
    '$(id)',
    '`id`',
    '\\',
    '"',
    ' ',
    '',
    '\t',
    '\u0000',
    '\r\nX=1',
    '\u2028',
    '%n',
  ],
  ...[
    'a,b=c',
    'a=b',
    '--manifest-url=x',
    'é',
    'a'.repeat(5_000),
    'net.*',
    '100ms',
    'NoSchedule',
    '1.34.2',
    '1.34.2\n',
    '-1',
    'x/y',
    '/',
    'a:NoExecute,b',
  ],
]
const anyText = fc.oneof(
  fc.constantFrom(...HOSTILE),
  fc.string(),
  fc.string({ unit: 'binary' }),
  fc.tuple(fc.string(), fc.constantFrom(...HOSTILE)).map((parts) => parts.join('')),
)
const maybe = fc.option(anyText, { nil: undefined })
const pair = (known: { readonly key: string; readonly value: string }) =>
  fc.record({ key: fc.oneof(fc.constant(known.key), anyText), value: fc.oneof(fc.constant(known.value), anyText) })

const anySaid: fc.Arbitrary<Said> = fc.record({
  kubelet: fc
    .record({
      cpuManagerPolicy: maybe,
      cpuCfsQuotaPeriod: maybe,
      topologyManagerPolicy: maybe,
      containerLogMaxSize: maybe,
      allowedUnsafeSysctls: fc.option(fc.array(anyText, { maxLength: 3 }), { nil: undefined }),
    })
    .map((kubelet) => JSON.parse(JSON.stringify(kubelet)) as KubeletSettings),
  system: fc
    .record({
      swapFileSize: maybe,
      transparentHugePageEnabled: maybe,
      sysctls: fc.record({ vmSwappiness: maybe, netIPv4IPLocalPortRange: maybe }),
    })
    .map((system) => JSON.parse(JSON.stringify(system)) as Said['system']),
  taint: fc.tuple(pair(GOOD.taint), fc.oneof(fc.constant('NoSchedule'), anyText)).map(([taint, effect]) => ({ ...taint, effect })),
  requirement: pair(GOOD.requirement),
  label: pair(GOOD.label),
  subnet: fc.oneof(
    fc.constant(SUBNET),
    anyText.filter((text) => text !== '' && !text.includes('/')).map((text) => SUBNET.replace('nodes', () => text)),
  ),
  version: fc.oneof(fc.constant(GOOD.version), anyText),
})
/** Inputs with one hostile field, or with all fields hostile. A single field shows refusals that another field's refusal would hide. */
const anyInput = fc.oneof(
  anySaid,
  fc
    .tuple(anySaid, fc.constantFrom(...(Object.keys(GOOD) as (keyof Said)[])))
    .map(([said, field]): Said => ({ ...GOOD, [field]: said[field] })),
)

describe('what people may say of a machine', () => {
  it('is a value in its boot script, or refused by name: it never adds a flag, a variable, a label or a line', () => {
    const known = new Set([...namesIn(flagsIn(goodScript)), '--allowed-unsafe-sysctls', '--feature-gates'])
    let refused = 0
    let made = 0
    fc.assert(
      fc.property(anyInput, (said) => {
        const input = inputOf(said)
        const script = bootScript(input)
        if (!script.ok) {
          refused += 1
          expect(script.error).toMatchObject({
            code: 'NODECLASS.INVALID',
            object: expect.stringMatching(/^(aksnodeclass|nodeclaim)\//),
            path: expect.any(String),
          })
          expect(script.error.message).not.toMatch(/[\n\r\0]/)
          return
        }
        made += 1
        expect(script.value.split(/\r|\n/)).toHaveLength(goodScript.split('\n').length)
        const read = readShellScript(script.value)
        expect([...read.variables.keys()]).toEqual([...readShellScript(goodScript).variables.keys()])
        expect(read.commands).toEqual(readShellScript(goodScript).commands)
        for (const [name, value] of bootVariables(input)) expect([name, read.variables.get(name)]).toEqual([name, value])
        const flags = flagsIn(script.value)
        expect(new Set(namesIn(flags)).size).toBe(flags.length)
        expect(namesIn(flags).filter((name) => !known.has(name))).toEqual([])
        const settings = Buffer.from(read.variables.get('SYSCTL_CONTENT') ?? '', 'base64').toString('utf8')
        for (const line of settings.split('\n')) expect(line).toMatch(/^[a-z0-9_.-]+=(\d+|\d+ \d+)$/)
        const labels = (read.variables.get('KUBELET_NODE_LABELS') ?? '').split(',')
        for (const label of labels) expect(label).toMatch(/^[A-Za-z0-9./_-]+=[A-Za-z0-9._-]*$/)
      }),
      { numRuns: 2_000 },
    )
    expect(refused).toBeGreaterThan(200)
    expect(made).toBeGreaterThan(50)
  })

  it.each<[string, Partial<Said>, { readonly object: string; readonly path: string }]>([
    [
      'a period with a flag behind it',
      { kubelet: { cpuCfsQuotaPeriod: '100ms --manifest-url=http://x' } },
      { object: 'aksnodeclass/default', path: 'spec.kubelet.cpuCFSQuotaPeriod' },
    ],
    [
      'a sysctl that is a flag',
      { kubelet: { allowedUnsafeSysctls: ['net.*', 'x --manifest-url=http://x'] } },
      { object: 'aksnodeclass/default', path: 'spec.kubelet.allowedUnsafeSysctls' },
    ],
    ['a requirement of two lines', { requirement: { key: 'a', value: 'b\nX=1' } }, { object: 'nodeclaim/one', path: 'label "a"' }],
    [
      'a label that is two',
      { label: { key: 'a', value: 'b,node-role.kubernetes.io/x=y' } },
      { object: 'nodeclaim/one', path: 'label "a"' },
    ],
    [
      'a taint that is two',
      { taint: { key: 'a', value: 'b:NoSchedule,c', effect: 'NoSchedule' } },
      { object: 'nodeclaim/one', path: 'spec.taints' },
    ],
    ['a version that is a path', { version: '1.34.2/../..' }, { object: 'aksnodeclass/default', path: 'status.kubernetesVersion' }],
  ])('refuses %s', (_, said, want) => {
    expect(bootScript(inputOf({ ...GOOD, ...said }))).toMatchObject({ ok: false, error: { code: 'NODECLASS.INVALID', ...want } })
  })
})
