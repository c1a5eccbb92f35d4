import { describe, expect, it } from 'vitest'
import { ago, NOW, SECOND } from '../../../test/builders/clock.ts'
import { condition } from '../../../test/builders/condition.ts'
import { nodeClaim, nodeNameOf } from '../../../test/builders/nodeClaim.ts'
import { DAEMON_SET, type PodShape, pod } from '../../../test/builders/pod.ts'
import { type AddedWork, createMemoryWorkQueue } from '../../adapters/memory/workQueue.ts'
import type { Change } from '../../model/change.ts'
import type { Condition } from '../../model/condition.ts'
import { createClusterState } from '../state/clusterState.ts'
import { reconcileDrained } from './reconcile.ts'

const CLAIM = 'default-a'
const ON_IT = { nodeName: nodeNameOf(CLAIM) }
const LEAVING = { ...ON_IT, deletedAt: NOW }

type Given = { readonly drained?: Partial<Condition>; readonly isDeleted?: boolean; readonly pods: readonly PodShape[] }

/** The number of added keys after the first pod is gone, and after a second call without news. */
function additions({ drained = {}, isDeleted = true, pods }: Given): readonly number[] {
  const state = createClusterState()
  const conditions = [condition('Drained', { status: 'Unknown', lastTransitionAt: ago(10 * SECOND), ...drained })]
  const claim = nodeClaim({ name: CLAIM, meta: isDeleted ? { deletedAt: ago(10 * SECOND) } : {}, status: { conditions, ...ON_IT } })
  const objects = pods.map((shape, index) => pod({ name: `p${index}`, ...shape }))
  const put: readonly Change[] = [
    { seq: 1, at: NOW, op: 'put', kind: 'nodeClaim', key: claim.name, object: claim },
    ...objects.map((object, index): Change => ({ seq: index + 2, at: NOW, op: 'put', kind: 'pod', key: object.key, object })),
  ]
  const gone: Change = { seq: 100, at: NOW, op: 'delete', kind: 'pod', key: objects[0]?.key ?? '' }
  const added: AddedWork[] = []
  const clock = { now: () => NOW, sleep: async () => {} }
  const counts: number[] = []
  for (const changes of [put, [gone], []]) {
    state.apply({ term: 1, receivedAt: NOW, body: { kind: 'changes', changes } })
    reconcileDrained({ clock, queue: createMemoryWorkQueue(added, clock) }, state)
    counts.push(added.length)
  }
  return counts
}

describe('a claim whose node is drained', () => {
  it.each<[sentence: string, given: Given, isAskedFor: boolean]>([
    ['is looked at once its last pod has left', { pods: [LEAVING] }, true],
    ['is looked at once its last pod of a DaemonSet has left', { pods: [{ ...LEAVING, owner: DAEMON_SET }] }, true],
    ['is looked at once nothing is ending there, so that the next pods are evicted', { pods: [LEAVING, ON_IT] }, true],
    ['is looked at while pods end elsewhere', { pods: [LEAVING, { nodeName: 'other', deletedAt: NOW }] }, true],
    ['is left alone while another pod is ending there', { pods: [LEAVING, LEAVING] }, false],
    ['is left alone when a pod leaves another node', { pods: [{ nodeName: 'other', deletedAt: NOW }, ON_IT] }, false],
    ['is left alone within the least time of a drain', { pods: [LEAVING], drained: { lastTransitionAt: ago(SECOND) } }, false],
    ['is left alone when it is drained', { pods: [LEAVING], drained: { status: 'True' } }, false],
    ['is left alone while it is not being deleted', { pods: [LEAVING], isDeleted: false }, false],
  ])('%s', (_sentence, given, isAskedFor) => {
    expect(additions(given)).toEqual(isAskedFor ? [0, 1, 1] : [0, 0, 0])
  })
})
