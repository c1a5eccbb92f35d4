import { describe, expect, it } from 'vitest'
import { ago, HOUR, SECOND } from '../../../test/builders/clock.ts'
import { condition } from '../../../test/builders/condition.ts'
import { instanceType, offering } from '../../../test/builders/instanceType.ts'
import { CLASS, driftIn, markedClaim, markOf, POOL, STAMPS } from '../../../test/builders/marked.ts'
import { withoutLabel } from '../../../test/builders/meta.ts'
import { node } from '../../../test/builders/node.ts'
import type { NodeClaimShape } from '../../../test/builders/nodeClaim.ts'
import { nodeClass } from '../../../test/builders/nodeClass.ts'
import { nodeClassRef } from '../../../test/builders/nodePool.ts'
import type { SnapshotShape } from '../../../test/builders/snapshot.ts'
import type { CapacityType, InstanceType } from '../../model/instanceType.ts'
import { LABEL } from '../../model/labels.ts'
import type { NodeClaim } from '../../model/nodeClaim.ts'
import type { NodeClaimTemplate, NodePool } from '../../model/nodePool.ts'
import type { RequirementSpec } from '../../model/requirements.ts'
import { durationMs } from '../../model/units.ts'

const withTemplate = (template: Partial<NodeClaimTemplate>): NodePool => ({ ...POOL, template: { ...POOL.template, ...template } })

/** The reason of the drift that a decision writes. Undefined if the claim has not drifted. */
function reasonOf(claim: NodeClaim, shape: SnapshotShape = {}): string | undefined {
  return driftIn(markOf(claim, shape))?.split(':')[0]?.replace('True ', '')
}

describe('a machine has drifted by a change of its template', () => {
  const taint = { key: 'team', effect: 'NoSchedule' } as const
  it.each<[sentence: string, template: Partial<NodeClaimTemplate>]>([
    ['DF-22 an annotation', { annotations: { note: 'new' } }],
    ['DF-23 a label', { labels: { team: 'web' } }],
    ['DF-24 a taint', { taints: [taint] }],
    ['DF-25 a startup taint', { startupTaints: [taint] }],
    ['DF-26 the NodeClass', { nodeClassRef: nodeClassRef('other') }],
    ['DF-27 the maximum age', { expireAfter: durationMs(HOUR) }],
    ['DF-28 the grace period', { terminationGracePeriod: durationMs(HOUR) }],
  ])('%s', (_sentence, template) => {
    const objects = { nodePool: [withTemplate(template)], nodeClass: [CLASS, nodeClass({ name: 'other' })] }
    expect(reasonOf(markedClaim(), { objects })).toBe('NodePoolDrifted')
  })
})

/** A machine that was made on demand in a zone, with five of something. */
const FIVE = 'team.example.com/size'
const made = (labels: NonNullable<NodeClaimShape['meta']>['labels'] = {}) =>
  markedClaim(STAMPS, { meta: { labels: { [FIVE]: '5', [LABEL.instancePrice]: '0.2', ...labels } } })

describe('a machine that no longer meets the requirements of its pool', () => {
  const needs = (key: string, operator: RequirementSpec['operator'], ...values: readonly string[]): RequirementSpec => ({
    key,
    operator,
    values,
  })
  it.each<[sentence: string, needs: RequirementSpec, isDrifted: boolean]>([
    ['DF-13 has drifted where the pool asks for spot now', needs(LABEL.capacityType, 'In', 'spot'), true],
    ['DF-14 has drifted where the pool asks for a label that it has not', needs('team.example.com/new', 'In', 'a'), true],
    ['DF-15 has drifted where its value is no longer named', needs(LABEL.zone, 'In', 'eastus-2', 'eastus-3'), true],
    ['DF-16 has not drifted where more values are named', needs(LABEL.zone, 'In', 'eastus-1', 'eastus-2', 'eastus-3'), false],
    ['has not drifted where it has a price', needs(LABEL.zone, 'In', 'eastus-1'), false],
    ['DF-17 has not drifted where any value will do', needs(LABEL.zone, 'Exists'), false],
    ['DF-18 has drifted where the label may not exist', needs(FIVE, 'DoesNotExist'), true],
    ['has not drifted where a label that it has not may not exist', needs('team.example.com/new', 'DoesNotExist'), false],
    ['DF-19 has drifted where the value is to be above 10', needs(FIVE, 'Gt', '10'), true],
    ['has not drifted where the value is to be above 4', needs(FIVE, 'Gt', '4'), false],
    ['DF-20 has drifted where the value is to be below 5', needs(FIVE, 'Lt', '5'), true],
    ['has not drifted where the value is to be below 6', needs(FIVE, 'Lt', '6'), false],
  ])('%s', (_sentence, requirement, isDrifted) => {
    const nodePool = [withTemplate({ requirements: [requirement] })]
    expect(reasonOf(made(), { objects: { nodePool } })).toBe(isDrifted ? 'RequirementsDrifted' : undefined)
  })

  it('DF-21 has drifted alone, and not another machine of its pool', () => {
    const [here, there] = [made(), markedClaim(STAMPS, { name: 'default-bbbbb', zone: 'eastus-2' })]
    const nodePool = [withTemplate({ requirements: [needs(LABEL.zone, 'In', 'eastus-1')] })]
    const objects = { nodePool, nodeClaim: [here, there], node: [node(), node({ claim: there.name })] }
    expect(markOf(here, { objects })?.claim).toBe(there.name)
  })
})

