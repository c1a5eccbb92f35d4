/** The fields of a machine's life and end that the definitions accept and refuse. The ids are those in the list of Karpenter's own tests. */
import { describe, expect, it } from 'vitest'
import { definitionManifest } from '../../shared/wire/schema/definitionManifest.ts'
import { RESOURCE_DEFINITIONS } from '../../shared/wire/schema/definitions.ts'
import { createManifestValidator } from '../../shared/wire/schema/validateManifest.ts'
import { type Change, changed, type Manifest } from './cases/manifestCase.ts'
import { CLASS_REF } from './cases/nodePoolCases.ts'
import { evaluateRule } from './celRules.ts'
import { enumsOf } from './enums.ts'

const validate = createManifestValidator(evaluateRule)

type Judged = {
  readonly kind?: 'NodePool' | 'NodeClaim'
  readonly takes?: readonly Change[]
  readonly refuses?: readonly Change[]
  /** The stored object, if the case is an update. */
  readonly from?: Change
}

const BASES: { readonly [kind: string]: Manifest } = {
  NodePool: { metadata: { name: 'default' }, spec: { template: { spec: { nodeClassRef: CLASS_REF, requirements: [] } } } },
  NodeClaim: { metadata: { name: 'claim' }, spec: { nodeClassRef: CLASS_REF, requirements: [] } },
}

const each = (path: string, ...values: readonly unknown[]): readonly Change[] => values.map((value) => ({ [path]: value }))
const disruption = (...list: readonly object[]): readonly Change[] =>
  list.map((more) => ({ 'spec.disruption': { consolidateAfter: '0s', ...more } }))
const budgets = (...list: readonly object[]): readonly Change[] => list.flatMap((budget) => disruption({ budgets: [budget] }))
const reasons = (...list: readonly (readonly string[])[]): readonly Change[] =>
  list.flatMap((some) => budgets({ nodes: '1', reasons: some }))
const requirements = (...list: readonly object[]): readonly Change[] => list.map((one) => ({ 'spec.requirements': [one] }))
const taints = (...list: readonly (readonly object[])[]): readonly Change[] => list.map((some) => ({ 'spec.taints': some }))
const among = (operator: string, ...values: readonly string[]) => ({ key: 'team', operator, values })
const REF = 'spec.template.spec.nodeClassRef'

