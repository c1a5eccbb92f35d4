/**
 * Random clusters that were scaled down. Machines were bought for all pods of a random cluster, some dearer than needed. Then many of the pods were
 * deleted. No pod is pending. The same seed gives the same cluster everywhere.
 */
import type { ClusterSnapshot } from '../../shared/model/clusterSnapshot.ts'
import { objectKey, uid } from '../../shared/model/ids.ts'
import type { NodePool } from '../../shared/model/nodePool.ts'
import type { Pod } from '../../shared/model/pod.ts'
import { durationMs, epochMs } from '../../shared/model/units.ts'
import { createRandom, type Random } from '../agreement/random.ts'
import { NOW } from '../builders/clock.ts'
import { outcomesOf } from '../checker/outcomes.ts'
import { placementOfOracle } from '../checker/placement.ts'
import { nodeOfClaim, withBound, withMachine } from '../oracle/consolidation/standing.ts'
import { firstFitOracle } from '../oracle/firstFitOracle.ts'
import { randomBudgets } from './randomBudgets.ts'
import { type Mixture, USUAL } from './randomPods.ts'
import { randomSnapshot } from './randomSnapshot.ts'
import { storedPod } from './storedPod.ts'

const LONG_AGO = epochMs(NOW - 7_200_000)

/** `mixture`: of the pods that were there at first. Some clusters get a few pods more. */
export function scaledDown(seed: number, mixture: Mixture = USUAL): ClusterSnapshot {
  const random = createRandom(seed * 17 + 3)
  const full = boughtFor(seed, random, mixture)
  const share = random.pick([0.3, 0.5, 0.5, 0.7, 0.85])
  const pod = full.objects.pod.flatMap((each): readonly Pod[] => {
    if (each.nodeName === undefined || (each.owner?.kind !== 'DaemonSet' && random.chance(share))) return []
    return [random.chance(0.04) ? { ...each, annotations: { ...each.annotations, 'karpenter.sh/do-not-disrupt': 'true' } } : each]
  })
  const nodePool = full.objects.nodePool.map((pool) => ({ ...pool, disruption: disruptionOf(random) }))
  const podDisruptionBudget = randomBudgets(random, pod, 0.03)
  return { ...full, takenAt: NOW, objects: { ...full.objects, pod, nodePool, podDisruptionBudget } }
}

function boughtFor(seed: number, random: Random, mixture: Mixture): ClusterSnapshot {
  const given = randomSnapshot(seed, mixture)
  const more = Array.from({ length: random.int(4) }, (_, at) => waitingOf(seed + (at + 1) * 1_000_003, at))
  const objects = {
    ...given.objects,
    pod: [...given.objects.pod.filter(({ nodeName }) => nodeName === undefined), ...more.flat()].map((each, at) => ({
      ...storedPod(each),
      createdAt: epochMs(LONG_AGO - 60_000 + at),
    })),
    node: [],
    nodeClaim: [],
    csiNode: [],
    nodePool: given.objects.nodePool.map((pool) => (random.chance(0.7) ? { ...pool, limits: {} } : pool)),
  }
  const empty: ClusterSnapshot = { ...given, drafts: [], takenAt: LONG_AGO, objects }
  const isDear = random.chance(0.5)
  return placementOfOracle(empty, firstFitOracle(empty)).claims.reduce((snapshot, claim) => {
    const outcomes = outcomesOf(empty, claim.spec, claim.labels).filter(
      ({ isForSale, offering }) => isForSale && offering.price !== undefined,
    )
    const sorted = [...outcomes].sort(({ offering: one }, { offering: other }) => (one.price ?? 0) - (other.price ?? 0))
    const outcome = isDear && random.chance(0.6) ? random.pick(sorted) : sorted[0]
    if (outcome === undefined) return snapshot
    const made = withMachine(snapshot, claim, outcome)
    return withBound(made, new Map(claim.pods.map((pod) => [pod, nodeOfClaim(made, claim.name)])))
  }, empty)
}

/** The pending pods of another random cluster, without volumes. */
function waitingOf(seed: number, number: number): readonly Pod[] {
  return randomSnapshot(seed)
    .objects.pod.filter(({ nodeName }) => nodeName === undefined)
    .map((pod) => {
      const [namespace = '', name] = pod.key.split('/')
      return { ...pod, key: objectKey(namespace, `${name}-m${number}`), uid: uid(`${pod.uid}-m${number}`), volumes: [] }
    })
}

function disruptionOf(random: Random): NodePool['disruption'] {
  const budgets = random.pick([
    [{ nodes: '100%' }],
    [{ nodes: '100%' }],
    [{ nodes: '10%' }],
    [{ nodes: '2' }],
    [{ nodes: '100%' }, { nodes: '1', reasons: ['Underutilized' as const] }],
  ])
  const consolidationPolicy = random.pick([
    'WhenEmptyOrUnderutilized',
    'WhenEmptyOrUnderutilized',
    'WhenEmptyOrUnderutilized',
    'Balanced',
    'WhenEmpty',
  ] as const)
  const consolidateAfter = random.chance(0.05) ? ('Never' as const) : durationMs(random.pick([0, 30_000, 300_000]))
  return { consolidationPolicy, consolidateAfter, budgets }
}
