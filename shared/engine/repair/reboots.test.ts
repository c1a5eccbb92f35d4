import { describe, expect, it } from 'vitest'
import { ago, HOUR, MINUTE, SECOND } from '../../../test/builders/clock.ts'
import { condition } from '../../../test/builders/condition.ts'
import { node } from '../../../test/builders/node.ts'
import { nodeClaim, nodeNameOf } from '../../../test/builders/nodeClaim.ts'
import { type NodePoolShape, nodePool } from '../../../test/builders/nodePool.ts'
import { type PodShape, pod } from '../../../test/builders/pod.ts'
import { settings, snapshot } from '../../../test/builders/snapshot.ts'
import type { Condition } from '../../model/condition.ts'
import type { Decision } from '../../model/decision.ts'
import { ANNOTATION, type Labels } from '../../model/labels.ts'
import { REBOOT_FENCE } from '../../model/reboot.ts'
import { DEFAULT_REPAIR_POLICIES, type RepairPolicy } from '../../model/repairPolicy.ts'
import { durationMs } from '../../model/units.ts'
import { decide } from '../loadedCluster.ts'

const GPU = 'example.com/GpuHealthy'
const REBOOT: RepairPolicy = {
  ...{ conditionType: GPU, conditionStatus: 'False', reasonRegex: '^Gpu', priority: 50, action: 'RebootNode' },
  ...{ tolerationDuration: durationMs(5 * MINUTE), terminationGracePeriod: durationMs(2 * MINUTE) },
}

type Machine = {
  readonly name: string
  /** For how long its condition has asked for a reboot. */
  readonly sickFor?: number
  readonly reboot?: Condition
  readonly annotations?: Labels
  readonly onNode?: Labels
  readonly bound?: number
  readonly pods?: readonly PodShape[]
  readonly isBack?: boolean
}

const rebooting = (reason: string, age: number): Condition =>
  condition('Rebooting', {
    status: /Requested|Issued/.test(reason) ? 'True' : 'False',
    reason,
    message: 'no',
    lastTransitionAt: ago(age),
  })

function decided(
  list: readonly Machine[],
  { pool = {}, policy = {} }: { pool?: NodePoolShape; policy?: Partial<RepairPolicy> } = {},
): Decision {
  const objects = {
    node: list.map(({ name, sickFor, onNode = {}, reboot, isBack = reboot?.status !== 'True' }) =>
      node({
        ...{ claim: name, initialized: isBack, meta: { createdAt: ago(24 * HOUR), annotations: onNode } },
        ...(reboot?.status === 'True' ? { taints: [REBOOT_FENCE] } : {}),
        conditions: [
          condition('Ready'),
          ...(sickFor === undefined ? [] : [condition(GPU, { status: 'False', reason: 'GpuLost', lastTransitionAt: ago(sickFor) })]),
        ],
      }),
    ),
    nodeClaim: list.map(({ name, reboot, annotations = {}, bound }) => {
      const claim = nodeClaim({
        name,
        meta: { annotations },
        ...(bound === undefined ? {} : { spec: { terminationGracePeriod: durationMs(bound) } }),
      })
      return reboot === undefined ? claim : { ...claim, status: { ...claim.status, conditions: [...claim.status.conditions, reboot] } }
    }),
    nodePool: [nodePool({ ...pool, disruption: { consolidateAfter: 'Never', budgets: [{ nodes: '100%' }], ...pool.disruption } })],
    pod: list.flatMap(({ name, pods = [{}] }) =>
      pods.map((shape, at) => pod({ name: `${name}-${at}`, ...shape, nodeName: nodeNameOf(name) })),
    ),
  }
  const repairPolicies = [...DEFAULT_REPAIR_POLICIES, { ...REBOOT, ...policy }]
  return decide(snapshot({ objects, settings: settings({ repairPolicies }) }))
}

const reboots = ({ actions }: Decision) => actions.filter(({ kind }) => kind === 'rebootClaim')
const others = ({ actions }: Decision) =>
  actions.filter(({ kind }) => ['createClaim', 'startCommand', 'deleteClaim', 'repairClaim', 'openNode'].includes(kind))
const why = ({ reasons }: Decision, claim: string) => reasons.find(({ subject }) => subject.name === claim)?.message
const healthy = (...names: readonly string[]): readonly Machine[] => names.map((name) => ({ name }))

