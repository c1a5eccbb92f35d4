import { describe, expect, it } from 'vitest'
import { ago, HOUR, hence, MINUTE, SECOND } from '../../../test/builders/clock.ts'
import { condition } from '../../../test/builders/condition.ts'
import { withoutLabel } from '../../../test/builders/meta.ts'
import { node } from '../../../test/builders/node.ts'
import { type NodeClaimShape, nodeClaim } from '../../../test/builders/nodeClaim.ts'
import { nodeClassRef, nodePool } from '../../../test/builders/nodePool.ts'
import { pod } from '../../../test/builders/pod.ts'
import { type SnapshotShape, snapshot } from '../../../test/builders/snapshot.ts'
import { shuffled } from '../../../test/scenarios/shuffle.ts'
import type { Condition } from '../../model/condition.ts'
import type { Decision } from '../../model/decision.ts'
import { ANNOTATION, LABEL } from '../../model/labels.ts'
import { formatTimestamp } from '../../model/time.ts'
import { durationMs } from '../../model/units.ts'
import { fleetSnapshotOf } from '../cluster/fleet.ts'
import { legacyRepair } from './legacyRepair.ts'
import { createSickMachines } from './sickMachines.ts'

const FIVE_MINUTES = durationMs(5 * MINUTE)
const HEALTHY = 'kubernetes.azure.com/NodeHealthy'
const PDB_FREE = { disruption: { budgets: [{ nodes: '0' }] } }

type Objects = NonNullable<SnapshotShape['objects']>
type Sickness = { readonly type?: string; readonly status?: Condition['status']; readonly for?: number }
type Machine = {
  readonly name: string
  readonly unhealthy?: Sickness
  readonly zone?: string
  readonly pool?: string
  readonly claim?: NodeClaimShape
}

/** A condition of a sick node: not ready for eleven minutes, unless the case says otherwise. */
function said({ type = 'Ready', status = 'False', for: age = 11 * MINUTE }: Sickness): Condition {
  return condition(type, { status, message: 'kubelet stopped posting node status', lastTransitionAt: ago(age) })
}

function machines(list: readonly Machine[]): Objects {
  return {
    node: list.map(({ name, unhealthy, zone = 'eastus-1', pool = 'default' }) =>
      node({
        claim: name,
        zone,
        nodePool: pool,
        meta: { createdAt: ago(HOUR) },
        ...(unhealthy === undefined ? {} : { conditions: [said(unhealthy)] }),
      }),
    ),
    nodeClaim: list.map(({ name, claim, pool = 'default' }) => nodeClaim({ name, nodePool: pool, ...claim })),
    nodePool: [...new Set(list.map(({ pool = 'default' }) => pool))].map((name) => nodePool({ name, ...PDB_FREE })),
  }
}

/** `count` machines of a pool, of which the first `unhealthy` are broken. */
function pool(count: number, unhealthy: number, over: Partial<Machine> = {}): readonly Machine[] {
  return Array.from({ length: count }, (_, index) => ({ name: `m${index}`, ...(index < unhealthy ? { unhealthy: {} } : {}), ...over }))
}

/** The same machines without a pool. */
function bare({ node: nodes = [], nodeClaim: claims = [] }: Objects): Objects {
  return {
    node: nodes.map((each) => withoutLabel(each, LABEL.nodePool)),
    nodeClaim: claims.map((each) => withoutLabel(each, LABEL.nodePool)),
  }
}

function decided(objects: Objects, shape: SnapshotShape = {}): Decision {
  const seen = fleetSnapshotOf(snapshot({ ...shape, settings: { nodeRepair: 'legacy', ...shape.settings }, objects }))
  return legacyRepair(seen, createSickMachines()(seen))
}

function repaired({ actions }: Decision): readonly string[] {
  return actions.flatMap((action) => (action.kind === 'repairClaim' ? [`${action.claim} ${action.condition}`] : []))
}

function told({ actions }: Decision): readonly string[] {
  return actions.flatMap((action) =>
    action.kind === 'publish' ? [`${action.event.reason} ${action.event.subject.kind}: ${action.event.message}`] : [],
  )
}

