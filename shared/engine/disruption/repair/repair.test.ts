import { describe, expect, it } from 'vitest'
import { ago, HOUR, hence, MINUTE, SECOND } from '../../../../test/builders/clock.ts'
import { condition } from '../../../../test/builders/condition.ts'
import { disruptionCommand } from '../../../../test/builders/disruptionCommand.ts'
import { withoutLabel } from '../../../../test/builders/meta.ts'
import { node } from '../../../../test/builders/node.ts'
import { type NodeClaimShape, nodeClaim, nodeNameOf } from '../../../../test/builders/nodeClaim.ts'
import { type NodePoolShape, nodePool } from '../../../../test/builders/nodePool.ts'
import { type PodShape, pod } from '../../../../test/builders/pod.ts'
import { HOLDS_ALL } from '../../../../test/builders/podDisruptionBudget.ts'
import { type SnapshotShape, snapshot } from '../../../../test/builders/snapshot.ts'
import { shuffled } from '../../../../test/scenarios/shuffle.ts'
import type { Calm } from '../../../model/clusterSnapshot.ts'
import type { Condition } from '../../../model/condition.ts'
import type { CreateClaim, Decision } from '../../../model/decision.ts'
import type { DisruptionCommand } from '../../../model/disruptionCommand.ts'
import { nodeClaimName, uid } from '../../../model/ids.ts'
import { ANNOTATION, CALM_ANNOTATION, LABEL } from '../../../model/labels.ts'
import { DEFAULT_REPAIR_POLICIES, type RepairPolicy } from '../../../model/repairPolicy.ts'
import { durationMs, usdPerHour } from '../../../model/units.ts'
import { decide } from '../../loadedCluster.ts'

const HEALTHY = 'kubernetes.azure.com/NodeHealthy'
type Objects = NonNullable<SnapshotShape['objects']>
type Sickness = { readonly type?: string; readonly status?: Condition['status']; readonly reason?: string; readonly for?: number }
type Machine = {
  readonly name: string
  readonly sick?: Sickness
  readonly zone?: string
  readonly pool?: string
  readonly claim?: NodeClaimShape
  readonly annotations?: { readonly [key: string]: string }
  readonly isUp?: boolean
  /** The pods on its node. Undefined: one. */
  readonly pods?: readonly PodShape[]
}

function said({ type = 'Ready', status = 'False', reason = 'KubeletNotReady', for: age = 11 * MINUTE }: Sickness): Condition {
  return condition(type, { status, reason, message: 'the kubelet is gone', lastTransitionAt: ago(age) })
}

function conditionsOf(sick: Sickness): readonly Condition[] {
  const own = said(sick)
  return own.type === 'Ready' ? [own] : [condition('Ready'), own]
}

/** Machines, each with one pod. Nothing but repair moves them. */
function machines(list: readonly Machine[], pool: NodePoolShape = {}): Objects {
  const quiet = { consolidateAfter: 'Never' } as const
  return {
    node: list.map(({ name, sick, zone = 'eastus-1', pool: own = 'default', annotations = {}, isUp = true }) =>
      node({
        ...{ claim: name, zone, nodePool: own, initialized: isUp, meta: { createdAt: ago(24 * HOUR), annotations } },
        ...(sick === undefined ? {} : { conditions: conditionsOf(sick) }),
      }),
    ),
    nodeClaim: list.map(({ name, claim, pool: own = 'default', isUp = true, zone = 'eastus-1' }) =>
      nodeClaim({ name, zone, nodePool: own, stage: isUp ? 'initialized' : 'registered', ...claim }),
    ),
    nodePool: [...new Set(['default', ...list.map(({ pool: own = 'default' }) => own)])].map((name) =>
      nodePool({ name, ...pool, disruption: { ...quiet, budgets: [{ nodes: '100%' }], ...pool.disruption } }),
    ),
    pod: list.flatMap(({ name, pods = [{}] }) =>
      pods.map((shape, index) => pod({ name: `${name}-${index}`, ...shape, nodeName: nodeNameOf(name) })),
    ),
  }
}

function pool(count: number, sick: number, over: Partial<Machine> = {}): readonly Machine[] {
  return Array.from({ length: count }, (_, index) => ({ name: `m${index}`, ...(index < sick ? { sick: {} } : {}), ...over }))
}

const decided = (objects: Objects, shape: SnapshotShape = {}): Decision =>
  decide(snapshot({ ...shape, objects: { ...objects, ...shape.objects } }))

const commands = ({ actions }: Decision): readonly DisruptionCommand[] =>
  actions.flatMap((action) => (action.kind === 'startCommand' ? [action.command] : []))
