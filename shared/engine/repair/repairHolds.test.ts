import { describe, expect, it } from 'vitest'
import { ago, HOUR, hence, MINUTE, SECOND } from '../../../test/builders/clock.ts'
import { condition } from '../../../test/builders/condition.ts'
import { disruptionCommand } from '../../../test/builders/disruptionCommand.ts'
import { withoutLabel } from '../../../test/builders/meta.ts'
import { nodeClaim } from '../../../test/builders/nodeClaim.ts'
import type { NodePoolShape } from '../../../test/builders/nodePool.ts'
import { HOLDS_ALL } from '../../../test/builders/podDisruptionBudget.ts'
import type { SnapshotShape } from '../../../test/builders/snapshot.ts'
import type { Decision } from '../../model/decision.ts'
import { nodeClaimName } from '../../model/ids.ts'
import { ANNOTATION, CALM_ANNOTATION, LABEL } from '../../model/labels.ts'
import { durationMs } from '../../model/units.ts'
import {
  bounded,
  CALM,
  commands,
  created,
  decided,
  events,
  FULL,
  HEALTHY,
  type Machine,
  machines,
  pool,
  repaired,
  UNBOUNDED,
  why,
} from './testing/brokenPool.ts'

describe('a veto', () => {
  const vetoed = (value: string, over: Partial<Machine> = {}): Decision =>
    decided(machines([{ name: 'a', sick: {}, annotations: { [ANNOTATION.doNotRepair]: value }, ...over }, { name: 'b' }]))

  it('RP-05, EE-05: holds the repair, and is told', () => {
    const decision = vetoed('true')
    expect(repaired(decision)).toEqual([])
    expect(why(decision, 'a')).toMatchObject({ code: 'DISRUPTION.REPAIR_PAUSED', message: 'it is annotated karpenter.sh/do-not-repair' })
    const text = 'node joiner-a has Ready=False and is not repaired: it is annotated karpenter.sh/do-not-repair'
    expect(events(decision)).toEqual([`DisruptionBlocked node ${text}`, `DisruptionBlocked nodeClaim ${text}`])
  })

  it.each(['false', 'True', ''])('RP-06: is none with the value %j', (value) => expect(repaired(vetoed(value))).toEqual(['a']))

  it('RP-05: of the claim alone does not count once the node is registered', () => {
    const claim = { meta: { annotations: { [ANNOTATION.doNotRepair]: 'true' } } }
    expect(repaired(decided(machines([{ name: 'a', sick: {}, claim }, { name: 'b' }])))).toEqual(['a'])
  })

  it('RP-07: is told before a missing bound, and only once the toleration is over', () => {
    const objects = {
      ...machines([{ name: 'a', sick: {}, annotations: { [ANNOTATION.doNotRepair]: 'true' } }, { name: 'b' }]),
      podDisruptionBudget: [HOLDS_ALL],
    }
    expect(why(decided(objects, { settings: { repairPolicies: UNBOUNDED } }), 'a')?.message).toContain('do-not-repair')
    expect(events(vetoed('true', { sick: { for: MINUTE } }))).toEqual([])
  })

  it('holds the bound of a drain as well', () => {
    expect(bounded(vetoed('true', { claim: { meta: { deletedAt: ago(HOUR) } } }))).toEqual([])
  })
})

describe('budgets', () => {
  const within = (nodes: string, list = pool(5, 1), over: NodePoolShape = {}) =>
    decided(machines(list, { ...over, disruption: { budgets: [{ nodes, reasons: ['Unhealthy'] }] } }))

  it('RP-10, EE-06: of 0 hold the repair, which is told, and lifted ones do not', () => {
    const held = within('0')
    expect(repaired(held)).toEqual([])
    expect(why(held, 'm0')).toMatchObject({
      code: 'DISRUPTION.BUDGET',
      message: 'the budget of nodepool default allows no more disruptions for reason Unhealthy (nodes: 0)',
    })
    expect(events(held).filter((line) => line.startsWith('DisruptionBlocked'))).toHaveLength(2)
    expect(repaired(within('1'))).toEqual(['m0'])
  })

  it('RP-10: without a reason hold repairs too, those of other reasons do not', () => {
    const list = pool(5, 1)
    expect(repaired(decided(machines(list, { disruption: { budgets: [{ nodes: '0' }] } })))).toEqual([])
    expect(repaired(decided(machines(list, { disruption: { budgets: [{ nodes: '0', reasons: ['Drifted', 'Empty'] }] } })))).toEqual(['m0'])
  })

  it('RP-11: are not used up by nodes that are not ready, but by those that go', () => {
    expect(repaired(within('1', pool(10, 2)))).toEqual(['m0'])
    const going = pool(10, 1).map((each, index) => (index === 9 ? { ...each, claim: { meta: { deletedAt: ago(SECOND) } } } : each))
    expect(repaired(within('1', going))).toEqual([])
    expect(repaired(within('2', going))).toEqual(['m0'])
  })

  it('RP-12: are used up by nodes that restart', () => {
    const conditions = [...nodeClaim().status.conditions, condition('Rebooting', { reason: 'RebootIssued' })]
    const list = pool(40, 1).map((each, index) => (index === 39 ? { ...each, claim: { status: { conditions } } } : each))
    expect(repaired(within('1', list))).toEqual([])
    expect(repaired(within('2', list))).toEqual(['m0'])
  })

  it('RP-16: let the next machine have its turn where one cannot go', () => {
    const [first, second, ...others] = pool(10, 2)
    const list = [{ ...first, name: 'm0', annotations: { [ANNOTATION.doNotRepair]: 'true' } }, second, ...others].filter(
      (each) => each !== undefined,
    )
    expect(repaired(within('1', list))).toEqual(['m1'])
  })
})