describe('a broken machine', () => {
  it.each<[handle: string, unhealthy: Sickness, want: readonly string[]]>([
    ['HR-01: not ready beyond the toleration is repaired', {}, ['a Ready=False']],
    ['HR-01: unknown beyond the toleration is repaired', { status: 'Unknown' }, ['a Ready=Unknown']],
    ['HR-01: that says it is not healthy is repaired at once', { type: HEALTHY, for: 0 }, [`a ${HEALTHY}=False`]],
    ['HR-02: with a condition of no policy stays', { type: 'DiskPressure', status: 'True' }, []],
    ['HR-02: that Azure takes is interrupted, not repaired', { type: 'PreemptionScheduled', status: 'True' }, []],
    ['HR-03: with another status stays', { type: HEALTHY, status: 'Unknown' }, []],
    ['HR-04: within the toleration stays', { for: 10 * MINUTE - SECOND }, []],
  ])('%s', (_handle, unhealthy, want) => expect(repaired(decided(machines([{ name: 'a', unhealthy }, { name: 'b' }])))).toEqual(want))

  it('is told about on claim and node', () => {
    const message = 'Unhealthy: node joiner-a has Ready=False: kubelet stopped posting node status'
    expect(told(decided(machines([{ name: 'a', unhealthy: {} }])))).toEqual([
      `DisruptionTerminating nodeClaim: ${message}`,
      `DisruptionTerminating node: ${message}`,
    ])
  })

  it('is told about without a message of the kubelet', () => {
    const objects = machines([{ name: 'a', unhealthy: {} }])
    const silent = (objects.node ?? []).map((each) => ({ ...each, conditions: each.conditions.map((one) => ({ ...one, message: '' })) }))
    expect(told(decided({ ...objects, node: silent }))[0]).toBe('DisruptionTerminating nodeClaim: Unhealthy: node joiner-a has Ready=False')
  })

  it('HR-08, HR-09: that may get well is looked at when the nearest toleration ends', () => {
    const early = machines([
      { name: 'a', unhealthy: { for: 3 * MINUTE } },
      { name: 'b', unhealthy: { for: 2 * MINUTE } },
    ])
    expect(decided(early).wakeAt).toBe(hence(7 * MINUTE))
    expect(decided(machines([{ name: 'a', unhealthy: { for: 2 * MINUTE } }])).wakeAt).toBe(hence(8 * MINUTE))
  })

  it('HR-10, HR-11, HR-16: no budget, annotation or pod holds', () => {
    const annotations = { [ANNOTATION.doNotDisrupt]: 'true' }
    const held = node({ claim: 'a', conditions: [said({})], meta: { annotations } })
    const objects = machines([{ name: 'a', claim: { meta: { annotations } } }])
    expect(repaired(decided({ ...objects, node: [held], pod: [pod({ nodeName: held.name, annotations })] }))).toEqual(['a Ready=False'])
  })

  it.each<[sentence: string, machine: Partial<Machine>, isRepaired: boolean]>([
    ['of another provider stays', { claim: { spec: { nodeClassRef: { ...nodeClassRef('default'), kind: 'EC2NodeClass' } } } }, false],
    ['that drains without an end gets a deadline', { claim: { meta: { deletedAt: ago(HOUR) } } }, true],
    [
      'that drains towards a deadline keeps the deadline',
      { claim: { meta: { deletedAt: ago(HOUR), annotations: { [ANNOTATION.terminationTimestamp]: '2026-01-02T00:00:00Z' } } } },
      false,
    ],
  ])('%s', (_sentence, machine, isRepaired) => {
    expect(repaired(decided(machines([{ name: 'a', unhealthy: {}, ...machine }])))).toHaveLength(isRepaired ? 1 : 0)
  })

  it('stays before it was ever ready', () => {
    const objects = machines([{ name: 'a', unhealthy: {} }])
    const starting = { ...objects, node: [node({ claim: 'a', initialized: false, conditions: [said({})] })] }
    expect(decided(starting)).toEqual({ actions: [], reasons: [] })
  })
})