const created = ({ actions }: Decision): readonly CreateClaim[] =>
  actions.flatMap((action) => (action.kind === 'createClaim' ? [action] : []))
const deleted = ({ actions }: Decision) => actions.flatMap((action) => (action.kind === 'deleteClaim' ? [action] : []))
/** The claims whose repair begins, with or without a replacement. */
const repaired = (decision: Decision): readonly string[] =>
  [...commands(decision), ...deleted(decision)].flatMap((each) =>
    'candidates' in each
      ? each.candidates.map(({ claim }) => claim)
      : each.because === 'Unhealthy' && each.command === undefined
        ? [each.claim]
        : [],
  )
const events = ({ actions }: Decision): readonly string[] =>
  actions.flatMap((action) =>
    action.kind === 'publish' ? [`${action.event.reason} ${action.event.subject.kind} ${action.event.message}`] : [],
  )
const why = ({ reasons }: Decision, claim: string) => reasons.find(({ subject }) => subject.name === claim)

const CALM: Calm = {
  ...{ isFrozen: false, leastSavingShare: 0, leastSavingPerPod: usdPerHour(0), leastNodeAge: durationMs(0) },
  ...{ mostMovesAnHour: 0, restAfterMove: durationMs(0), mostExtraNodes: 0 },
}

/** A machine so full that its pods fit nowhere else. */
const FULL: readonly PodShape[] = [{ cpus: 3, memoryGib: 9 }]

describe('the repair of a machine', () => {
  it('RP-01: makes its replacement first, and waits for it', () => {
    const decision = decided(
      machines([
        { name: 'a', sick: {}, pods: FULL },
        { name: 'b', pods: FULL },
      ]),
    )
    const [command, ...others] = commands(decision)
    expect(others).toEqual([])
    expect(command).toMatchObject({
      ...{
        reason: 'Unhealthy',
        method: 'replace',
        candidates: [{ claim: 'a' }],
        replacements: created(decision).map(({ draft }) => draft.name),
      },
      repair: { condition: 'Ready=False', terminationGracePeriod: 5 * MINUTE },
    })
    expect(created(decision)).toMatchObject([{ command: command?.id }])
    expect(deleted(decision)).toEqual([])
    expect(events(decision)).toContainEqual(
      expect.stringMatching(
        /^DisruptionLaunching node Unhealthy: node joiner-a has Ready=False: the kubelet is gone; .* replaces nodeclaim a$/,
      ),
    )
  })

  it('RP-01: deletes at once where its pods have places on healthy machines', () => {
    const decision = decided(machines([{ name: 'a', sick: {} }, { name: 'b' }]))
    expect(commands(decision)).toEqual([])
    expect(deleted(decision)).toMatchObject([
      { claim: 'a', because: 'Unhealthy', pods: [{ key: 'default/a-0' }], repair: { condition: 'Ready=False' } },
    ])
  })

  it('RP-01: takes no room of another broken machine', () => {
    const list = [...pool(9, 0, { pods: FULL }), { name: 'a', sick: {} }, { name: 'b', sick: { for: SECOND } }]
    expect(created(decided(machines(list)))).toHaveLength(1)
  })

  it('RP-02: of an empty machine needs no replacement', () => {
    const decision = decided(
      machines([
        { name: 'a', sick: {}, pods: [] },
        { name: 'b', pods: FULL },
      ]),
    )
    expect([repaired(decision), created(decision)]).toEqual([['a'], []])
  })

  it.each<[sentence: string, sick: Sickness]>([
    ['RP-03: waits for the toleration', { for: 9 * MINUTE }],
    ['RP-04: is not begun for a condition of no policy', { type: 'DiskPressure', status: 'True' }],
    ['RP-04: is not begun for a status of no policy', { type: HEALTHY, status: 'Unknown' }],
  ])('%s', (_sentence, sick) => expect(repaired(decided(machines([{ name: 'a', sick }, { name: 'b' }])))).toEqual([]))

  it('RP-03: is looked at again when the toleration is over', () => {
    expect(decided(machines([{ name: 'a', sick: { for: 9 * MINUTE } }, { name: 'b' }])).wakeAt).toBe(hence(MINUTE))
  })

  it.each<[type: string, status: Condition['status']]>([
    ['Ready', 'False'],
    ['Ready', 'Unknown'],
    [HEALTHY, 'False'],
  ])('EE-08: follows from %s=%s', (type, status) => {
    expect(repaired(decided(machines([{ name: 'a', sick: { type, status } }, { name: 'b' }])))).toEqual(['a'])
  })

  it('RP-08: is not held by do-not-disrupt on the node', () => {
    const annotations = { [ANNOTATION.doNotDisrupt]: 'true' }
    expect(repaired(decided(machines([{ name: 'a', sick: {}, annotations }, { name: 'b' }])))).toEqual(['a'])
  })

  it('RP-09: is not begun where it is off', () => {
    const objects = machines([{ name: 'a', sick: {} }, { name: 'b' }])
    expect(decided(objects, { settings: { nodeRepair: 'off' } }).actions.filter(({ kind }) => kind === 'deleteClaim')).toEqual([])
  })

  it('goes on while other pods get machines, and holds no other repair up', () => {
    const list: readonly Machine[] = [{ name: 'a', sick: {}, pods: FULL }, ...pool(9, 0, { pods: FULL })]
    const decision = decided({ ...machines(list), pod: [...(machines(list).pod ?? []), pod({ name: 'new', cpus: 3 })] })
    expect(repaired(decision)).toEqual(['a'])
    expect(created(decision).map(({ command }) => command === undefined)).toEqual([true, false])
    expect(new Set(created(decision).map(({ draft }) => draft.name)).size).toBe(2)
  })

  it('waits for machines of pending pods where their pool has limits', () => {
    const list: readonly Machine[] = [{ name: 'a', sick: {}, pods: FULL }, ...pool(9, 0, { pods: FULL })]
    const objects = machines(list, { limits: { cpu: 60_000 } })
    const decision = decided({ ...objects, pod: [...(objects.pod ?? []), pod({ name: 'new', cpus: 3 })] })
    expect([repaired(decision), why(decision, 'a')?.code]).toEqual([[], 'DISRUPTION.PENDING'])
  })

  it('has the same decision in any order of input', () => {
    const objects = machines([...pool(30, 4), ...pool(10, 1, { pool: 'other' }).map((each) => ({ ...each, name: `o${each.name}` }))])
    const whole = decided(objects)
    expect(repaired(whole)).toHaveLength(3)
    for (const seed of [1, 2, 3]) expect(decide(shuffled(snapshot({ objects }), seed))).toEqual(whole)
  })
})

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
    const unbounded = DEFAULT_REPAIR_POLICIES.map(({ terminationGracePeriod: _, ...policy }): RepairPolicy => policy)
    const objects = {
      ...machines([{ name: 'a', sick: {}, annotations: { [ANNOTATION.doNotRepair]: 'true' } }, { name: 'b' }]),
      podDisruptionBudget: [HOLDS_ALL],
    }
    expect(why(decided(objects, { settings: { repairPolicies: unbounded } }), 'a')?.message).toContain('do-not-repair')
    expect(events(vetoed('true', { sick: { for: MINUTE } }))).toEqual([])
  })

  it('holds the bound of a drain as well', () => {
    expect(bounded(vetoed('true', { claim: { meta: { deletedAt: ago(HOUR) } } }))).toEqual([])
  })
})

