import { labelRows } from './labelRows.ts'
import { bounds, type Change, casesOf, type Field, type ManifestCase, oneOf, type Row } from './manifestCase.ts'
import {
  conditionFields,
  conditionRequired,
  conditionRows,
  DURATIONS,
  DURATIONS_OR_NEVER,
  operatorRows,
  quantityRows,
  requirementFields,
  taintFields,
} from './sharedFields.ts'

export const CLASS_REF = { group: 'karpenter.azure.com', kind: 'AKSNodeClass', name: 'default' }

const SPEC = 'spec.template.spec'
const REQUIREMENTS = `${SPEC}.requirements`
const REF = `${SPEC}.nodeClassRef`
const LABELS = 'spec.template.metadata.labels'
const base = { metadata: { name: 'default' }, spec: { template: { spec: { nodeClassRef: CLASS_REF, requirements: [] } } } }

const budgets = (...list: object[]): Change => ({ 'spec.disruption': { consolidateAfter: '0s', budgets: list } })
const BUDGET = budgets({ nodes: '10%' })
const QUIET: Change = { 'spec.disruption': { consolidateAfter: '0s' } }
const WINDOW = budgets({ nodes: '0', schedule: '@daily', duration: '1h' })

const FIELDS: { readonly [path: string]: Field } = {
  spec: { takes: [], refuses: ['a'] },
  'spec.template': { takes: [], refuses: ['a'] },
  [SPEC]: { takes: [], refuses: ['a'] },
  status: { takes: [{}], refuses: ['a'] },
  'spec.weight': bounds(1, 100),
  // The format is int64, but the scale subresource holds only 32 bits.
  'spec.replicas': bounds(0),
  'spec.limits': { takes: [{ cpu: 100, 'nvidia.com/gpu': '2' }], refuses: ['100'] },
  [`${SPEC}.expireAfter`]: DURATIONS_OR_NEVER,
  [`${SPEC}.terminationGracePeriod`]: DURATIONS,
  ...requirementFields(REQUIREMENTS),
  ...taintFields(`${SPEC}.taints`),
  ...taintFields(`${SPEC}.startupTaints`),
  [REF]: { takes: [CLASS_REF], refuses: ['default', []] },
  [`${REF}.group`]: { takes: ['a', 'karpenter.azure.com'], refuses: ['', 'a/b', 1] },
  [`${REF}.kind`]: { takes: ['a', 'A b'], refuses: ['', 1] },
  [`${REF}.name`]: { takes: ['a', 'A/b'], refuses: ['', 1] },
  [LABELS]: {
    takes: [{}, Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`l${index}`, 'x']))],
    refuses: [Object.fromEntries(Array.from({ length: 101 }, (_, index) => [`l${index}`, 'x'])), ['a'], 'a=b'],
  },
  [`${LABELS}.a`]: { takes: ['', 'x', 'A_b.c-d', 'a'.repeat(63), null], refuses: ['-x', 'x-', 'a b', 'a/b', 'a'.repeat(64), 1, true] },
  'spec.template.metadata.annotations': { takes: [{}, { 'example.com/a': 'any text at all' }], refuses: ['a', []] },
  'spec.template.metadata.annotations.a': { takes: ['', 'any text'], refuses: [1, {}] },
  'spec.template.metadata': { takes: [{}], refuses: ['a'] },
  'spec.disruption': { takes: [{ consolidateAfter: 'Never' }], refuses: ['Never'] },
  'spec.disruption.consolidateAfter': { ...DURATIONS_OR_NEVER, given: QUIET },
  'spec.disruption.consolidationPolicy': {
    ...oneOf('WhenEmpty', 'WhenEmptyOrUnderutilized', 'Balanced'),
    given: QUIET,
  },
  'spec.disruption.budgets': {
    takes: [[], Array.from({ length: 50 }, () => ({ nodes: '1' }))],
    refuses: [Array.from({ length: 51 }, () => ({ nodes: '1' })), {}],
    given: QUIET,
  },
  'spec.disruption.budgets[0]': { takes: [{}, { nodes: '5' }], refuses: ['10%', null], given: QUIET },
  'spec.disruption.budgets[0].nodes': {
    takes: ['0', '100%', '0%', '99%', '1000'],
    refuses: ['101%', '-1', '1.5', '', 'all', '010%', 5],
    given: BUDGET,
  },
  'spec.disruption.budgets[0].schedule': {
    takes: ['@annually', '@yearly', '@monthly', '@weekly', '@daily', '@midnight', '@hourly', '0 9 * * mon-fri', '* * * * *'],
    refuses: ['* * * *', '@reboot', '', 'daily', 1],
    given: WINDOW,
  },
  'spec.disruption.budgets[0].duration': {
    takes: ['1h', '90m', '1h30m', '1h30m0s', '8h0s'],
    refuses: ['30s', '1h30s', '30m1h', '1.5h', '-1h', '', 'Never', '1d', 60],
    given: WINDOW,
  },
  'spec.disruption.budgets[0].reasons': {
    takes: [[], ['Underutilized', 'Empty', 'Drifted']],
    refuses: ['Empty', {}],
    given: BUDGET,
  },
  'spec.disruption.budgets[0].reasons[0]': {
    takes: ['Underutilized', 'Empty', 'Drifted'],
    refuses: ['Expired', 'empty', '', 1],
    given: BUDGET,
  },
  'status.nodes': { takes: [0, 5, 2_147_483_647], refuses: ['5', 0.5, -1, 2_147_483_648] },
  'status.nodeClassObservedGeneration': { takes: [0, 5], refuses: ['5', 0.5] },
  ...conditionFields('status.conditions', { loose: false }),
}

