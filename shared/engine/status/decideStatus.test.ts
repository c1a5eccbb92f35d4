import { describe, expect, it } from 'vitest'
import { ago, MINUTE, SECOND } from '../../../test/builders/clock.ts'
import { condition } from '../../../test/builders/condition.ts'
import { node } from '../../../test/builders/node.ts'
import { nodeClaim } from '../../../test/builders/nodeClaim.ts'
import { nodeClass } from '../../../test/builders/nodeClass.ts'
import { type NodePoolShape, nodePool } from '../../../test/builders/nodePool.ts'
import { type SnapshotShape, snapshot } from '../../../test/builders/snapshot.ts'
import type { ClusterSnapshot } from '../../model/clusterSnapshot.ts'
import type { Decision } from '../../model/decision.ts'
import { decideStatus } from './decideStatus.ts'

/** The snapshot once the patches were written. */
function written(before: ClusterSnapshot, { actions }: Decision): ClusterSnapshot {
  const { nodePool: pools, nodeClass: classes } = before.objects
  const nodePools = pools.map((pool) => {
    const patch = actions.find((action) => action.kind === 'patchNodePoolStatus' && action.nodePool === pool.name)
    if (patch?.kind !== 'patchNodePoolStatus') return pool
    return { ...pool, status: { conditions: patch.conditions, resources: patch.resources, nodes: patch.nodes } }
  })
  const nodeClasses = classes.map((each) => {
    const patch = actions.find((action) => action.kind === 'patchNodeClassStatus' && action.nodeClass === each.name)
    return patch?.kind === 'patchNodeClassStatus' ? { ...each, status: { ...each.status, conditions: patch.conditions } } : each
  })
  return { ...before, objects: { ...before.objects, nodePool: nodePools, nodeClass: nodeClasses } }
}

function conditionsOf(given: SnapshotShape, kind: 'patchNodePoolStatus' | 'patchNodeClassStatus') {
  const patch = decideStatus(snapshot(given)).actions.find((action) => action.kind === kind)
  if (patch?.kind !== kind) return undefined
  return Object.fromEntries(patch.conditions.map(({ type, status, reason }) => [type, status === 'True' ? status : `${status} ${reason}`]))
}

const fresh = { status: { conditions: [], images: [] } }
const bare = { conditions: [], resources: {} }

describe('status', () => {
  it('of new objects becomes ready in two rounds, and then is not written again', () => {
    const before = snapshot({ objects: { nodePool: [nodePool({ status: bare })], nodeClass: [nodeClass(fresh)] } })
    const first = decideStatus(before)
    expect(first.actions.map((action) => action.kind)).toEqual(['patchNodeClassStatus', 'patchNodePoolStatus'])
    const second = written(before, first)
    expect(decideStatus(second).actions.map((action) => action.kind)).toEqual(['patchNodePoolStatus'])
    const third = written(second, decideStatus(second))
    expect(third.objects.nodePool[0]?.status.conditions.map((each) => [each.type, each.status])).toEqual([
      ['ValidationSucceeded', 'True'],
      ['NodeClassReady', 'True'],
      ['Ready', 'True'],
    ])
    expect(decideStatus(third).actions).toEqual([])
  })

  it('counts launched machines, not those that go or were not launched', () => {
    const objects = {
      node: [node()],
      nodeClaim: [
        nodeClaim(),
        nodeClaim({ name: 'default-b', stage: 'launched' }),
        nodeClaim({ name: 'default-c', stage: 'created' }),
        nodeClaim({ name: 'default-d', stage: 'launched', meta: { deletedAt: ago(SECOND) } }),
        nodeClaim({ name: 'other-a', nodePool: 'other', stage: 'launched' }),
      ],
    }
    const [patch] = decideStatus(snapshot({ objects })).actions
    expect(patch).toMatchObject({ nodes: 2, resources: { nodes: 2, cpu: 8000, memory: 32 * 1024 ** 3, pods: 220, 'ephemeral-storage': 0 } })
  })

  it('restamps conditions when the object changed', () => {
    const changed = nodePool({ meta: { generation: 2 } })
    const [patch] = decideStatus(snapshot({ objects: { nodePool: [changed] } })).actions
    expect(patch).toMatchObject({
      conditions: expect.arrayContaining([expect.objectContaining({ type: 'Ready', status: 'True', observedGeneration: 2 })]),
    })
  })
})