const bounded = ({ actions }: Decision) => actions.flatMap((action) => (action.kind === 'repairClaim' ? [action] : []))

describe('a machine that drains already', () => {
  const draining = (meta: NonNullable<NodeClaimShape['meta']>, sick: Sickness = {}) =>
    decided(machines([{ name: 'a', sick, claim: { meta: { deletedAt: ago(HOUR), ...meta } } }, { name: 'b' }]))

  it('RP-30: gets the bound of the policy where it has none, and no replacement', () => {
    const decision = draining({})
    expect(bounded(decision)).toMatchObject([{ claim: 'a', condition: 'Ready=False', terminationGracePeriod: 5 * MINUTE }])
    expect(commands(decision)).toEqual([])
  })

  it('RP-30: keeps its own deadline', () => {
    expect(bounded(draining({ annotations: { [ANNOTATION.terminationTimestamp]: '2026-01-02T00:00:00Z' } }))).toEqual([])
  })

  it('RP-30: that a move under way takes is left to the move', () => {
    const objects = machines([{ name: 'a', sick: {} }, { name: 'b' }, { name: 'default-new', pods: [] }])
    const moving = disruptionCommand((objects.nodeClaim ?? []).slice(0, 1))
    expect(repaired(decided(objects, { commands: [moving] }))).toEqual([])
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
  const unbounded = { repairPolicies: DEFAULT_REPAIR_POLICIES.map(({ terminationGracePeriod: _, ...policy }): RepairPolicy => policy) }
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

describe('a machine that is not up', () => {
  const starting = (over: Partial<Machine> = {}, shape: SnapshotShape = {}, pool: NodePoolShape = {}) =>
    decided(
      machines(
        [{ name: 'a', sick: {}, isUp: false, pods: [], ...over }, ...Array.from({ length: 4 }, (_, index) => ({ name: `m${index}` }))],
        pool,
      ),
      shape,
    )

  it('RP-27: is repaired once it is registered, without a budget, and while a pod is meant for it', () => {
    const nominations = [{ pod: uid('x'), claim: nodeClaimName('a'), until: hence(HOUR) }]
    expect(repaired(starting({}, { nominations }, { disruption: { budgets: [{ nodes: '0' }] } }))).toEqual(['a'])
  })

  it('RP-27: waits for the toleration, and obeys the veto', () => {
    expect(repaired(starting({ sick: { for: MINUTE } }))).toEqual([])
    expect(repaired(starting({ annotations: { [ANNOTATION.doNotRepair]: 'true' } }))).toEqual([])
  })

  it('RP-27: counts for the share of broken machines once it is to be repaired', () => {
    const list = (sickFor: number) => [
      ...pool(10, 2),
      ...['x', 'y'].map((name) => ({ name, sick: { for: sickFor }, isUp: false, pods: [] })),
    ]
    expect(repaired(decided(machines(list(MINUTE))))).toHaveLength(1)
    expect(repaired(decided(machines(list(11 * MINUTE))))).toEqual([])
  })

  it('RB-12: is left alone while it restarts, and has its whole toleration afterwards', () => {
    const rebooting = (over: Partial<Condition>) => ({
      status: { conditions: [...nodeClaim().status.conditions, condition('Rebooting', { lastTransitionAt: ago(9 * MINUTE), ...over })] },
    })
    expect(repaired(starting({ claim: rebooting({ reason: 'RebootIssued' }) }))).toEqual([])
    expect(repaired(starting({ claim: rebooting({ status: 'False', reason: 'RebootSucceeded' }) }))).toEqual([])
    expect(
      repaired(starting({ claim: rebooting({ status: 'False', reason: 'RebootSucceeded', lastTransitionAt: ago(10 * MINUTE) }) })),
    ).toEqual(['a'])
  })

  it('RP-28: is left to its time-out while it is not registered', () => {
    const objects = machines([{ name: 'a', sick: {}, isUp: false, pods: [] }, { name: 'b' }])
    const unregistered = (objects.node ?? []).map((each, index) => (index === 0 ? withoutLabel(each, LABEL.registered) : each))
    expect(repaired(decided({ ...objects, node: unregistered }))).toEqual([])
  })

  it('an initialized machine that a pod is meant for waits for it', () => {
    const nominations = [{ pod: uid('x'), claim: nodeClaimName('a'), until: hence(HOUR) }]
    const held = decided(machines([{ name: 'a', sick: {} }, { name: 'b' }]), { nominations })
    expect([repaired(held), why(held, 'a')?.code]).toEqual([[], 'DISRUPTION.NOMINATED'])
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

describe('a static pool', () => {
  const first = { settings: { terminateFirst: ['Unhealthy'] } } as const
  const replicas = (limits: NodePoolShape['limits'], shape: SnapshotShape = {}) =>
    decided(machines(pool(3, 1), { replicas: 3, ...(limits && { limits }) }), shape)

  it('RP-24: is repaired one for one, replacement first', () => {
    const decision = replicas(undefined)
    expect(commands(decision)).toMatchObject([{ reason: 'Unhealthy', candidates: [{ claim: 'm0' }], repair: { condition: 'Ready=False' } }])
    expect(created(decision)).toHaveLength(1)
  })

  it('RP-24, TF-01: gives up the broken machine first where its limit leaves no room for both and the settings let it', () => {
    const cause = { because: 'Unhealthy', repair: { condition: 'Ready=False' }, terminatesFirst: { why: 'static-at-limit' } }
    expect(deleted(replicas({ nodes: 3 }, first))).toMatchObject([{ claim: 'm0', ...cause }])
    const held = replicas({ nodes: 3 })
    expect([repaired(held), why(held, 'm0')?.code]).toEqual([[], 'DISRUPTION.NO_ROOM'])
  })

  it('RP-24: with a surplus gives the surplus up first', () => {
    expect(commands(decided(machines(pool(4, 1), { replicas: 3 })))).toEqual([])
  })

  it('TF-04: that is not ready keeps its broken machine', () => {
    const objects = machines(pool(3, 1), { replicas: 3, limits: { nodes: 3 } })
    expect(repaired(decided({ ...objects, nodeClass: [] }, first))).toEqual([])
  })
})

describe('the rules of 1.14', () => {
  it('RP-31: end the machine at once, and a veto holds them too', () => {
    const legacy = { settings: { nodeRepair: 'legacy' } } as const
    const objects = machines(
      [
        { name: 'a', sick: {}, pods: FULL },
        { name: 'b', pods: FULL },
      ],
      { disruption: { budgets: [{ nodes: '0' }] } },
    )
    const decision = decided(objects, legacy)
    expect(bounded(decision)).toMatchObject([{ claim: 'a', condition: 'Ready=False' }])
    expect([commands(decision), created(decision)]).toEqual([[], []])
    const annotations = { [ANNOTATION.doNotRepair]: 'true' }
    expect(bounded(decided(machines([{ name: 'a', sick: {}, annotations }, { name: 'b' }]), legacy))).toEqual([])
  })

  it('RP-31: ignore policies that reboot, and respect reasons', () => {
    const fallback = DEFAULT_REPAIR_POLICIES[0] ?? expect.fail('no policy')
    const gpu = (over: Partial<RepairPolicy>): RepairPolicy => ({ ...fallback, conditionType: 'Gpu', reasonRegex: '^Lost$', ...over })
    const ended = (policy: RepairPolicy, reason: string) =>
      bounded(
        decided(machines([{ name: 'a', sick: { type: 'Gpu', reason } }, { name: 'b' }]), {
          settings: { nodeRepair: 'legacy', repairPolicies: [{ ...fallback, tolerationDuration: durationMs(HOUR) }, policy] },
        }),
      ).length
    expect([ended(gpu({}), 'Lost'), ended(gpu({}), 'Slow'), ended(gpu({ action: 'RebootNode' }), 'Lost')]).toEqual([1, 0, 0])
  })
})

describe('a repair under way', () => {
  const objects = machines([
    { name: 'a', sick: {}, pods: FULL },
    { name: 'b', pods: FULL },
    { name: 'default-new', pods: [] },
  ])
  const command = disruptionCommand((objects.nodeClaim ?? []).slice(0, 1), {
    reason: 'Unhealthy',
    repair: { condition: 'Ready=False', terminationGracePeriod: durationMs(5 * MINUTE) },
  })

  it('RP-01, RP-21: ends its machine with its bound once the replacement is up', () => {
    expect(deleted(decided(objects, { commands: [command] }))).toMatchObject([
      { claim: 'a', because: 'Unhealthy', command: command.id, repair: { condition: 'Ready=False', terminationGracePeriod: 5 * MINUTE } },
    ])
  })

  it('RP-01: whose replacement does not come leaves its machine, without a deadline, and rests', () => {
    const coming = (objects.nodeClaim ?? []).map((each) =>
      each.name === 'default-new' ? nodeClaim({ name: each.name, stage: 'registered' }) : each,
    )
    const late = { ...command, startedAt: ago(HOUR), deadline: ago(SECOND), markedAt: ago(HOUR) }
    const { actions } = decided({ ...objects, nodeClaim: coming }, { commands: [late] })
    expect(actions).toContainEqual(expect.objectContaining({ kind: 'endCommand', backOff: expect.objectContaining({ isOfRepair: true }) }))
    expect(actions).toContainEqual(expect.objectContaining({ kind: 'openNode', claim: 'a' }))
    expect(actions.filter(({ kind }) => kind === 'deleteClaim' || kind === 'repairClaim')).toEqual([])
  })

  it.each<[sentence: string, list: readonly Machine[]]>([
    ['SX-01: ends when the node is healthy again', [{ name: 'a', pods: FULL }]],
    ['ends when a person forbids it', [{ name: 'a', sick: {}, pods: FULL, annotations: { [ANNOTATION.doNotRepair]: 'true' } }]],
  ])('%s', (_sentence, list) => {
    const now = machines([...list, { name: 'b', pods: FULL }, { name: 'default-new', pods: [] }])
    const { actions } = decided(now, { commands: [command] })
    expect(actions).toContainEqual(expect.objectContaining({ kind: 'endCommand', message: expect.stringContaining('healthy again') }))
    expect(actions.filter(({ kind }) => kind === 'deleteClaim')).toEqual([])
  })

  it('SX-01: a node that is gone asks for no repair', () => {
    const gone = machines([{ name: 'a', sick: {} }, { name: 'b' }])
    expect(repaired(decided({ ...gone, node: (gone.node ?? []).slice(1) }))).toEqual([])
  })
})
