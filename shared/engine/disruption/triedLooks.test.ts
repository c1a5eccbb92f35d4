import { describe, expect, it } from 'vitest'
import { createRandom } from '../../../test/agreement/random.ts'
import { SECOND } from '../../../test/builders/clock.ts'
import { tightCluster } from '../../../test/generators/tightCluster.ts'
import type { ClusterSnapshot } from '../../model/clusterSnapshot.ts'
import type { Decision } from '../../model/decision.ts'
import { ANNOTATION } from '../../model/labels.ts'
import { durationMs, later } from '../../model/units.ts'
import { decide, loadCluster } from '../loadedCluster.ts'

function movesOf({ actions }: Decision): number {
  return actions.filter(({ kind }) => kind === 'deleteClaim' || kind === 'startCommand').length
}

/** A cluster with a node that must not be disrupted, and a wait of ten seconds before a machine is quiet. */
function withKeptNode(seed: number): ClusterSnapshot {
  const { objects, ...rest } = tightCluster(createRandom(seed))
  const nodePool = objects.nodePool.map((pool) => ({
    ...pool,
    disruption: { ...pool.disruption, consolidateAfter: durationMs(10 * SECOND) },
  }))
  return { ...rest, objects: { ...objects, nodePool } }
}

describe('a look that found nothing to gain', () => {
  it('is made again once a node with room becomes quiet, though no object has changed', () => {
    const given = withKeptNode(17)
    const { objects, ...context } = given
    const kept = objects.node.find(({ meta }) => meta.annotations[ANNOTATION.doNotDisrupt] === 'true')
    const gone = objects.pod.filter(({ nodeName, owner }) => nodeName === kept?.name && owner?.kind !== 'DaemonSet').map(({ key }) => key)
    const nodeClaim = objects.nodeClaim.map((claim) =>
      claim.status.nodeName === kept?.name ? { ...claim, status: { ...claim.status, lastPodEventAt: context.takenAt } } : claim,
    )
    const cluster = loadCluster(objects)
    expect(movesOf(cluster.decide(context))).toBe(0)
    cluster.apply({ removed: { pod: gone }, put: { nodeClaim: nodeClaim.filter((claim, at) => claim !== objects.nodeClaim[at]) } })
    const changed = { ...objects, nodeClaim, pod: objects.pod.filter(({ key }) => !gone.includes(key)) }
    const moves = [0, 5, 11].map((seconds) => {
      const now = { ...context, takenAt: later(context.takenAt, durationMs(seconds * SECOND)) }
      const decision = cluster.decide(now)
      expect(JSON.stringify(decision)).toBe(JSON.stringify(decide({ ...now, objects: changed })))
      return movesOf(decision)
    })
    expect(moves).toEqual([0, 0, 1])
  })
})
