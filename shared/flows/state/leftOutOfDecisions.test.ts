import { expect, it } from 'vitest'
import { NOW } from '../../../test/builders/clock.ts'
import { nodeClass } from '../../../test/builders/nodeClass.ts'
import { nodePool } from '../../../test/builders/nodePool.ts'
import { pod } from '../../../test/builders/pod.ts'
import { snapshot } from '../../../test/builders/snapshot.ts'
import type { Change } from '../../model/change.ts'
import type { Decision } from '../../model/decision.ts'
import type { NodePool } from '../../model/nodePool.ts'
import { createClusterState } from './clusterState.ts'

/** Planning fails as soon as it reads the limits of the NodePool. */
function failing(given: NodePool): NodePool {
  const { limits: _, ...rest } = given
  return {
    ...rest,
    get limits(): NodePool['limits'] {
      throw new Error('no planning with limits')
    },
  }
}

function putPool(seq: number, object: NodePool): Change {
  return { seq, at: NOW, op: 'put', kind: 'nodePool', key: object.name, object }
}

function madeFor({ actions }: Decision): readonly string[] {
  return actions.flatMap((action) => (action.kind === 'createClaim' ? [String(action.draft.nodePool)] : []))
}

it('a NodePool that a kept cluster fails with is left out, and decisions are whole again once it is corrected', () => {
  const { objects: _, ...context } = snapshot()
  const state = createClusterState()
  const [ofPool, waiting] = [nodeClass(), pod()]
  const first: readonly Change[] = [
    putPool(1, nodePool({ name: 'good' })),
    { seq: 2, at: NOW, op: 'put', kind: 'nodeClass', key: ofPool.name, object: ofPool },
    { seq: 3, at: NOW, op: 'put', kind: 'pod', key: waiting.key, object: waiting },
  ]
  state.apply({ term: 1, receivedAt: NOW, body: { kind: 'snapshot', seq: 3, part: 0, parts: 1, changes: first } })
  const apply = (change: Change) => state.apply({ term: 1, receivedAt: NOW, body: { kind: 'changes', changes: [change] } })
  expect(madeFor(state.decide(context))).toEqual(['good'])
  apply(putPool(4, failing(nodePool({ name: 'heavy', weight: 10 }))))
  const decision = state.decide(context)
  expect(madeFor(decision)).toEqual(['good'])
  expect(decision.leftOut).toEqual([{ kind: 'nodePool', name: 'heavy', failure: 'no planning with limits' }])
  apply(putPool(5, nodePool({ name: 'heavy', weight: 10 })))
  const whole = state.decide(context)
  expect(whole.leftOut).toBeUndefined()
  expect(madeFor(whole)).toEqual(['heavy'])
})

it('a plan and a look at disruption are made without it as well, and say what they left out', () => {
  const { objects: _, ...context } = snapshot()
  const state = createClusterState()
  const [ofPool, waiting] = [nodeClass(), pod()]
  const changes: readonly Change[] = [
    putPool(1, nodePool({ name: 'good' })),
    putPool(2, failing(nodePool({ name: 'heavy', weight: 10 }))),
    { seq: 3, at: NOW, op: 'put', kind: 'nodeClass', key: ofPool.name, object: ofPool },
    { seq: 4, at: NOW, op: 'put', kind: 'pod', key: waiting.key, object: waiting },
  ]
  state.apply({ term: 1, receivedAt: NOW, body: { kind: 'snapshot', seq: 4, part: 0, parts: 1, changes } })
  const { planned, snapshot: seen, leftOut } = state.plan(context)
  expect(leftOut).toEqual([{ kind: 'nodePool', name: 'heavy', failure: 'no planning with limits' }])
  expect(seen.objects.nodePool.map(({ name }) => name)).toEqual(['good'])
  expect(planned.provisioning?.plan.bins).toHaveLength(1)
  expect(state.disrupt(context).actions).toEqual([])
})