const LINES: { readonly [sentence: string]: Judged } = {
  'AV-01 the age that machines may reach': {
    takes: each('spec.template.spec.expireAfter', '30s', '1h30m5s', 'Never'),
    refuses: each('spec.template.spec.expireAfter', '-1s', '1hr', 'FooNever'),
  },
  'AV-02 how long a node is quiet': {
    takes: each('spec.disruption.consolidateAfter', '30s', '1h30m5s', 'Never'),
    refuses: each('spec.disruption.consolidateAfter', '-1s', '1hr', 'FooNever'),
  },
  'AV-03 policies, to the letter': {
    takes: ['WhenEmpty', 'WhenEmptyOrUnderutilized', 'Balanced'].flatMap((consolidationPolicy) => [
      ...disruption({ consolidationPolicy }, { consolidationPolicy, consolidateAfter: 'Never' }),
    ]),
    refuses: ['whenempty', 'balanced', '1', '', 'WhenUnderutilized', 'Always'].flatMap((consolidationPolicy) =>
      disruption({ consolidationPolicy }),
    ),
  },
  'AV-04 budgets': {
    takes: [
      ...budgets({ nodes: '10', schedule: '* * * * *', duration: '20m' }, { nodes: '10' }, { nodes: '10%' }),
      ...budgets({ nodes: '10', schedule: '* * * * *', duration: '2h20m' }, { nodes: '10', schedule: '@annually', duration: '20m' }),
    ],
    refuses: [
      ...budgets({ nodes: '10', schedule: '*', duration: '20m' }, { nodes: '10', schedule: '* * * *', duration: '20m' }),
      ...budgets({ nodes: '10', schedule: '* * * * *', duration: '-20m' }, { nodes: '10', schedule: '* * * * *', duration: '30s' }),
      ...budgets({ nodes: '-10' }, { nodes: '-10%' }, { nodes: '1000%' }),
      ...budgets({ nodes: '10', schedule: '* * * * *' }, { nodes: '10', duration: '20m' }),
      ...disruption({ budgets: [{ nodes: '10' }, { nodes: '-10' }] }),
    ],
  },
  'AV-05 reasons of budgets': {
    takes: reasons(['Drifted'], ['Underutilized'], ['Empty'], ['Drifted', 'Underutilized', 'Empty']),
    refuses: reasons(['invalid'], ['expired'], [''], ['Drifted', 'invalid']),
  },
  'AP-01 the reason Unhealthy of budgets, alone and with others': {
    takes: reasons(['Unhealthy'], ['Drifted', 'Underutilized', 'Empty', 'Unhealthy']),
    refuses: reasons(['unhealthy'], ['Unhealthy', 'Unhealthy'], ['Unhealthy', 'invalid']),
  },
  'AP-03 a pool of machines by number that does not say how long a node is quiet': {
    takes: [
      { 'spec.replicas': 2, 'spec.disruption': {} },
      { 'spec.replicas': 2, 'spec.disruption': { budgets: [{ nodes: '1' }] } },
    ],
  },
  'AV-06 grace periods': {
    takes: each('spec.template.spec.terminationGracePeriod', '30s', '1h30m5s'),
    refuses: each('spec.template.spec.terminationGracePeriod', '-1s', '1hr', 'Never', '30', '1h30'),
  },
  'AV-07 taints of a claim': {
    kind: 'NodeClaim',
    takes: taints(
      [{ key: 'a', value: 'b', effect: 'NoSchedule' }],
      [
        { key: 'a', effect: 'NoSchedule' },
        { key: 'a', effect: 'NoExecute' },
      ],
    ),
    refuses: taints(
      [{ key: 'a b', effect: 'NoSchedule' }],
      [{ key: '???', effect: 'NoSchedule' }],
      [{ effect: 'NoSchedule' }],
      [{ key: 'a', value: '???', effect: 'NoSchedule' }],
      [{ key: 'a', effect: 'Never' }],
    ),
  },
  'AV-07 the class of a claim': {
    kind: 'NodeClaim',
    refuses: [
      ...each('spec.nodeClassRef.group', 'karpenter.azure.com/v1', ''),
      ...each('spec.nodeClassRef.kind', ''),
      ...each('spec.nodeClassRef.name', ''),
    ],
  },
  'AV-07 requirements of a claim': {
    kind: 'NodeClaim',
    takes: [
      ...requirements(among('In', 'a'), among('NotIn', 'a'), among('Exists'), among('DoesNotExist')),
      ...requirements(among('Gt', '1'), among('Lt', '1'), among('Gte', '1'), among('Lte', '1'), { ...among('In', 'a'), minValues: 1 }),
      ...requirements({ key: 'topology.kubernetes.io/zone', operator: 'Exists' }, { key: 'karpenter.sh/nodepool', operator: 'Exists' }),
    ],
    refuses: [
      ...requirements(among('Like', 'a'), among('In'), { key: 'karpenter.sh/unknown', operator: 'Exists' }),
      ...requirements(among('Gt', 'a'), among('Lt', '-1'), among('Gte', '1', '2'), among('Lte', '1.5')),
      ...requirements({ ...among('In', 'a'), minValues: 0 }, { ...among('In', 'a'), minValues: 51 }, { ...among('In', 'a'), minValues: 2 }),
      { 'spec.requirements': Array.from({ length: 101 }, () => among('Exists')) },
    ],
  },
  'AV-07 a claim that is there stays what it is': {
    kind: 'NodeClaim',
    from: {},
    takes: [{ 'metadata.labels': { a: 'b' } }],
    refuses: [{ 'spec.expireAfter': '1h' }, { 'spec.nodeClassRef.name': 'other' }, ...taints([{ key: 'a', effect: 'NoSchedule' }])],
  },
  'AV-08 a pool of machines by number': {
    takes: [{ 'spec.replicas': 2, 'spec.limits': { nodes: 5 } }],
    refuses: [
      { 'spec.replicas': 2, 'spec.limits': { cpu: 5 } },
      { 'spec.replicas': 2, 'spec.weight': 5 },
    ],
  },
  'AV-08 a pool by number that is there': {
    from: { 'spec.replicas': 1 },
    takes: [{ 'spec.replicas': 0 }],
    refuses: [{}, { 'spec.replicas': 1, [`${REF}.group`]: 'other' }, { 'spec.replicas': 1, [`${REF}.kind`]: 'Other' }],
  },
  'AV-08 a pool for pods that is there': { from: {}, takes: [{ [`${REF}.name`]: 'other' }], refuses: [{ 'spec.replicas': 1 }] },
}

describe('what an API server takes', () => {
  for (const [sentence, { kind = 'NodePool', takes = [], refuses = [], from }] of Object.entries(LINES)) {
    const base = BASES[kind] ?? {}
    const problems = (change: Change) =>
      validate(kind, 'karpenter.sh/v1', changed(base, change), from === undefined ? undefined : changed(base, from))
    it(sentence, () => {
      expect(takes.filter((change) => problems(change).length > 0)).toEqual([])
      expect(refuses.filter((change) => problems(change).length === 0)).toEqual([])
    })
  }

  it('AV-02 AV-08 says how disruption is where a pool says nothing', () => {
    const pools = RESOURCE_DEFINITIONS.filter(({ kind }) => kind === 'NodePool').map((definition) => definitionManifest(definition))
    expect(JSON.stringify(pools)).toContain('"default":{"consolidateAfter":"0s"}')
  })

  it('AP-04 takes exactly eight operators in each kind with requirements', () => {
    const eight = ['DoesNotExist', 'Exists', 'Gt', 'Gte', 'In', 'Lt', 'Lte', 'NotIn']
    const fields = RESOURCE_DEFINITIONS.flatMap((definition) => enumsOf(definitionManifest(definition)))
    const operators = fields.filter(({ place }) => place.endsWith('.operator'))
    expect(operators.map(({ kind, values }) => [kind, [...values].sort()])).toEqual(
      ['NodePool', 'NodeClaim', 'NodeOverlay'].map((kind) => [kind, eight]),
    )
  })
})
