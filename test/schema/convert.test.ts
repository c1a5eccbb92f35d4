/**
 * Each object that the v1beta1 definitions accept is printed as an object that the v1 definitions accept, or it is refused with the name of a field. The generator draws
 * every field of v1beta1, with values at the borders of its rules.
 */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parse, parseAllDocuments, stringify } from 'yaml'
import { convertText } from '../../cli/convert/convertText.ts'
import { isObject } from '../../shared/wire/codec.ts'
import { KUBE_YAML } from '../../shared/wire/kube/kubeYaml.ts'
import { CLAIM_KEY_RULES, POOL_KEY_RULES, restrictionOf } from '../../shared/wire/schema/labelRules.ts'
import { createManifestValidator } from '../../shared/wire/schema/validateManifest.ts'
import { evaluateRule } from './celRules.ts'

const validate = createManifestValidator(evaluateRule)

/** Values without a form in v1 are rare, so that most objects have none of them. */
const mostly = <Value>(usual: fc.Arbitrary<Value>, odd: fc.Arbitrary<Value>): fc.Arbitrary<Value> =>
  fc.oneof({ weight: 24, arbitrary: usual }, { weight: 1, arbitrary: odd })
const key = mostly(
  fc.constantFrom(
    'kubernetes.io/arch',
    'topology.kubernetes.io/zone',
    'karpenter.sh/capacity-type',
    'karpenter.azure.com/sku-family',
    'kubernetes.azure.com/mode',
    'node.kubernetes.io/windows-build',
    'team',
    'example.com/y',
  ),
  fc.constantFrom('karpenter.azure.com/own', 'kubernetes.azure.com/own', 'agentpool'),
)
const word = fc.constantFrom('N', 'y', 'no', 'on', '0777', '1e3', '', 'amd64', 'a.b')
/** The patterns of v1beta1 are open at one end: `720hx` and `xNever` pass. */
const age = mostly(fc.constantFrom('720h', '1h30m', 'Never', '0s'), fc.constantFrom('720hx', 'xNever'))
const quantity = fc.constantFrom<string | number>(1, '1', '100m', '1Gi', '-1', '1e3')
const optional = <Value>(value: fc.Arbitrary<Value>): fc.Arbitrary<Value | undefined> => fc.option(value, { nil: undefined })

