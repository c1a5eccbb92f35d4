import { describe, expect, it } from 'vitest'
import { ago, HOUR, hence, MINUTE, NOW, SECOND } from '../../../test/builders/clock.ts'
import { withoutLabel } from '../../../test/builders/meta.ts'
import { node } from '../../../test/builders/node.ts'
import { nodeClaim } from '../../../test/builders/nodeClaim.ts'
import { nodeClassRef, nodePool } from '../../../test/builders/nodePool.ts'
import { daemonPod, NODE_OWNER, pod, STATEFUL_SET } from '../../../test/builders/pod.ts'
import { type SnapshotShape, snapshot } from '../../../test/builders/snapshot.ts'
import type { Decision } from '../../model/decision.ts'
import { uid } from '../../model/ids.ts'
import { ANNOTATION, LABEL } from '../../model/labels.ts'
import type { NodeClaimSpec } from '../../model/nodeClaim.ts'
import type { Budget } from '../../model/nodePool.ts'
import { durationMs, type EpochMs, epochMs } from '../../model/units.ts'
import { fleetSnapshotOf } from '../cluster/fleet.ts'
import { createExpiry } from './expiry.ts'

const TEN_HOURS = durationMs(10 * HOUR)
const SPREAD = HOUR

function expired(shape: SnapshotShape): readonly string[] {
  return namesOf(createExpiry()(fleetSnapshotOf(snapshot(shape))))
}

function namesOf({ actions }: Decision): readonly string[] {
  return actions.flatMap((action) => (action.kind === 'expireClaim' ? [action.claim] : []))
}

/** One machine of this age, with a pod and everything that protects a machine. */
function aged(createdAt: EpochMs, spec: Partial<NodeClaimSpec> = {}): NonNullable<SnapshotShape['objects']> {
  const annotations = { [ANNOTATION.doNotDisrupt]: 'true' }
  const held = node({ meta: { annotations } })
  return {
    node: [held],
    nodeClaim: [nodeClaim({ meta: { createdAt, annotations }, spec: { expireAfter: TEN_HOURS, ...spec } })],
    nodePool: [nodePool({ disruption: { budgets: [{ nodes: '0' }] } })],
    pod: [pod({ nodeName: held.name, annotations })],
  }
}

/** Machines of one age, in a pool with these budgets. */
function herd(count: number, budgets: readonly Budget[]): NonNullable<SnapshotShape['objects']> {
  const names = Array.from({ length: count }, (_, index) => `default-n${index}`)
  return {
    node: names.map((claim) => node({ claim })),
    nodeClaim: names.map((name) => nodeClaim({ name, meta: { createdAt: NOW, uid: uid(`u-${name}`) }, spec: { expireAfter: TEN_HOURS } })),
    nodePool: [nodePool({ disruption: { budgets } })],
  }
}

describe('a machine at its maximum age', () => {
  it('ends whatever protects it', () => expect(expired({ objects: aged(ago(10 * HOUR)) })).toEqual(['default-aaaaa']))

  it('is told about on claim and node', () => {
    const { actions } = createExpiry()(fleetSnapshotOf(snapshot({ objects: aged(ago(10 * HOUR)) })))
    const message = 'Expired: nodeclaim default-aaaaa reaches its expireAfter of 10h'
    expect(actions).toMatchObject([
      { kind: 'expireClaim' },
      { event: { subject: { kind: 'nodeClaim' }, message } },
      { event: { subject: { kind: 'node' }, message } },
    ])
  })

  it('EX-03 counts the pods that need another place, and no others', () => {
    const { node: nodes = [], ...others } = aged(ago(10 * HOUR))
    const host = nodes[0]?.name ?? expect.fail('no node')
    const pods = [
      pod({ name: 'web', nodeName: host }),
      pod({ name: 'db', nodeName: host, owner: STATEFUL_SET, deletedAt: NOW }),
      pod({ name: 'ends', nodeName: host, deletedAt: NOW }),
      pod({ name: 'done', nodeName: host, phase: 'Succeeded' }),
      pod({ name: 'static', nodeName: host, owner: NODE_OWNER }),
      daemonPod(host),
    ]
    const { actions } = createExpiry()(fleetSnapshotOf(snapshot({ objects: { ...others, node: nodes, pod: pods } })))
    expect(actions[0]).toMatchObject({ kind: 'expireClaim', pods: 2 })
  })

  it('EX-07 ends though its node is younger', () => {
    const young = node({ meta: { createdAt: ago(SECOND) } })
    expect(expired({ objects: { ...aged(ago(10 * HOUR)), node: [young] } })).toEqual(['default-aaaaa'])
  })

  it('ends before it has a node', () => {
    expect(expired({ objects: { ...aged(ago(10 * HOUR)), node: [], pod: [] } })).toEqual(['default-aaaaa'])
  })

  it('ends without a pool', () => {
    const standalone = nodeClaim({ meta: { createdAt: ago(10 * HOUR) }, spec: { expireAfter: TEN_HOURS } })
    expect(expired({ objects: { nodePool: [], nodeClaim: [withoutLabel(standalone, LABEL.nodePool)] } })).toEqual(['default-aaaaa'])
  })

  it('ends without a pool at its own time, which no budget holds', () => {
    const own = nodeClaim({ meta: { createdAt: NOW }, spec: { expireAfter: TEN_HOURS } })
    const objects = { nodePool: [], nodeClaim: [withoutLabel(own, LABEL.nodePool)] }
    const at = createExpiry()(fleetSnapshotOf(snapshot({ objects, takenAt: epochMs(NOW + TEN_HOURS - SPREAD) }))).wakeAt
    expect(at).toBeLessThan(NOW + TEN_HOURS)
    expect(expired({ objects, takenAt: epochMs((at ?? 0) - 1) })).toEqual([])
    expect(expired({ objects, takenAt: epochMs(at ?? 0) })).toEqual(['default-aaaaa'])
  })
})