describe('a policy that asks for a reboot', () => {
  it('commits to one after its toleration, and launches and ends nothing', () => {
    expect(reboots(decided([{ name: 'a', sickFor: 4 * MINUTE }]))).toEqual([])
    const decision = decided([{ name: 'a', sickFor: 6 * MINUTE }])
    expect(reboots(decision)).toMatchObject([
      { claim: 'a', because: `${GPU}/GpuLost`, condition: `${GPU}=False`, terminationGracePeriod: 2 * MINUTE, pods: 1 },
    ])
    expect(others(decision)).toEqual([])
  })

  it('bounds the drain by the claim where the policy states no bound', () => {
    const policy = { terminationGracePeriod: undefined } as unknown as Partial<RepairPolicy>
    expect(reboots(decided([{ name: 'a', sickFor: HOUR, bound: MINUTE }], { policy }))).toMatchObject([{ terminationGracePeriod: MINUTE }])
    const [unbounded] = reboots(decided([{ name: 'a', sickFor: HOUR }], { policy }))
    expect(unbounded).not.toHaveProperty('terminationGracePeriod')
  })

  it('keeps the veto, budgets, and the bound that a blocked pod needs', () => {
    expect(reboots(decided([{ name: 'a', sickFor: HOUR, onNode: { [ANNOTATION.doNotRepair]: 'true' } }]))).toEqual([])
    expect(reboots(decided([{ name: 'a', sickFor: HOUR }], { pool: { disruption: { budgets: [{ nodes: '0' }] } } }))).toEqual([])
    const held = { name: 'a', sickFor: HOUR, pods: [{ annotations: { [ANNOTATION.doNotDisrupt]: 'true' } }] }
    expect(reboots(decided([held]))).toHaveLength(1)
    const policy = { terminationGracePeriod: undefined } as unknown as Partial<RepairPolicy>
    expect(why(decided([held], { policy }), 'a')).toContain('terminationGracePeriod')
  })

  it('EE-12 RP-12 reboots one node at a time where the budget is 1, drained or restarting', () => {
    const sick: readonly Machine[] = [{ name: 'a', sickFor: HOUR }, { name: 'b', sickFor: HOUR }, ...healthy('c', 'd', 'e', 'f', 'g', 'h')]
    const pool = { disruption: { budgets: [{ nodes: '1' }] } }
    expect(reboots(decided(sick, { pool }))).toHaveLength(1)
    for (const reason of ['RebootRequested', 'RebootIssued']) {
      const under = sick.map((each) => (each.name === 'a' ? { ...each, reboot: rebooting(reason, MINUTE) } : each))
      expect(reboots(decided(under, { pool }))).toEqual([])
      expect(reboots(decided(under, { pool: { disruption: { budgets: [{ nodes: '100%' }] } } }))).toEqual([])
    }
  })

  it('RM-11 waits for its toleration again after a reboot', () => {
    const after = (age: number) => decided([{ name: 'a', sickFor: HOUR, reboot: rebooting('RebootSucceeded', age) }])
    expect(reboots(after(4 * MINUTE))).toEqual([])
    expect(reboots(after(6 * MINUTE))).toHaveLength(1)
  })

  it('RB-01 replaces the node at the third time within a day, with its replacement first, and says why', () => {
    const twice = { [ANNOTATION.reboots]: `${ago(9 * HOUR)},${ago(HOUR)}` }
    const decision = decided([{ name: 'a', sickFor: 2 * HOUR, annotations: twice, pods: [{ cpus: 3, memoryGib: 9 }] }])
    expect(reboots(decision)).toEqual([])
    expect(decision.actions.map(({ kind }) => kind)).toEqual(expect.arrayContaining(['createClaim', 'startCommand']))
    expect(JSON.stringify(decision.actions)).toContain('it is not rebooted: it was rebooted 2 times within 24 hours')
    const once = { [ANNOTATION.reboots]: `${ago(25 * HOUR)},${ago(HOUR)}` }
    expect(reboots(decided([{ name: 'a', sickFor: 2 * HOUR, annotations: once }]))).toHaveLength(1)
  })

  it('replaces a node whose reboot failed, with its replacement first', () => {
    const failed = { name: 'a', sickFor: 2 * HOUR, reboot: rebooting('RebootFailed', SECOND), pods: [{ cpus: 3, memoryGib: 9 }] }
    for (const isBack of [true, false]) {
      const decision = decided([{ ...failed, isBack }])
      expect(decision.actions.map(({ kind }) => kind)).toEqual(expect.arrayContaining(['createClaim', 'startCommand']))
      expect(reboots(decision)).toEqual([])
    }
  })
})

describe('RB-12 a node that is rebooted', () => {
  const under = (reason: string): Machine => ({ name: 'a', reboot: rebooting(reason, MINUTE), pods: [] })
  const REASONS = ['RebootRequested', 'RebootIssued']

  it.each(REASONS)('is left alone by all other methods and by the sweep: %s', (reason) => {
    const pool = { disruption: { consolidateAfter: durationMs(0), budgets: [{ nodes: '100%' }] } }
    const marked = { ...under(reason), onNode: {}, isBack: true }
    const decision = decided([marked], { pool })
    expect(others(decision)).toEqual([])
    expect(others(decided([{ name: 'a', pods: [] }], { pool }))).toHaveLength(1)
  })

  it.each(REASONS)('is room for the pods that left it: %s', (reason) => {
    const leaving = [{ cpus: 3, deletedAt: ago(SECOND) }]
    const objects = {
      node: [node({ claim: 'a', taints: [REBOOT_FENCE], ready: false, initialized: reason === 'RebootRequested' })],
      nodeClaim: [withReboot(nodeClaim({ name: 'a' }), rebooting(reason, MINUTE))],
      nodePool: [nodePool()],
      pod: [
        ...leaving.map((shape) => pod({ name: 'old', ...shape, nodeName: nodeNameOf('a') })),
        pod({ name: 'new', cpus: 3, createdAt: ago(MINUTE), unschedulableSince: ago(MINUTE) }),
      ],
    }
    const decision = decide(snapshot({ objects }))
    expect(others(decision)).toEqual([])
    const over = withReboot(nodeClaim({ name: 'a' }), rebooting('RebootSucceeded', MINUTE))
    // A fence that is left over keeps pods off.
    expect(others(decide(snapshot({ objects: { ...objects, nodeClaim: [over] } }))).map(({ kind }) => kind)).toContain('createClaim')
  })

  it('RB-13 loses a fence once no reboot is under way', () => {
    const fenced = node({ claim: 'a', taints: [REBOOT_FENCE] })
    const pool = nodePool({ disruption: { consolidateAfter: 'Never' } })
    const decision = decide(snapshot({ objects: { node: [fenced], nodeClaim: [nodeClaim({ name: 'a' })], nodePool: [pool] } }))
    expect(others(decision)).toMatchObject([{ kind: 'openNode', claim: 'a' }])
  })
})

function withReboot(claim: ReturnType<typeof nodeClaim>, reboot: Condition): ReturnType<typeof nodeClaim> {
  return { ...claim, status: { ...claim.status, conditions: [...claim.status.conditions, reboot] } }
}