const requirement = fc.oneof(
  fc.record({
    key,
    operator: fc.constant('In'),
    values: fc.array(word, { minLength: 1, maxLength: 3 }),
    minValues: fc.constant(undefined),
  }),
  fc.record({ key, operator: fc.constant('In'), values: fc.constant(['a', 'b']), minValues: fc.constantFrom(1, 2, undefined) }),
  fc.record({ key, operator: fc.constantFrom('NotIn', 'Exists', 'DoesNotExist'), values: optional(fc.constant([])) }),
  fc.record({ key, operator: fc.constantFrom('Gt', 'Lt'), values: fc.constantFrom(['0'], ['128']) }),
)
const taint = fc.record({
  key: fc.constantFrom('y', 'example.com/team'),
  value: optional(fc.constantFrom('true', 'N')),
  effect: fc.constantFrom('NoSchedule', 'PreferNoSchedule', 'NoExecute'),
})
const kubelet = mostly<object>(
  fc.constant({ maxPods: 110 }),
  fc.oneof(
    fc.record({
      maxPods: optional(fc.constantFrom(0, 9, 10, 110, 250, 251)),
      cpuCFSQuota: optional(fc.boolean()),
      imageGCHighThresholdPercent: optional(fc.constantFrom(60, 100)),
      imageGCLowThresholdPercent: optional(fc.constantFrom(0, 59)),
    }),
    fc.constantFrom(
      {},
      { clusterDNS: ['10.0.0.10'] },
      { podsPerCore: 4 },
      { systemReserved: { cpu: '100m' } },
      { kubeReserved: { pid: 1 } },
      { evictionHard: { 'memory.available': '5%' } },
      { evictionSoft: { 'memory.available': '5%' }, evictionSoftGracePeriod: { 'memory.available': '1m' }, evictionMaxPodGracePeriod: 60 },
    ),
  ),
)
const node = {
  requirements: fc.array(requirement, { maxLength: 3 }),
  taints: optional(fc.array(taint, { maxLength: 2 })),
  startupTaints: optional(fc.array(taint, { maxLength: 2 })),
  kubelet: mostly<object | undefined>(fc.constant(undefined), kubelet),
  resources: mostly<object | undefined>(fc.constantFrom(undefined, {}), fc.constantFrom({ requests: {} }, { requests: { cpu: 1 } })),
  nodeClassRef: fc.record({
    name: mostly(fc.constant('default'), fc.constant('N')),
    kind: mostly(fc.constantFrom(undefined, 'AKSNodeClass'), fc.constant('EC2NodeClass')),
    apiVersion: mostly(
      fc.constantFrom(undefined, 'karpenter.azure.com/v1alpha2', 'karpenter.azure.com/v1beta1'),
      fc.constant('karpenter.k8s.aws/v1beta1'),
    ),
  }),
}
const budget = fc.oneof(
  fc.record({ nodes: fc.constantFrom('10%', '0', '100%', '5') }),
  fc.record({
    nodes: fc.constant('0'),
    schedule: fc.constantFrom('@daily', '0 9 * * mon-fri'),
    duration: mostly(fc.constantFrom('8h', '1h30m'), fc.constant('10mh')),
  }),
)
const disruption = fc.oneof(
  fc.record({
    consolidationPolicy: fc.constantFrom(undefined, 'WhenUnderutilized'),
    consolidateAfter: fc.constantFrom(undefined, 'Never'),
    expireAfter: optional(age),
    budgets: optional(fc.array(budget, { maxLength: 2 })),
  }),
  fc.record({ consolidationPolicy: fc.constant('WhenEmpty'), consolidateAfter: age, expireAfter: optional(age) }),
)
const metadata = (name: string) =>
  fc.record({ name: fc.constant(name), annotations: optional(fc.dictionary(word, word, { maxKeys: 2 })), uid: optional(fc.constant('u')) })
const pool = (name: string) =>
  fc.record({
    apiVersion: fc.constant('karpenter.sh/v1beta1'),
    kind: fc.constant('NodePool'),
    metadata: metadata(name),
    spec: fc.record({
      template: fc.record({
        metadata: optional(fc.record({ labels: optional(fc.dictionary(key, word, { maxKeys: 2 })) })),
        spec: fc.record(node),
      }),
      disruption: optional(disruption),
      limits: optional(fc.dictionary(fc.constantFrom('cpu', 'memory', 'nvidia.com/gpu'), quantity)),
      weight: optional(fc.constantFrom(1, 100)),
    }),
  })
const claim = fc.record({
  apiVersion: fc.constant('karpenter.sh/v1beta1'),
  kind: fc.constant('NodeClaim'),
  metadata: fc.record({ name: fc.constant('c'), labels: fc.constantFrom({}, { 'karpenter.sh/nodepool': 'a' }) }),
  spec: fc.record({ ...node, resources: fc.constantFrom(undefined, { requests: { cpu: '1' } }) }),
})
const nodeClass = fc.record({
  apiVersion: fc.constantFrom('karpenter.azure.com/v1alpha2', 'karpenter.azure.com/v1beta1'),
  kind: fc.constant('AKSNodeClass'),
  metadata: metadata('default'),
  spec: fc.record({
    imageFamily: fc.constantFrom(undefined, 'Ubuntu2204', 'AzureLinux'),
    maxPods: fc.constantFrom(undefined, 110),
    kubelet: fc.constantFrom(undefined, {}, { imageGCLowThresholdPercent: 70 }, { cpuCFSQuota: true }),
    osDiskSizeGB: fc.constantFrom(undefined, 30),
    osDiskType: fc.constantFrom(undefined, 'Managed'),
  }),
})
const other = fc.record({ kind: fc.constant('ConfigMap'), apiVersion: fc.constant('v1'), data: fc.dictionary(word, word) })
const documents = fc.tuple(
  fc.oneof({ weight: 3, arbitrary: pool('a') }, { weight: 1, arbitrary: claim }),
  optional(pool('b')),
  optional(nodeClass),
  optional(other),
)

