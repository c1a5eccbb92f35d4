/** What holds a machine for a time. A cluster at rest is looked at again at the time that its last decision names, so each such rule must name its end. */
import { describe, expect, it } from 'vitest'
import { ago, HOUR, hence, MINUTE, NOW, SECOND } from '../../../test/builders/clock.ts'
import { condition } from '../../../test/builders/condition.ts'
import { instanceType } from '../../../test/builders/instanceType.ts'
import { node } from '../../../test/builders/node.ts'
import { nodeClaim } from '../../../test/builders/nodeClaim.ts'
import { type NodePoolShape, nodePool } from '../../../test/builders/nodePool.ts'
import { type PodShape, pod } from '../../../test/builders/pod.ts'
import { type SnapshotShape, snapshot } from '../../../test/builders/snapshot.ts'
import type { ClusterSnapshot } from '../../model/clusterSnapshot.ts'
import { nodePoolName } from '../../model/ids.ts'
import { ANNOTATION, CALM_ANNOTATION } from '../../model/labels.ts'
import { durationMs } from '../../model/units.ts'
import { decide } from '../loadedCluster.ts'

const HOST = 'joiner-default-aaaaa'
const DEAR = 'Standard_D8as_v6'
const TYPES = [
  instanceType({ name: 'Standard_D2as_v6', cpus: 2, memoryGib: 8, price: 0.1, spotPrice: null }),
  instanceType({ name: DEAR, cpus: 8, memoryGib: 32, price: 0.4, spotPrice: null }),
]

type Shape = Omit<SnapshotShape, 'objects'> & {
  readonly pool?: NodePoolShape
  readonly pods?: readonly PodShape[]
  readonly isDrifted?: boolean
}

/** A dear machine with a small pod. A cheaper machine would hold the pod. */
function given({ pool = {}, pods = [{}], isDrifted = false, ...context }: Shape): ClusterSnapshot {
  const claim = nodeClaim({ size: DEAR })
  const conditions = isDrifted ? [...claim.status.conditions, condition('Drifted')] : claim.status.conditions
  const disruption = { consolidateAfter: durationMs(0), budgets: [{ nodes: '100%' }], ...pool.disruption }
  return snapshot({
    types: TYPES,
    ...context,
    objects: {
      nodePool: [nodePool({ ...pool, disruption })],
      node: [node({ size: DEAR })],
      nodeClaim: [{ ...claim, status: { ...claim.status, conditions } }],
      pod: pods.map((shape, at) => pod({ name: `p${at}`, cpus: 0.5, nodeName: HOST, ...shape })),
    },
  })
}

const keptFor = (text: string, startedAgo: number): PodShape => ({
  annotations: { [ANNOTATION.doNotDisrupt]: text },
  startedAt: ago(startedAgo),
})
const closed = { nodes: '0', schedule: '@daily', duration: durationMs(HOUR) } as const
const [CLAIM] = [nodeClaim().name]

/** The time until which nothing moves, from now. */
const HOLDS: { readonly [sentence: string]: readonly [shape: Shape, ms: number] } = {
  'the quiet that its pool asks for': [{ pool: { disruption: { consolidateAfter: durationMs(10 * MINUTE) } } }, 10 * MINUTE - 20 * SECOND],
  'the age that its pool asks for': [{ pool: { meta: { annotations: { [CALM_ANNOTATION.leastNodeAge]: '1h' } } } }, 50 * MINUTE],
  'the window of a budget': [{ pool: { disruption: { budgets: [closed] } } }, HOUR],
  'a move that failed': [
    { backOffs: [{ claims: [CLAIM], pools: [nodePoolName('default')], failures: 1, failedAt: ago(MINUTE), until: hence(MINUTE) }] },
    MINUTE,
  ],
  'a pod that must not be disrupted for a time': [{ pods: [keptFor('3m', MINUTE)] }, 2 * MINUTE],
  'the pod that needs the longest of several': [{ pods: [keptFor('3m', MINUTE), keptFor('2m', MINUTE)] }, 2 * MINUTE],
  'such a pod on a drifted machine': [{ pods: [keptFor('3m', MINUTE)], isDrifted: true }, 2 * MINUTE],
  'such a pod on a drifted machine of a static pool': [
    { pods: [keptFor('3m', MINUTE)], isDrifted: true, pool: { replicas: 1 } },
    2 * MINUTE,
  ],
}

function moves(at: ClusterSnapshot): number {
  return decide(at).actions.filter(({ kind }) => kind === 'startCommand' || kind === 'deleteClaim').length
}

describe('a machine is held for a time, which the decision names:', () => {
  it.each(Object.entries(HOLDS))('%s', (_sentence, [shape, ms]) => {
    const now = given(shape)
    expect(moves(now)).toBe(0)
    expect((decide(now).wakeAt ?? 0) - NOW).toBe(ms)
    expect(moves({ ...now, takenAt: hence(ms - 1) })).toBe(0)
    expect(moves({ ...now, takenAt: hence(ms) })).toBe(1)
  })

  it('by nothing else', () => expect(moves(given({}))).toBe(1))
})