const ROWS: { readonly [name: string]: Row } = {
  'the least there can be': {},
  'a member nobody knows, which is dropped': { change: { 'spec.future': { a: 1 } } },
  ...labelRows({ title: 'a label', at: LABELS, takesNodePool: false, change: (key) => ({ [LABELS]: { [key]: 'x' } }) }),
  ...labelRows({
    title: 'a requirement on',
    at: `${REQUIREMENTS}[0].key`,
    takesNodePool: false,
    change: (key) => ({ [REQUIREMENTS]: [{ key, operator: 'Exists' }] }),
  }),
  'one restricted label among others': { change: { [LABELS]: { a: 'x', agentpool: 'x', b: 'x' } }, at: LABELS, says: 'AKS sets them' },
  ...operatorRows(REQUIREMENTS, { notInNeedsValues: false, hasMinValues: true }),
  ...quantityRows('spec.limits'),
  ...quantityRows('status.resources'),
  ...conditionRows('status.conditions', { keyed: true, loose: false }),
  'the reason Unhealthy': { change: budgets({ nodes: '1', reasons: ['Unhealthy'] }), isLooser: '1.14' },
  'all reasons': { change: budgets({ nodes: '1', reasons: ['Empty', 'Underutilized', 'Drifted', 'Unhealthy'] }), isLooser: '1.14' },
  'disruption without consolidateAfter': { change: { 'spec.disruption': { consolidationPolicy: 'WhenEmpty' } }, isLooser: '1.14' },
  'replicas and disruption without consolidateAfter': {
    change: { 'spec.replicas': 2, 'spec.disruption': { budgets: [{ nodes: '1' }] } },
    isLooser: '1.14',
  },
  'the same reason twice': {
    change: budgets({ nodes: '1', reasons: ['Empty', 'Empty'] }),
    at: 'spec.disruption.budgets[0].reasons[1]',
  },
  '51 reasons': {
    change: budgets({ nodes: '1', reasons: Array.from({ length: 51 }, () => 'Empty') }),
    at: 'spec.disruption.budgets[0].reasons',
  },
  'a budget with schedule and duration': { change: WINDOW },
  'a budget with a schedule only': {
    change: budgets({ nodes: '0', schedule: '@daily' }),
    at: 'spec.disruption.budgets',
    says: 'both a schedule and a duration',
  },
  'a budget with a duration only': {
    change: budgets({ nodes: '1' }, { nodes: '0', duration: '1h' }),
    at: 'spec.disruption.budgets',
    says: 'both a schedule and a duration',
  },
  'replicas with a limit of nodes': { change: { 'spec.replicas': 2, 'spec.limits': { nodes: 5 } } },
  'replicas with limits that hold nothing': { change: { 'spec.replicas': 2, 'spec.limits': {} } },
  'replicas with another limit': { change: { 'spec.replicas': 2, 'spec.limits': { cpu: 5 } }, at: 'spec', says: "no limit but 'nodes'" },
  'replicas with a limit of nodes and another': {
    change: { 'spec.replicas': 2, 'spec.limits': { nodes: 5, cpu: 5 } },
    at: 'spec',
    says: "no limit but 'nodes'",
  },
  'replicas with a weight': { change: { 'spec.replicas': 2, 'spec.weight': 5 }, at: 'spec', says: 'takes no weight' },
  'no replicas with a weight and limits': { change: { 'spec.weight': 5, 'spec.limits': { nodes: 5, cpu: 5 } } },
  'the same pool again': { from: {} },
  'replicas changed': { change: { 'spec.replicas': 2 }, from: { 'spec.replicas': 1 } },
  'replicas brought down to none': { change: { 'spec.replicas': 0 }, from: { 'spec.replicas': 1 } },
  'replicas given to a pool without': { change: { 'spec.replicas': 2 }, from: {}, at: 'spec', says: 'cannot change between' },
  'replicas of zero given to a pool without': { change: { 'spec.replicas': 0 }, from: {}, at: 'spec', says: 'cannot change between' },
  'replicas taken from a pool': { from: { 'spec.replicas': 2 }, at: 'spec', says: 'cannot change between' },
  'another class': { change: { [`${REF}.name`]: 'other' }, from: {} },
  'a class of another group': { change: { [`${REF}.group`]: 'other' }, from: {}, at: REF, says: 'group of nodeClassRef' },
  'a class of another kind': { change: { [`${REF}.kind`]: 'Other' }, from: {}, at: REF, says: 'kind of nodeClassRef' },
  'everything else changed': {
    change: { [`${SPEC}.expireAfter`]: '1h', 'spec.weight': 5, 'spec.limits': { cpu: 1 }, [LABELS]: { a: 'b' } },
    from: {},
  },
  'a restricted label added later': { change: { [LABELS]: { agentpool: 'x' } }, from: {}, at: LABELS, says: 'AKS sets them' },
}

