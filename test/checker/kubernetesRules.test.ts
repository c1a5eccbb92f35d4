import { describe, expect, it } from 'vitest'
import { LABEL } from '../../shared/model/labels.ts'
import type { RequirementSpec } from '../../shared/model/requirements.ts'
import type { Taint, Toleration } from '../../shared/model/taint.ts'
import { daemonPod, NODE_OWNER, pod, REPLICA_SET } from '../builders/pod.ts'
import { isGoneFrom, isOfDaemonSet, isPassing, meetsExpression, runsOn, toleratesAll } from './kubernetesRules.ts'

const is = (key: string, operator: RequirementSpec['operator'], ...values: string[]): RequirementSpec => ({ key, operator, values })

describe('an expression', () => {
  /** The values to test: undefined is a missing label. */
  const VALUES = [undefined, '', 'a', 'b', 'c', '-6', '4', '5', '6', '+10', '5.5', '6x', 'x6']
  it.each([
    { expression: is('k', 'In', 'a', 'b'), passes: ['a', 'b'] },
    { expression: is('k', 'In'), passes: [] },
    { expression: is('k', 'NotIn', 'a', 'b'), passes: VALUES.filter((value) => value !== 'a' && value !== 'b') },
    { expression: is('k', 'Exists'), passes: VALUES.slice(1) },
    { expression: is('k', 'DoesNotExist'), passes: [undefined] },
    { expression: is('k', 'Gt', '5'), passes: ['6', '+10'] },
    { expression: is('k', 'Gte', '5'), passes: ['5', '6', '+10'] },
    { expression: is('k', 'Lt', '5'), passes: ['-6', '4'] },
    { expression: is('k', 'Lte', '5'), passes: ['-6', '4', '5'] },
    { expression: is('k', 'Gt'), passes: [] },
    { expression: is('k', 'Gte'), passes: [] },
    { expression: is('k', 'Lt'), passes: [] },
    { expression: is('k', 'Lte'), passes: [] },
  ])('$expression.operator $expression.values', ({ expression, passes }) => {
    expect(VALUES.filter((value) => meetsExpression(expression, value))).toEqual(passes)
  })
})

describe('a pod runs on nodes', () => {
  const node = { zone: 'z1', disk: 'ssd', [LABEL.arch]: 'amd64' }
  const term = (...matchExpressions: RequirementSpec[]) => ({ matchExpressions, matchFields: [] })
  it.each([
    { name: 'of any labels when it asks for none', shape: {}, want: true },
    { name: 'with every label it selects', shape: { nodeSelector: { zone: 'z1', disk: 'ssd' } }, want: true },
    { name: 'without one of the labels it selects', shape: { nodeSelector: { zone: 'z1', disk: 'hdd' } }, want: false },
    { name: 'known by the old name of a label', shape: { nodeSelector: { 'beta.kubernetes.io/arch': 'amd64' } }, want: true },
    {
      name: 'that meet one of its terms',
      shape: { requiredNodeTerms: [term(is('zone', 'In', 'z9')), term(is('disk', 'Exists'))] },
      want: true,
    },
    {
      name: 'that meet a half of each term',
      shape: { requiredNodeTerms: [term(is('zone', 'In', 'z1'), is('disk', 'In', 'hdd'))] },
      want: false,
    },
    { name: 'that meet no term', shape: { requiredNodeTerms: [term(is('zone', 'In', 'z9'))] }, want: false },
    { name: 'by a term that says nothing', shape: { requiredNodeTerms: [term()] }, want: false },
    { name: 'by a term about an old name', shape: { requiredNodeTerms: [term(is('beta.kubernetes.io/arch', 'Exists'))] }, want: true },
    {
      name: 'that meet a term and not the selector',
      shape: { nodeSelector: { zone: 'z9' }, requiredNodeTerms: [term(is('zone', 'Exists'))] },
      want: false,
    },
  ])('$name: $want', ({ shape, want }) => {
    expect(runsOn(pod(shape), node)).toBe(want)
  })
})