const POOLS: { readonly [sentence: string]: { readonly shape: NodePoolShape; readonly wantReason: string } } = {
  'a label that is the pool’s own': { shape: { template: { labels: { 'karpenter.sh/nodepool': 'x' } } }, wantReason: 'remove it' },
  'a restricted label': {
    shape: { template: { labels: { 'karpenter.sh/x': 'y' } } },
    wantReason: 'label "karpenter.sh/x": the label is restricted',
  },
  'a label value that is none': { shape: { template: { labels: { team: 'a b' } } }, wantReason: 'value "a b" is not a label value' },
  'a taint twice': {
    shape: { template: { taints: [{ key: 'a', effect: 'NoSchedule' }], startupTaints: [{ key: 'a', value: 'b', effect: 'NoSchedule' }] } },
    wantReason: 'taint a=b:NoSchedule: key and effect are there twice',
  },
  'a requirement on the pool’s name': {
    shape: { template: { requirements: [{ key: 'karpenter.sh/nodepool', operator: 'In', values: ['a'] }] } },
    wantReason: 'the label is set by its nodepool',
  },
  'a requirement without values': {
    shape: { template: { requirements: [{ key: 'team', operator: 'In', values: [] }] } },
    wantReason: 'operator In needs at least one value',
  },
}

describe('a NodePool', () => {
  for (const [sentence, { shape, wantReason }] of Object.entries(POOLS)) {
    it(`with ${sentence} is not valid, and not ready`, () => {
      const [patch] = decideStatus(snapshot({ objects: { nodePool: [nodePool(shape)] } })).actions
      expect(patch).toMatchObject({
        conditions: expect.arrayContaining([
          expect.objectContaining({ type: 'ValidationSucceeded', status: 'False', message: expect.stringContaining(wantReason) }),
          expect.objectContaining({ type: 'Ready', status: 'False' }),
        ]),
      })
    })
  }

  it('says what is wrong with its class', () => {
    const given = (classes: SnapshotShape['objects']) =>
      conditionsOf({ objects: { ...classes } }, 'patchNodePoolStatus')?.['NodeClassReady']
    expect(given({ nodeClass: [] })).toBe('False NodeClassNotFound')
    expect(given({ nodeClass: [nodeClass({ meta: { deletedAt: ago(MINUTE) } })] })).toBe('False NodeClassTerminating')
    expect(given({ nodeClass: [nodeClass(fresh)] })).toBe('False NodeClassReadinessUnknown')
    const broken = nodeClass({ status: { conditions: [condition('Ready', { status: 'False', reason: 'SubnetIDInvalid' })], images: [] } })
    expect(given({ nodeClass: [broken] })).toBe('False SubnetIDInvalid')
  })
})

describe('an AKSNodeClass', () => {
  it('waits for the sizes of the region', () => {
    expect(conditionsOf({ types: [], objects: { nodeClass: [nodeClass(fresh)] } }, 'patchNodeClassStatus')).toMatchObject({
      ValidationSucceeded: 'Unknown InstanceTypesUnknown',
      Ready: 'Unknown ReconcilingDependents',
    })
  })

  it('with something that is no subnet is not ready', () => {
    expect(
      conditionsOf({ objects: { nodeClass: [nodeClass({ spec: { vnetSubnetId: '/subnets/x' } })] } }, 'patchNodeClassStatus'),
    ).toMatchObject({
      SubnetsReady: 'False SubnetIDInvalid',
      Ready: 'False UnhealthyDependents',
    })
  })
})