describe('RP-34: a freeze', () => {
  it.each<[what: string, shape: SnapshotShape, pool: NodePoolShape]>([
    ['of the app', { settings: { calm: { ...CALM, isFrozen: true } } }, {}],
    ['of the pool', {}, { meta: { annotations: { [CALM_ANNOTATION.frozen]: 'true' } } }],
  ])('%s holds the repair, and the reason is told', (_what, shape, own) => {
    const decision = decided(machines([{ name: 'a', sick: {} }, { name: 'b' }], own), shape)
    expect(repaired(decision)).toEqual([])
    expect(why(decision, 'a')?.code).toBe('DISRUPTION.FROZEN')
    expect(events(decision).filter((line) => line.startsWith('DisruptionBlocked node'))).toHaveLength(2)
  })
})

describe('pods that may not be evicted', () => {
  const unbounded = { repairPolicies: UNBOUNDED }
  const kept = { annotations: { [ANNOTATION.doNotDisrupt]: 'true' } }

  it('RP-22: hold the repair without a bound, and it is told', () => {
    const objects = machines([{ name: 'a', sick: {}, pods: [kept] }, { name: 'b' }])
    const decision = decided(objects, { settings: unbounded })
    expect(repaired(decision)).toEqual([])
    const message = `pod default/a-0 is annotated ${ANNOTATION.doNotDisrupt}, and neither the repair policy nor the nodeclaim has a terminationGracePeriod, which would bound the wait`
    expect(why(decision, 'a')).toMatchObject({ code: 'DISRUPTION.DO_NOT_DISRUPT', message })
    expect(events(decision)).toContain(`DisruptionBlocked nodeClaim node joiner-a has Ready=False and is not repaired: ${message}`)
    const guarded = { ...machines([{ name: 'a', sick: {} }, { name: 'b' }]), podDisruptionBudget: [HOLDS_ALL] }
    expect(why(decided(guarded, { settings: unbounded }), 'a')?.code).toBe('DISRUPTION.PDB')
  })

  it('RP-22: hold nothing where the claim has a bound, and without such pods none is needed', () => {
    const claim = { spec: { terminationGracePeriod: durationMs(HOUR) } }
    expect(repaired(decided(machines([{ name: 'a', sick: {}, pods: [kept], claim }, { name: 'b' }]), { settings: unbounded }))).toEqual([
      'a',
    ])
    expect(repaired(decided(machines([{ name: 'a', sick: {} }, { name: 'b' }]), { settings: unbounded }))).toEqual(['a'])
  })

  it('RP-23: have room on the replacement where there is a bound', () => {
    const list: readonly Machine[] = [
      { name: 'a', sick: {}, pods: FULL.map((each) => ({ ...each, ...kept })) },
      { name: 'b', pods: FULL },
    ]
    const decision = decided({ ...machines(list), podDisruptionBudget: [HOLDS_ALL] })
    expect(commands(decision)).toMatchObject([{ candidates: [{ claim: 'a', pods: [{ key: 'default/a-0' }] }] }])
    expect(created(decision)).toMatchObject([{ pods: [{ key: 'default/a-0' }] }])
  })

  it('that fit nowhere hold the repair, since no machine could take their place', () => {
    const list: readonly Machine[] = [{ name: 'a', sick: {}, pods: [{ nodeSelector: { [LABEL.hostname]: 'joiner-a' } }] }, { name: 'b' }]
    const decision = decided(machines(list))
    expect([repaired(decision), why(decision, 'a')?.code]).toEqual([[], 'DISRUPTION.NO_ROOM'])
  })
})