describe('tolerations', () => {
  const taint: Taint = { key: 'k', value: '5', effect: 'NoSchedule' }
  const tolerate = (...tolerations: Toleration[]): Toleration[] => tolerations
  it.each([
    { name: 'none', tolerations: tolerate(), want: false },
    { name: 'of everything', tolerations: tolerate({ operator: 'Exists' }), want: true },
    { name: 'of everything, with an empty key', tolerations: tolerate({ key: '', operator: 'Exists' }), want: true },
    { name: 'of the key', tolerations: tolerate({ key: 'k', operator: 'Exists' }), want: true },
    { name: 'of another key', tolerations: tolerate({ key: 'l', operator: 'Exists' }), want: false },
    { name: 'of the value', tolerations: tolerate({ key: 'k', operator: 'Equal', value: '5' }), want: true },
    { name: 'of another value', tolerations: tolerate({ key: 'k', operator: 'Equal', value: '6' }), want: false },
    { name: 'of no value', tolerations: tolerate({ key: 'k', operator: 'Equal' }), want: false },
    { name: 'of the effect', tolerations: tolerate({ key: 'k', operator: 'Exists', effect: 'NoSchedule' }), want: true },
    { name: 'of another effect', tolerations: tolerate({ key: 'k', operator: 'Exists', effect: 'NoExecute' }), want: false },
    { name: 'of what is above less', tolerations: tolerate({ key: 'k', operator: 'Gt', value: '4' }), want: true },
    { name: 'of what is above as much', tolerations: tolerate({ key: 'k', operator: 'Gt', value: '5' }), want: false },
    { name: 'of what is below more', tolerations: tolerate({ key: 'k', operator: 'Lt', value: '6' }), want: true },
    { name: 'of what is below as much', tolerations: tolerate({ key: 'k', operator: 'Lt', value: '5' }), want: false },
    {
      name: 'of which the second does',
      tolerations: tolerate({ key: 'l', operator: 'Exists' }, { key: 'k', operator: 'Exists' }),
      want: true,
    },
  ])('$name: $want', ({ tolerations, want }) => {
    expect(toleratesAll(tolerations, [taint])).toBe(want)
  })

  it('must be there for each taint that is not soft', () => {
    const one: Toleration = { key: 'k', operator: 'Exists' }
    expect(toleratesAll([one], [taint, { key: 'other', effect: 'PreferNoSchedule' }])).toBe(true)
    expect(toleratesAll([one], [taint, { key: 'other', effect: 'NoExecute' }])).toBe(false)
    expect(toleratesAll([{ key: 'bare', operator: 'Equal' }], [{ key: 'bare', effect: 'NoExecute' }])).toBe(true)
  })
})

describe('a pod', () => {
  it.each(['Pending', 'Running', 'Unknown'] as const)('that is %s holds its place', (phase) =>
    expect(isGoneFrom(pod({ phase }))).toBe(false),
  )
  it.each(['Succeeded', 'Failed'] as const)('that has %s leaves it', (phase) => expect(isGoneFrom(pod({ phase }))).toBe(true))

  it('is of a DaemonSet by its owner', () => {
    const { owner: _, ...orphan } = pod()
    expect(isOfDaemonSet(daemonPod('n'))).toBe(true)
    for (const owner of [REPLICA_SET, NODE_OWNER]) expect(isOfDaemonSet(pod({ owner }))).toBe(false)
    expect(isOfDaemonSet(pod({ owner: { ...REPLICA_SET, apiVersion: 'example.com/v1', kind: 'DaemonSet' } }))).toBe(false)
    expect(isOfDaemonSet(orphan)).toBe(false)
  })
})

describe('a taint that does not count while a node comes up', () => {
  const startupTaints: readonly Taint[] = [{ key: 'mine', effect: 'NoSchedule' }]
  const taints: readonly Taint[] = [{ key: 'declared', effect: 'NoSchedule' }]
  it.each([
    ['node.kubernetes.io/not-ready', 'NoExecute', true],
    ['node.kubernetes.io/unreachable', 'NoSchedule', true],
    ['node.cloudprovider.kubernetes.io/uninitialized', 'NoSchedule', true],
    ['karpenter.sh/unregistered', 'NoExecute', true],
    ['readiness.k8s.io/network', 'NoSchedule', true],
    ['mine', 'NoSchedule', true],
    ['mine', 'NoExecute', true],
    ['declared', 'NoSchedule', false],
    ['nobody', 'PreferNoSchedule', false],
    ['karpenter.sh/disrupted', 'NoSchedule', false],
    ['node.kubernetes.io/unschedulable', 'NoSchedule', false],
  ] as const)('%s:%s: %s', (key, effect, want) => {
    expect(isPassing({ key, effect }, { taints, startupTaints })).toBe(want)
  })
})
