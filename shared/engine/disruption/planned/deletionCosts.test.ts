import { describe, expect, it } from 'vitest'
import { ago, hence, MINUTE, NOW, SECOND } from '../../../../test/builders/clock.ts'
import { disruptionCommand } from '../../../../test/builders/disruptionCommand.ts'
import { node } from '../../../../test/builders/node.ts'
import { nodeClaim, nodeNameOf } from '../../../../test/builders/nodeClaim.ts'
import { DAEMON_SET, type PodShape, pod, REPLICA_SET, STATEFUL_SET } from '../../../../test/builders/pod.ts'
import { settings, snapshot } from '../../../../test/builders/snapshot.ts'
import type { Action, Decision, TaintPlanned } from '../../../model/decision.ts'
import { nodeClassName, uid } from '../../../model/ids.ts'
import { type Labels, PLANNED_DELETION_COST, POD_ANNOTATION, TAINT_KEY } from '../../../model/labels.ts'
import type { PodOwner } from '../../../model/pod.ts'
import type { Taint } from '../../../model/taint.ts'
import type { EpochMs } from '../../../model/units.ts'
import { fleetSnapshotOf } from '../../cluster/fleet.ts'
import { createDeletionCosts } from './deletionCosts.ts'

const OURS = withCost(PLANNED_DELETION_COST)
const CLAIM = nodeClaim({ name: 'default-n' })
const NODE = nodeNameOf(CLAIM.name)
const UID = node({ claim: CLAIM.name }).meta.uid
const JOB: PodOwner = { apiVersion: 'batch/v1', kind: 'Job', name: 'report', uid: uid('uid-report') }
const CLOSED: Taint = { key: TAINT_KEY.disrupted, effect: 'NoSchedule' }

function withCost(cost: string): { readonly annotations: Labels } {
  return { annotations: { [POD_ANNOTATION.deletionCost]: cost } }
}

type Given = {
  readonly plannedAt?: EpochMs
  readonly pods: readonly PodShape[]
  readonly isOn?: boolean
  /** What the rest of the same decision does. */
  readonly actions?: readonly Action[]
  readonly closed?: true
  readonly ending?: 'claim' | 'node' | 'move'
  readonly isForeign?: true
}

/** A node with these pods. They have the names p0, p1 and so on. */
function decided({ plannedAt, pods, isOn = true, actions = [], closed, ending, isForeign }: Given): Decision {
  const taints: Taint[] = closed === undefined ? [] : [CLOSED]
  if (plannedAt !== undefined) taints.push({ key: TAINT_KEY.disruptionPlanned, value: `${plannedAt / 1_000}`, effect: 'PreferNoSchedule' })
  const nodeClassRef = isForeign ? { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: nodeClassName('default') } : undefined
  const claim = nodeClaim({
    name: CLAIM.name,
    ...(ending === 'claim' ? { meta: { deletedAt: NOW } } : {}),
    ...(nodeClassRef === undefined ? {} : { spec: { nodeClassRef } }),
  })
  const given = snapshot({
    settings: settings(isOn ? { podDeletionCosts: true } : {}),
    commands: ending === 'move' ? [disruptionCommand([claim])] : [],
    objects: {
      nodeClaim: [claim],
      node: [node({ claim: claim.name, taints, ...(ending === 'node' ? { meta: { deletedAt: NOW } } : {}) })],
      pod: pods.map((shape, index) => pod({ name: `p${index}`, nodeName: NODE, phase: 'Running', ...shape })),
    },
  })
  return createDeletionCosts()(fleetSnapshotOf(given), actions)
}

/** The pods that the decision writes: `+p0` for a pod that gets the cost, `-p0` for a pod that loses it. */
function written({ actions }: Decision): readonly string[] {
  return actions.flatMap((action) =>
    action.kind === 'setDeletionCosts'
      ? action.pods.map(({ key }) => `${action.cost === undefined ? '-' : '+'}${key.replace('default/', '')}`)
      : [],
  )
}

function tainted(plannedAt?: EpochMs): TaintPlanned {
  return { kind: 'taintPlanned', node: NODE, uid: UID, ...(plannedAt === undefined ? {} : { plannedAt }) }
}

const DELETED: Action = { kind: 'deleteClaim', claim: CLAIM.name, uid: CLAIM.meta.uid, because: 'Empty' }
const MOVED: Action = { kind: 'startCommand', command: disruptionCommand([CLAIM]) }
const SETTLED = ago(MINUTE)