/** YAML in which each string is quoted, as in no version of YAML a string can be read as something else. */
const yaml = (value: unknown): string => stringify(value, { ...KUBE_YAML, aliasDuplicateObjects: false })
const FIELD = /^(nodepool|nodeclaim|aksnodeclass)\/[\w-]+: (apiVersion|kind|metadata|spec)[\w.[\]"/-]*: \S/

describe('joiner convert of objects that v1beta1 accepts', () => {
  it('prints what v1 accepts, or names the field', () => {
    let [printed, refused] = [0, 0]
    fc.assert(
      fc.property(documents, (drawn) => {
        const objects = drawn.filter((each) => each !== undefined).map((each): unknown => JSON.parse(JSON.stringify(each)))
        const outcome = convertText(objects.map(yaml).join('---\n'))
        if (!outcome.ok) {
          refused += 1
          expect(outcome.error.filter((line) => !FIELD.test(line))).toEqual([])
          return
        }
        printed += 1
        const results = parseAllDocuments(outcome.value, KUBE_YAML).map((document): unknown => document.toJS())
        expect(results).toHaveLength(objects.length)
        for (const [index, result] of results.entries()) {
          if (!isObject(result) || result['kind'] === 'ConfigMap') {
            expect(result).toEqual(objects[index])
            continue
          }
          expect(validate(String(result['kind']), String(result['apiVersion']), result)).toEqual([])
          expect(result['apiVersion']).toMatch(result['kind'] === 'AKSNodeClass' ? /v1beta1$/ : /v1$/)
        }
        // A converted text is not changed again.
        expect(convertText(outcome.value)).toEqual({ ok: true, value: outcome.value })
      }),
      { numRuns: 300 },
    )
    // Neither outcome is rare.
    expect(Math.min(printed, refused)).toBeGreaterThan(50)
  })

  it('prints what YAML 1.1 and YAML 1.2 read alike', () => {
    const text = yaml({
      apiVersion: 'karpenter.sh/v1beta1',
      kind: 'NodePool',
      metadata: { name: 'N' },
      spec: { template: { spec: { nodeClassRef: { name: 'no' }, requirements: [] } } },
    })
    const outcome = convertText(text)
    expect(outcome.ok).toBe(true)
    const result = outcome.ok ? outcome.value : ''
    expect(parse(result, { version: '1.2' })).toEqual(parse(result, { version: '1.1' }))
  })
})

describe('restrictionOf', () => {
  const keys = fc.oneof(
    key,
    fc.string({ maxLength: 12 }),
    fc
      .tuple(
        fc.constantFrom('', 'x', 'a.'),
        fc.constantFrom('karpenter.sh', 'karpenter.azure.com', 'kubernetes.azure.com', 'kubernetes.io'),
        fc.constantFrom('', '/nodepool', '/capacity-type', '/hostname', '/mode', '/sku-cpu', 'x/a'),
      )
      .map((parts) => parts.join('')),
  )

  it.each([
    ['pool', POOL_KEY_RULES],
    ['claim', CLAIM_KEY_RULES],
  ] as const)('says the same as the rules of the definitions for a key of a %s', (of, rules) => {
    fc.assert(
      fc.property(keys, (drawn) => {
        const broken = rules.filter(({ rule }) => !evaluateRule(rule, { self: drawn })).map(({ message }) => message)
        const restriction = restrictionOf(drawn, of)
        expect(restriction === undefined).toBe(broken.length === 0)
        if (restriction !== undefined) expect(broken).toContain(restriction)
      }),
    )
  })
})