export const NODE_POOL_CASES: readonly ManifestCase[] = casesOf({
  kind: 'NodePool',
  apiVersion: 'karpenter.sh/v1',
  base,
  fields: FIELDS,
  rows: ROWS,
  required: {
    spec: {},
    'spec.template': {},
    [SPEC]: {},
    [REQUIREMENTS]: {},
    [REF]: {},
    [`${REF}.group`]: {},
    [`${REF}.kind`]: {},
    [`${REF}.name`]: {},
    [`${REQUIREMENTS}[0].key`]: { [REQUIREMENTS]: [{ key: 'a', operator: 'Exists' }] },
    [`${REQUIREMENTS}[0].operator`]: { [REQUIREMENTS]: [{ key: 'a', operator: 'Exists' }] },
    [`${SPEC}.taints[0].key`]: { [`${SPEC}.taints`]: [{ key: 'a', effect: 'NoSchedule' }] },
    [`${SPEC}.taints[0].effect`]: { [`${SPEC}.taints`]: [{ key: 'a', effect: 'NoSchedule' }] },
    [`${SPEC}.startupTaints[0].key`]: { [`${SPEC}.startupTaints`]: [{ key: 'a', effect: 'NoSchedule' }] },
    [`${SPEC}.startupTaints[0].effect`]: { [`${SPEC}.startupTaints`]: [{ key: 'a', effect: 'NoSchedule' }] },
    ...conditionRequired('status.conditions', { loose: false }),
  },
})