describe('a machine of a size', () => {
  const sold = (...types: readonly CapacityType[]): readonly InstanceType[] => [
    instanceType({ offerings: types.map((capacityType) => offering({ capacityType })) }),
  ]
  const elsewhere = [instanceType({ offerings: [offering({ zone: 'eastus-2' })] })]
  it.each<[sentence: string, claim: NodeClaim, types: readonly InstanceType[], isDrifted: boolean]>([
    ['DF-03 that it does not say has drifted', withoutLabel(markedClaim(), LABEL.instanceType), sold('on-demand'), true],
    ['DF-05 without an offering has drifted', markedClaim(), sold(), true],
    ['DF-06 with offerings in other zones alone has drifted', markedClaim(), elsewhere, true],
    ['DF-06 with offerings of other capacity types alone has drifted', markedClaim(), sold('spot'), true],
    ['that is sold has not drifted', markedClaim(), sold('on-demand'), false],
  ])('%s', (_sentence, claim, types, isDrifted) => {
    expect(reasonOf(claim, { types })).toBe(isDrifted ? 'InstanceTypeNotFound' : undefined)
    const young = { ...claim, meta: { ...claim.meta, createdAt: ago(HOUR - SECOND) } }
    expect(reasonOf(young, { types })).toBeUndefined()
  })

  it.each<[handle: string, offered: readonly CapacityType[], isDrifted: boolean]>([
    ['DF-33 as reserved or on demand', ['reserved', 'on-demand'], false],
    ['DF-34 as reserved', ['reserved'], false],
    ['DF-35 on demand', ['on-demand'], false],
    ['DF-36 as spot', ['spot'], true],
    ['DF-37 not at all', [], true],
  ])('%s: a reserved machine', (_handle, offered, isDrifted) => {
    const claim = markedClaim(STAMPS, { capacityType: 'reserved' })
    expect(reasonOf(claim, { types: sold(...offered) })).toBe(isDrifted ? 'InstanceTypeNotFound' : undefined)
  })
})

describe('of several reasons', () => {
  const other = [nodeClass({ spec: { osDiskSizeGb: 512 } })]
  it.each<[sentence: string, template: Partial<NodeClaimTemplate>, want: string]>([
    ['DF-07 a change of the template comes before what the class says', { labels: { team: 'web' } }, 'NodePoolDrifted'],
    [
      'DF-08 requirements come before what the class says',
      { requirements: [{ key: LABEL.zone, operator: 'In', values: ['eastus-9'] }] },
      'RequirementsDrifted',
    ],
    ['what the class says is left', {}, 'NodeClassDrift'],
  ])('%s', (_sentence, template, want) => {
    expect(reasonOf(markedClaim(), { objects: { nodePool: [withTemplate(template)], nodeClass: other } })).toBe(want)
  })
})

describe('the condition Drifted', () => {
  const drifted = (launched: Parameters<typeof condition>[1] = {}): NodeClaim => {
    const claim = markedClaim()
    const conditions = claim.status.conditions.map((each) => (each.type === 'Launched' ? { ...each, ...launched } : each))
    return { ...claim, status: { ...claim.status, conditions: [...conditions, condition('Drifted', { reason: 'ImageDrift' })] } }
  }
  const changed = { nodePool: [withTemplate({ labels: { team: 'web' } })] }

  it.each<[sentence: string, claim: NodeClaim, objects: SnapshotShape['objects']]>([
    ['DF-09 while nobody knows whether the machine is launched', drifted({ status: 'Unknown' }), changed],
    ['DF-10 while the machine is not launched', drifted({ status: 'False' }), changed],
    ['DF-12 once its class has nothing to say', drifted(), {}],
  ])('%s it goes', (_sentence, claim, objects) => {
    const { conditions = [] } = markOf(claim, { objects: objects ?? {} }) ?? expect.fail('it is not marked')
    expect(conditions).toEqual(claim.status.conditions.filter(({ type }) => type !== 'Drifted'))
  })

  it('DF-11 stays as it is where the pool is not there', () => {
    expect(markOf(drifted(), { objects: { nodePool: [] } })).toBeUndefined()
    expect(markOf(markedClaim({}), { objects: { nodePool: [] } })).toBeUndefined()
  })
})
