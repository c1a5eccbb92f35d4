import { describe, expect, it } from 'vitest'
import { decide } from '../../shared/engine/loadedCluster.ts'
import { claimKeys, isDaemonPod } from '../../shared/engine/pod/podPredicates.ts'
import { decideProvisioning } from '../../shared/engine/scheduling/planningState.ts'
import type { ClusterSnapshot } from '../../shared/model/clusterSnapshot.ts'
import type { Decision } from '../../shared/model/decision.ts'
import type { Pod } from '../../shared/model/pod.ts'
import { durationMs, epochMs } from '../../shared/model/units.ts'
import { createRandom } from '../agreement/random.ts'
import { MINUTE } from '../builders/clock.ts'
import { isAwaited } from '../checker/awaitedPods.ts'
import { deletingBy, problemsOfDeleting } from '../checker/checkMoves.ts'
import { violationsOf } from '../checker/checkPlan.ts'
import { placedPods } from '../checker/placedPods.ts'
import { describeViolation } from '../checker/violation.ts'
import { withNominated } from '../generators/nominated.ts'
import { randomSnapshot } from '../generators/randomSnapshot.ts'
import { tightCluster } from '../generators/tightCluster.ts'
import { withVolumeRules } from '../generators/volumeRules.ts'
import { casesOf, seedsOf } from './cases.ts'

const CASES = casesOf(100)

/** A cluster that gives up machines at once. Some nodes have no pods, and pods of other nodes are not bound yet. */
function shrinking(seed: number): ClusterSnapshot {
  const random = createRandom(seed)
  const given = settled(tightCluster(random))
  const { objects, takenAt } = given
  const [empty, coming] = [new Set<string>(), new Set<string>()]
  for (const { name } of objects.node) random.pick([empty, coming, new Set<string>()]).add(name)
  const pod = objects.pod.flatMap((each): readonly Pod[] => {
    const { nodeName, scheduledAt: _, ...rest } = each
    if (nodeName === undefined || empty.has(nodeName)) return []
    if (!coming.has(nodeName) || isDaemonPod(each)) return [each]
    return [{ ...rest, phase: 'Pending', nominatedNodeName: nodeName, nominatedAt: epochMs(takenAt - random.int(14) * MINUTE) }]
  })
  return { ...given, objects: { ...objects, pod } }
}

/** The number of placed pods with a claim of a class that makes no volumes. */
function onLocalVolumes({ objects }: ClusterSnapshot, decision: Decision): number {
  const fixed = new Set(objects.storageClass.flatMap(({ name, provisioner }) => (provisioner.endsWith('no-provisioner') ? [name] : [])))
  const own = objects.persistentVolumeClaim.filter(
    ({ storageClassName = '', volumeName }) => volumeName === undefined && fixed.has(storageClassName),
  )
  const keys = new Set<string>(own.map(({ key }) => key))
  const placed = new Set(placedPods(decision).map(({ pod }) => pod.uid))
  return objects.pod.filter((pod) => placed.has(pod.uid) && claimKeys(pod).some((key) => keys.has(key))).length
}

/** The snapshot with pools whose machines may all go at once. */
function settled({ objects, ...rest }: ClusterSnapshot): ClusterSnapshot {
  const policy = { consolidateAfter: durationMs(0), budgets: [{ nodes: '100%' }] }
  const nodePool = objects.nodePool.map((pool) => ({ ...pool, disruption: { ...pool.disruption, ...policy } }))
  return { ...rest, objects: { ...objects, nodePool } }
}

describe('pods that kube-scheduler has nominated for nodes', () => {
  it('take the room of their nodes, and are planned once the nomination is void', () => {
    const seen = { awaited: 0, void: 0 }
    for (const seed of seedsOf(CASES)) {
      const snapshot = withNominated(createRandom(seed), randomSnapshot(seed))
      for (const pod of snapshot.objects.pod.filter((each) => each.nominatedNodeName !== undefined)) {
        seen[isAwaited(pod, snapshot) ? 'awaited' : 'void']++
      }
      expect(violationsOf(snapshot, decideProvisioning(snapshot)).map(describeViolation), `seed ${seed}`).toEqual([])
    }
    for (const [what, count] of Object.entries(seen)) expect(count, what).toBeGreaterThan(CASES / 10)
  })

  it('and pods with claims of one pod, or of a chosen node, get places that kube-scheduler gives them', () => {
    const seen = { 'is used by': 0, first: 0, placed: 0, 'makes no volumes': 0, onLocal: 0 }
    for (const seed of seedsOf(CASES)) {
      const random = createRandom(seed * 3)
      const snapshot = withVolumeRules(random, withNominated(random, randomSnapshot(seed), 0.2))
      const decision = decideProvisioning(snapshot)
      expect(violationsOf(snapshot, decision).map(describeViolation), `seed ${seed}`).toEqual([])
      const once = decision.reasons.filter(({ message }) => message.includes('ReadWriteOncePod'))
      seen['is used by'] += once.filter(({ message }) => message.includes('is used by')).length
      seen.first += once.filter(({ message }) => message.includes('first;')).length
      seen.placed += placedPods(decision).length
      seen['makes no volumes'] += decision.reasons.filter(({ message }) => message.includes('makes no volumes')).length
      seen.onLocal += onLocalVolumes(snapshot, decision)
    }
    for (const [what, count] of Object.entries(seen)) expect(count, what).toBeGreaterThan(CASES / 100)
  })

  it('keep their nodes while others go', () => {
    const seen = { gone: 0, kept: 0 }
    for (const seed of seedsOf(CASES)) {
      const snapshot = shrinking(seed)
      const decision = decide(snapshot)
      const deleting = deletingBy(snapshot, decision)
      seen.gone += deleting.length
      seen.kept += decision.reasons.filter(({ code }) => code === 'DISRUPTION.NOMINATED').length
      expect(problemsOfDeleting(snapshot, deleting), `seed ${seed}`).toEqual([])
    }
    for (const [what, count] of Object.entries(seen)) expect(count, what).toBeGreaterThan(CASES / 10)
  })
})
