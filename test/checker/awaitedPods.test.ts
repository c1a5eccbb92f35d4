import { describe, expect, it } from 'vitest'
import type { ClusterSnapshot } from '../../shared/model/clusterSnapshot.ts'
import { nodeName } from '../../shared/model/ids.ts'
import type { Pod } from '../../shared/model/pod.ts'
import { ago, MINUTE, NOW } from '../builders/clock.ts'
import { condition } from '../builders/condition.ts'
import { disruptionCommand } from '../builders/disruptionCommand.ts'
import { node } from '../builders/node.ts'
import { nodeClaim, nodeNameOf } from '../builders/nodeClaim.ts'
import { pod } from '../builders/pod.ts'
import { type SnapshotShape, snapshot } from '../builders/snapshot.ts'
import { isAwaited, withAwaited } from './awaitedPods.ts'

const CLAIM = nodeClaim({ name: 'default-a' })
const NODE = node({ claim: 'default-a' })
const COMING = pod({ name: 'coming', nominatedNodeName: NODE.name, nominatedAt: NOW })
const { nominatedAt: _, ...WITHOUT_TIME } = COMING
const { unschedulableSince: __, ...UNMARKED } = WITHOUT_TIME

type Given = { readonly pod?: Pod; readonly objects?: SnapshotShape['objects']; readonly commands?: ClusterSnapshot['commands'] }

function world({ pod: own = COMING, objects, commands = [] }: Given): ClusterSnapshot {
  const { pod: others = [], ...more } = objects ?? {}
  return snapshot({ commands, objects: { nodeClaim: [CLAIM], node: [NODE], pod: [own, ...others], ...more } })
}

const victim = (shape: Partial<Pod>): Pod => pod({ name: 'victim', nodeName: NODE.name, phase: 'Running', ...shape })
const LONG_AGO = { ...COMING, nominatedAt: ago(10 * MINUTE) }
const TEN_AGO = ago(10 * MINUTE)

const CASES: { readonly [sentence: string]: readonly [awaited: boolean, given: Given] } = {
  'a pod that was nominated just now': [true, {}],
  'a pod whose node is not there': [false, { pod: { ...COMING, nominatedNodeName: nodeName('gone') } }],
  'a pod that is bound': [false, { pod: { ...COMING, nodeName: NODE.name } }],
  'a pod that is ending': [false, { pod: { ...COMING, deletedAt: NOW } }],
  'a pod that has succeeded': [false, { pod: { ...COMING, phase: 'Succeeded' } }],
  'a pod that has failed': [false, { pod: { ...COMING, phase: 'Failed' } }],
  'a pod whose nomination is ten minutes old': [false, { pod: LONG_AGO }],
  'a pod whose nomination is almost as old': [true, { pod: { ...COMING, nominatedAt: ago(10 * MINUTE - 1) } }],
  'a pod without the time of its nomination, which was refused ten minutes ago': [
    false,
    { pod: { ...WITHOUT_TIME, unschedulableSince: TEN_AGO } },
  ],
  'a pod without that time, which was refused lately': [true, { pod: { ...WITHOUT_TIME, unschedulableSince: NOW, createdAt: TEN_AGO } }],
  'a pod without both times, which was created ten minutes ago': [false, { pod: { ...UNMARKED, createdAt: TEN_AGO } }],
  'a pod without both times, which was created lately': [true, { pod: { ...UNMARKED, createdAt: NOW } }],
  'a pod for which another one ends': [true, { pod: LONG_AGO, objects: { pod: [victim({ deletedAt: NOW })] } }],
  'a pod for which another one should have ended ten minutes ago': [
    false,
    { pod: LONG_AGO, objects: { pod: [victim({ deletedAt: TEN_AGO })] } },
  ],
  'a pod for which another one has ended': [
    false,
    { pod: LONG_AGO, objects: { pod: [victim({ deletedAt: NOW, phase: 'Succeeded' }), victim({ deletedAt: NOW, phase: 'Failed' })] } },
  ],
  'a pod beside another one that stays': [false, { pod: LONG_AGO, objects: { pod: [victim({})] } }],
  'a pod while another one ends elsewhere': [
    false,
    { pod: LONG_AGO, objects: { pod: [victim({ deletedAt: NOW, nodeName: nodeName('other') })] } },
  ],
  'a pod whose node a move takes': [false, { commands: [disruptionCommand([CLAIM])] }],
  'a pod whose node is not that of a move': [true, { commands: [disruptionCommand([nodeClaim({ name: 'default-b' })])] }],
  'a pod whose node has the claim of a move, and another uid': [
    true,
    { commands: [disruptionCommand([{ ...CLAIM, meta: nodeClaim({ name: 'default-b' }).meta }])] },
  ],
  'a pod whose claim is being deleted': [false, { objects: { nodeClaim: [nodeClaim({ name: 'default-a', meta: { deletedAt: NOW } })] } }],
  'a pod whose machine is ending': [
    false,
    { objects: { nodeClaim: [nodeClaim({ name: 'default-a', status: { conditions: [condition('InstanceTerminating')] } })] } },
  ],
  'a pod whose machine is not ending': [
    true,
    {
      objects: {
        nodeClaim: [nodeClaim({ name: 'default-a', status: { conditions: [condition('InstanceTerminating', { status: 'False' })] } })],
      },
    },
  ],
  'a pod whose node is being deleted, while its claim stays': [
    true,
    { objects: { node: [node({ claim: 'default-a', meta: { deletedAt: NOW } })] } },
  ],
  'a pod whose node has no claim': [true, { objects: { nodeClaim: [] } }],
  'a pod whose node has no claim and is being deleted': [
    false,
    { objects: { nodeClaim: [], node: [node({ claim: 'default-a', meta: { deletedAt: NOW } })] } },
  ],
}

describe('kube-scheduler may still bind', () => {
  for (const [sentence, [awaited, given]] of Object.entries(CASES)) {
    it(`${awaited ? '' : 'not '}${sentence}`, () => {
      const before = world(given)
      expect(isAwaited(given.pod ?? COMING, before)).toBe(awaited)
      const [after] = withAwaited(before).objects.pod
      expect(after).not.toHaveProperty('nominatedNodeName')
      const bound = given.pod?.nodeName
      expect(after?.nodeName).toBe(awaited ? nodeNameOf('default-a') : bound)
    })
  }

  it('nothing in a cluster without nominations, which stays as it is', () => {
    const before = world({ pod: pod() })
    expect(withAwaited(before)).toBe(before)
  })

  it('one pod, and others stay as they are', () => {
    const other = pod({ name: 'other' })
    expect(withAwaited(world({ objects: { pod: [other] } })).objects.pod[1]).toEqual(other)
  })
})