describe('a machine stays', () => {
  it.each<[sentence: string, objects: NonNullable<SnapshotShape['objects']>]>([
    ['before the last tenth of its age', aged(ago(9 * HOUR - SECOND))],
    ['EX-05 without a maximum age', aged(ago(10_000 * HOUR), { expireAfter: 'Never' })],
    ['EX-04 of a class of another provider', aged(ago(10 * HOUR), { nodeClassRef: { ...nodeClassRef('default'), kind: 'EC2NodeClass' } })],
    [
      'that is being deleted already',
      { nodeClaim: [nodeClaim({ meta: { createdAt: ago(10 * HOUR), deletedAt: ago(SECOND) }, spec: { expireAfter: TEN_HOURS } })] },
    ],
  ])('%s', (_sentence, objects) => expect(expired({ objects })).toEqual([]))

  it('and names the time when it is to be looked at again', () => {
    expect(createExpiry()(fleetSnapshotOf(snapshot({ objects: aged(ago(8 * HOUR)) }))).wakeAt).toBe(hence(HOUR))
    expect(createExpiry()(fleetSnapshotOf(snapshot({ objects: aged(ago(10 * HOUR - 1)) }))).wakeAt).toBe(hence(1))
  })
})

describe('a hundred machines born together (F34)', () => {
  /** The machines that end, minute by minute, over the last two hours. A machine that ends is gone by the next minute. */
  function ends(budgets: readonly Budget[]): readonly { readonly at: number; readonly names: readonly string[] }[] {
    let objects = herd(100, budgets)
    return Array.from({ length: 121 }, (_, minute) => {
      const takenAt = epochMs(NOW + TEN_HOURS - 120 * MINUTE + minute * MINUTE)
      const names = expired({ takenAt, objects })
      objects = {
        ...objects,
        node: objects.node?.filter(({ name }) => !names.some((claim) => name.endsWith(claim))) ?? [],
        nodeClaim: objects.nodeClaim?.filter(({ name }) => !names.includes(name)) ?? [],
      }
      return { at: takenAt - NOW, names }
    })
  }

  it('end over the last tenth of their age, none later and none twice', () => {
    const all = ends([{ nodes: '10%' }])
    expect(new Set(all.flatMap(({ names }) => names)).size).toBe(100)
    expect(all.flatMap(({ names }) => names)).toHaveLength(100)
    expect(all.filter(({ at, names }) => names.length > 0 && at < TEN_HOURS - SPREAD)).toEqual([])
    expect(Math.max(...all.map(({ names }) => names.length))).toBeLessThanOrEqual(10)
  })

  it('end at their maximum age where the budgets of the pool let none go before', () => {
    const all = ends([{ nodes: '0' }])
    expect(all.filter(({ names }) => names.length > 0)).toMatchObject([{ at: TEN_HOURS }])
  })

  it('go by the budgets for every reason alone', () => {
    const all = ends([{ nodes: '0', reasons: ['Empty', 'Drifted', 'Underutilized'] }])
    expect(all.filter(({ names }) => names.length > 0).length).toBeGreaterThan(20)
  })

  it('at one moment go as the budget says, the others wait', () => {
    const takenAt = epochMs(NOW + TEN_HOURS - 1)
    const decided = createExpiry()(fleetSnapshotOf(snapshot({ takenAt, objects: herd(10, [{ nodes: '3' }]) })))
    expect(namesOf(decided)).toHaveLength(3)
    expect(decided.wakeAt).toBe(NOW + TEN_HOURS)
  })
})