describe('many broken machines', () => {
  it('HR-12: 3 of 10 of a pool are left alone, told, and looked at again in five minutes', () => {
    const decision = decided(machines(pool(10, 3)))
    expect(repaired(decision)).toEqual([])
    expect(decision.wakeAt).toBe(hence(FIVE_MINUTES))
    const why = '3 of 10 nodes of nodepool default are unhealthy, more than 2'
    expect(decision.reasons).toMatchObject(
      ['m0', 'm1', 'm2'].map((name) => ({ code: 'DISRUPTION.REPAIR_PAUSED', subject: { name }, message: why })),
    )
    expect(told(decision)).toEqual([
      ...['m0', 'm1', 'm2'].flatMap((name) =>
        ['node', 'nodeClaim'].map((kind) => `NodeRepairBlocked ${kind}: node joiner-${name} has Ready=False and is not repaired: ${why}`),
      ),
      `NodeRepairBlocked nodePool: repairs of nodepool default are paused: ${why}`,
    ])
  })

  it('HR-13: 3 of 10 of the cluster hold the repair of claims without a pool', () => {
    const objects = machines(pool(10, 3))
    const decision = decided({ nodePool: [], ...bare(objects) })
    expect(repaired(decision)).toEqual([])
    expect(decision).toMatchObject({ wakeAt: hence(FIVE_MINUTES), reasons: [{}, {}, {}] })
    expect(decision.reasons[0]?.message).toBe('3 of 10 nodes of the cluster are unhealthy, more than 2')
  })

  it('HR-13: nodes of pools count for the repair of claims without one', () => {
    const { node: own = [], nodeClaim: claims = [] } = bare(machines(pool(2, 2)))
    const others = machines(pool(10, 0).map((each) => ({ ...each, name: `o${each.name}` })))
    const objects = { ...others, node: [...own, ...(others.node ?? [])], nodeClaim: [...claims, ...(others.nodeClaim ?? [])] }
    expect(repaired(decided(objects))).toEqual(['m0 Ready=False'])
  })

  it('counts nodes alone that were ever ready', () => {
    const list = pool(10, 2)
    const objects = machines(list)
    // Two of eight: with the two that are coming up it would be two of ten.
    const node8 = objects.node?.map((each, index) => (index < 8 ? each : node({ claim: `m${index}`, initialized: false })))
    expect(repaired(decided({ ...objects, ...(node8 && { node: node8 }) }))).toHaveLength(1)
    const node5 = objects.node?.map((each, index) => (index < 5 ? each : node({ claim: `m${index}`, initialized: false })))
    const { reasons } = decided({ ...objects, ...(node5 && { node: node5 }) })
    expect(reasons[0]?.message).toBe('2 of 5 nodes of nodepool default are unhealthy, more than 1')
  })

  it('of another pool are not counted', () => {
    const others = pool(10, 5).map((each) => ({ ...each, name: `o${each.name}`, pool: 'other' }))
    expect(repaired(decided(machines([...pool(10, 1), ...others])))).toEqual(['m0 Ready=False'])
  })

  it('HR-14, F35: 1 of 3 is repaired, 6 of 10 are not', () => {
    expect(repaired(decided(machines(pool(3, 1))))).toEqual(['m0 Ready=False'])
    expect(repaired(decided(machines(pool(10, 6))))).toEqual([])
  })

  it('of a pool go one twentieth at a time, those that end already counted', () => {
    const list = pool(50, 10)
    const first = decided(machines(list))
    expect(repaired(first)).toEqual(['m0 Ready=False', 'm1 Ready=False', 'm2 Ready=False'])
    expect(first.reasons).toMatchObject(Array.from({ length: 7 }, () => ({ code: 'DISRUPTION.REPAIR_PAUSED' })))
    expect(first.reasons[0]?.message).toBe('at most 3 of the nodes of nodepool default are repaired at a time')
    expect(told(first).filter((line) => line.startsWith('NodeRepairBlocked'))).toEqual([])
    const deadline = { annotations: { [ANNOTATION.terminationTimestamp]: '2026-01-01T00:00:00Z' }, deletedAt: ago(SECOND) }
    const deleting = list.map((each, index) => (index < 2 ? { ...each, claim: { meta: deadline } } : each))
    expect(repaired(decided(machines(deleting)))).toEqual(['m2 Ready=False'])
  })

  it.each<[sentence: string, deadline: number, ended: number]>([
    ['count until they are gone, also if their nodes become healthy while they drain', 0, 1],
    ['are not nodes with a grace period that other reasons end', 5 * MINUTE, 3],
  ])('under repair %s', (_sentence, deadline, ended) => {
    const annotations = { [ANNOTATION.terminationTimestamp]: formatTimestamp(hence(deadline)) }
    const draining = pool(2, 0).map(({ name }) => ({ name, claim: { meta: { deletedAt: hence(0), annotations } } }))
    const broken = pool(6, 6).slice(2)
    const healthy = Array.from({ length: 54 }, (_, index) => ({ name: `healthy-${index}` }))
    expect(repaired(decided(machines([...draining, ...broken, ...healthy])))).toHaveLength(ended)
  })

  it('that break later do not take the turn of an earlier one', () => {
    const list = [
      { name: 'z', unhealthy: { for: 30 * MINUTE } },
      { name: 'a', unhealthy: { type: HEALTHY, for: SECOND } },
      ...Array.from({ length: 8 }, (_, index) => ({ name: `m${index}` })),
    ]
    expect(repaired(decided(machines(list)))).toEqual(['z Ready=False'])
  })

  it('F35: of one zone, across pools, are left alone, and the zone is named', () => {
    const list = ['a', 'b', 'c'].flatMap((name) => [
      { name: `${name}1`, pool: name, zone: 'eastus-1', unhealthy: {} },
      { name: `${name}2`, pool: name, zone: 'eastus-2' },
      { name: `${name}3`, pool: name, zone: 'eastus-3' },
    ])
    const decision = decided(machines(list))
    expect(repaired(decision)).toEqual([])
    expect(decision.reasons[0]?.message).toBe('3 of 3 nodes in zone eastus-1 are unhealthy, so the zone seems to have an outage')
    expect(told(decision).filter((line) => line.includes('nodePool'))).toHaveLength(3)
    expect(repaired(decided(machines(list.slice(0, 6))))).toHaveLength(2)
    const regional = machines(list.map((each) => ({ ...each, zone: '0' })))
    expect(repaired(decided(regional))).toHaveLength(3)
  })

  it('are judged the same in any order of input', () => {
    const objects = machines([...pool(30, 4), ...pool(10, 3, { pool: 'other' }).map((each) => ({ ...each, name: `o${each.name}` }))])
    const whole = decided(objects)
    for (const seed of [1, 2, 3]) expect(decided(shuffled(snapshot({ objects }), seed).objects)).toEqual(whole)
  })
})