describe('the deletion cost of pods on planned nodes', () => {
  it.each<[sentence: string, given: Given, want: readonly string[]]>([
    ['is written a minute after the taint', { plannedAt: SETTLED, pods: [{}, {}] }, ['+p0', '+p1']],
    ['is not written before', { plannedAt: ago(MINUTE - SECOND), pods: [{}] }, []],
    ['is not written again', { plannedAt: SETTLED, pods: [OURS] }, []],
    ['is not written without the setting', { plannedAt: SETTLED, pods: [{}], isOn: false }, []],
    ['is not written on a node without the taint', { pods: [{}] }, []],
    ['is not written where the user has set one', { plannedAt: SETTLED, pods: [withCost('0'), withCost('-1'), withCost('much')] }, []],
    [
      'is written on pods of ReplicaSets only',
      { plannedAt: SETTLED, pods: [{ owner: DAEMON_SET }, { owner: STATEFUL_SET }, { owner: JOB }, {}] },
      ['+p3'],
    ],
    [
      'PD-02 is not written on a pod that its ReplicaSet owns and does not control',
      { plannedAt: SETTLED, pods: [{ owner: { ...REPLICA_SET, controls: false } }, {}] },
      ['+p1'],
    ],
    ['is not written on a pod that ends', { plannedAt: SETTLED, pods: [{ deletedAt: hence(SECOND) }] }, []],
    ['is not written when the taint goes', { plannedAt: SETTLED, pods: [{}], actions: [tainted()] }, []],
    ['is not written when the node goes', { plannedAt: SETTLED, pods: [{}], actions: [DELETED] }, []],
    ['is not written when the move of the node begins', { plannedAt: SETTLED, pods: [{}], actions: [MOVED] }, []],
    ["is not written on nodes of another provider's claims", { plannedAt: SETTLED, pods: [{}], isForeign: true }, []],
    ['is removed when the taint goes', { plannedAt: SETTLED, pods: [OURS], actions: [tainted()] }, ['-p0']],
    ['is removed from a node without the taint', { pods: [OURS, {}] }, ['-p0']],
    ['is removed from a pod that no ReplicaSet owns any more', { pods: [{ ...OURS, owner: JOB }] }, ['-p0']],
    ['is not removed where the user has set one', { pods: [withCost('-30012'), withCost('0')] }, []],
    ['is not removed without the setting', { pods: [OURS], isOn: false }, []],
    ['is not removed when the node gets the taint', { pods: [OURS], actions: [tainted(NOW)] }, []],
    ['is not removed when the taint is renewed', { plannedAt: SETTLED, pods: [OURS], actions: [tainted(NOW)] }, []],
    ['is not removed when the node goes', { pods: [OURS], actions: [DELETED] }, []],
    ['is left alone on a node that is closed', { closed: true, pods: [OURS, {}] }, []],
    ['is left alone on a node whose claim ends', { ending: 'claim', pods: [OURS] }, []],
    ['is left alone on a node that ends', { ending: 'node', pods: [OURS] }, []],
    ['is left alone on a node whose move is under way', { ending: 'move', plannedAt: SETTLED, pods: [OURS, {}] }, []],
  ])('%s', (_sentence, given, want) => {
    expect(written(decided(given))).toEqual(want)
  })

  it('is written on few pods in a decision, and the removal comes first', () => {
    const pods = Array.from({ length: 120 }, () => ({}))
    expect(written(decided({ plannedAt: SETTLED, pods }))).toHaveLength(50)
    const both = pods.map((each, index) => (index < 60 ? OURS : each))
    expect(written(decided({ plannedAt: SETTLED, pods: both }))).toHaveLength(50)
    expect(written(decided({ pods: both })).filter((each) => each.startsWith('-'))).toHaveLength(50)
  })

  it('is written on few pods of several nodes together', () => {
    const names = ['default-a', 'default-b', 'default-c']
    const given = snapshot({
      settings: settings({ podDeletionCosts: true }),
      objects: {
        nodeClaim: names.map((name) => nodeClaim({ name })),
        node: names.map((claim) => node({ claim })),
        pod: names.flatMap((name) =>
          Array.from({ length: 30 }, (_, at) => pod({ name: `${name}-${at}`, nodeName: nodeNameOf(name), phase: 'Running', ...OURS })),
        ),
      },
    })
    const { actions } = createDeletionCosts()(fleetSnapshotOf(given), [])
    const counts = actions.map((action) => (action.kind === 'setDeletionCosts' ? action.pods.length : 0))
    expect(counts).toEqual([30, 20])
  })

  it('asks for the decision that writes it', () => {
    expect(decided({ plannedAt: ago(20 * SECOND), pods: [{}] }).wakeAt).toBe(hence(40 * SECOND))
    expect(decided({ plannedAt: ago(20 * SECOND), pods: [OURS] }).wakeAt).toBeUndefined()
    expect(decided({ plannedAt: SETTLED, pods: [{}] }).wakeAt).toBeUndefined()
  })

  it('costs nothing to look at once nothing changes', () => {
    const decision = decided({ plannedAt: SETTLED, pods: [OURS, withCost('7'), { owner: STATEFUL_SET }] })
    expect(decision).toEqual({ actions: [], reasons: [] })
  })
})