describe('many broken machines', () => {
  it('RP-13: more than a fifth of a pool are left alone, which node, claim and pool tell', () => {
    const decision = decided(machines(pool(10, 3)))
    expect(repaired(decision)).toEqual([])
    const text = '3 of 10 nodes of nodepool default are unhealthy, more than 2'
    expect(why(decision, 'm0')?.message).toBe(text)
    // RP-15: each Event once.
    const blocked = events(decision).filter((line) => line.startsWith('NodeRepairBlocked'))
    expect(blocked).toEqual([
      ...['m0', 'm1', 'm2'].flatMap((name) =>
        ['node', 'nodeClaim'].map((kind) => `NodeRepairBlocked ${kind} node joiner-${name} has Ready=False and is not repaired: ${text}`),
      ),
      `NodeRepairBlocked nodePool repairs of nodepool default are paused: ${text}`,
    ])
  })

  it('RP-14: 1 of 3 is repaired', () => expect(repaired(decided(machines(pool(3, 1))))).toEqual(['m0']))

  it('RP-33: a twentieth of a pool goes at once, with those under way', () => {
    expect(repaired(decided(machines(pool(50, 10))))).toEqual(['m0', 'm1', 'm2'])
    const objects = machines(pool(50, 10))
    const moving = disruptionCommand((objects.nodeClaim ?? []).slice(0, 2), { reason: 'Unhealthy', replacements: [nodeClaimName('m49')] })
    const next = decided(objects, { commands: [moving] })
    expect(repaired(next)).toEqual(['m2'])
    expect(why(next, 'm3')?.message).toBe('at most 3 of the nodes of nodepool default are repaired at a time')
  })

  it('RP-33: a machine that a repair ends counts until it is gone, also if its node becomes healthy', () => {
    const because = condition('DisruptionReason', { reason: 'Unhealthy' })
    const list = pool(10, 1).map((each, index) =>
      index === 9
        ? { ...each, claim: { meta: { deletedAt: ago(SECOND) }, status: { conditions: [...nodeClaim().status.conditions, because] } } }
        : each,
    )
    expect(repaired(decided(machines(list)))).toEqual([])
  })

  it('RP-32: of one zone, across pools, are left alone', () => {
    const list = ['a', 'b', 'c'].flatMap((name) => [
      { name: `${name}1`, pool: name, zone: 'eastus-1', sick: {} },
      { name: `${name}2`, pool: name, zone: 'eastus-2' },
      { name: `${name}3`, pool: name, zone: 'eastus-3' },
    ])
    const decision = decided(machines(list))
    expect([repaired(decision), why(decision, 'a1')?.message]).toEqual([
      [],
      '3 of 3 nodes in zone eastus-1 are unhealthy, so the zone seems to have an outage',
    ])
  })

  it('RP-16: go in the order of their scores, then of cost, then of names', () => {
    const first = (list: readonly Machine[]): readonly string[] => repaired(decided(machines([...list, ...pool(8, 0)])))
    expect(
      first([
        { name: 'a', sick: { type: HEALTHY, for: 0 } },
        { name: 'b', sick: { for: 10 * MINUTE } },
      ]),
    ).toEqual(['b'])
    // One step of priority is worth half an hour.
    expect(
      first([
        { name: 'a', sick: { type: HEALTHY, for: 31 * MINUTE } },
        { name: 'b', sick: { for: 10 * MINUTE } },
      ]),
    ).toEqual(['a'])
    expect(
      first([
        { name: 'a', sick: {}, pods: [{}, {}] },
        { name: 'b', sick: {} },
      ]),
    ).toEqual(['b'])
    expect(
      first([
        { name: 'b', sick: {} },
        { name: 'a', sick: {} },
      ]),
    ).toEqual(['a'])
  })

  it('rest after a repair that failed, and not after another move that did', () => {
    const rest = { claims: [nodeClaimName('a')], pools: [], failures: 1, failedAt: ago(MINUTE), until: hence(MINUTE) }
    const objects = machines([{ name: 'a', sick: {} }, { name: 'b' }])
    expect(repaired(decided(objects, { backOffs: [rest] }))).toEqual(['a'])
    const held = decided(objects, { backOffs: [{ ...rest, isOfRepair: true }] })
    expect([repaired(held), why(held, 'a')?.code]).toEqual([[], 'DISRUPTION.RESTING'])
  })
})

describe('a claim without a pool', () => {
  it('RP-25: is never repaired, which is told', () => {
    const objects = machines([{ name: 'a', sick: {} }, { name: 'b' }])
    const bare = {
      ...objects,
      node: (objects.node ?? []).map((each) => withoutLabel(each, LABEL.nodePool)),
      nodeClaim: (objects.nodeClaim ?? []).map((each) => withoutLabel(each, LABEL.nodePool)),
    }
    const decision = decided(bare)
    expect(repaired(decision)).toEqual([])
    expect(events(decision)).toContain(
      'DisruptionBlocked nodeClaim node joiner-a has Ready=False and is not repaired: its nodeclaim belongs to no nodepool, and the repair of a node needs one',
    )
  })
})
