import { describe, expect, it } from 'vitest'
import { ago, HOUR, hence, MINUTE, SECOND } from '../../../test/builders/clock.ts'
import { condition } from '../../../test/builders/condition.ts'
import { disruptionCommand } from '../../../test/builders/disruptionCommand.ts'
import { withoutLabel } from '../../../test/builders/meta.ts'
import { type NodeClaimShape, nodeClaim } from '../../../test/builders/nodeClaim.ts'
import type { NodePoolShape } from '../../../test/builders/nodePool.ts'
import { pod } from '../../../test/builders/pod.ts'
import { type SnapshotShape, snapshot } from '../../../test/builders/snapshot.ts'
import { shuffled } from '../../../test/scenarios/shuffle.ts'
import type { Condition } from '../../model/condition.ts'
import { nodeClaimName, uid } from '../../model/ids.ts'
import { ANNOTATION, LABEL } from '../../model/labels.ts'
import { DEFAULT_REPAIR_POLICIES, type RepairPolicy } from '../../model/repairPolicy.ts'
import { durationMs } from '../../model/units.ts'
import { decide } from '../loadedCluster.ts'
import {
  bounded,
  commands,
  created,
  decided,
  deleted,
  events,
  FULL,
  HEALTHY,
  type Machine,
  machines,
  pool,
  repaired,
  type Sickness,
  why,
} from './testing/brokenPool.ts'

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
