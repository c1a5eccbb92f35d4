/** Small changes of a cluster whose pods all run: each concerns one thing that a decision about moves may read. */
import { claimAskOf } from '../../shared/model/claimRefusal.ts'
import { type ClusterSnapshot, type Delta } from '../../shared/model/clusterSnapshot.ts'
import { objectKey, uid } from '../../shared/model/ids.ts'
import type { InstanceType } from '../../shared/model/instanceType.ts'
import { PLANNED_DELETION_COST, POD_ANNOTATION } from '../../shared/model/labels.ts'
import type { NodePool } from '../../shared/model/nodePool.ts'
import type { Pod } from '../../shared/model/pod.ts'
import { durationMs, epochMs, later, microUsdPerHour, usdPerHour } from '../../shared/model/units.ts'
import type { Random } from '../agreement/random.ts'
import { MINUTE, SECOND } from '../builders/clock.ts'
import { OF_DRIFT } from './driftChanges.ts'
import { randomBudgets } from './randomBudgets.ts'
import { applied } from './randomChanges.ts'
import { APPS, TAINTS, ZONE, ZONES } from './words.ts'

export type SmallChange = { readonly delta: Delta; readonly after: ClusterSnapshot }

type Objects = ClusterSnapshot['objects']
type Changing = (random: Random, now: ClusterSnapshot) => Delta
type Elsewhere = (random: Random, now: ClusterSnapshot) => Partial<ClusterSnapshot>

/** Changes one thing, or nothing but the time. */
export function smallChange(random: Random, before: ClusterSnapshot): SmallChange {
  const now = { ...before, decision: before.decision + 1, takenAt: later(before.takenAt, durationMs(random.int(4) * SECOND)) }
  if (random.chance(0.2)) return { delta: {}, after: { ...now, ...random.pick(ELSEWHERE)(random, now) } }
  const delta = random.pick(random.chance(0.25) ? OF_DRIFT : OF_OBJECTS)(random, now)
  return { delta, after: { ...now, objects: applied(now.objects, delta) } }
}

function onePod(change: (pod: Pod, random: Random, objects: Objects) => Pod): Changing {
  return (random, { objects }) => {
    const running = objects.pod.filter(({ nodeName: own }) => own !== undefined)
    return running.length === 0 ? {} : { put: { pod: [change(random.pick(running), random, objects)] } }
  }
}

function onePool(change: (pool: NodePool, random: Random) => NodePool): Changing {
  return (random, { objects }) => ({ put: { nodePool: [change(random.pick(objects.nodePool), random)] } })
}

const annotated = onePod((pod, random) => ({ ...pod, annotations: { ...pod.annotations, note: `${random.int(1000)}` } }))

/** All pods of a node go but those of DaemonSets. */
function emptied(random: Random, { objects }: ClusterSnapshot): Delta {
  if (objects.node.length === 0) return {}
  const { name } = random.pick(objects.node)
  const gone = objects.pod.filter(({ nodeName, owner }) => nodeName === name && owner?.kind !== 'DaemonSet')
  return { removed: { pod: gone.map(({ key }) => key) } }
}

const OF_OBJECTS: readonly Changing[] = [
  annotated,
  annotated,
  annotated,
  () => ({}),
  onePod((pod, random) => ({
    ...pod,
    requests: { ...pod.requests, cpu: Math.max(1, (pod.requests['cpu'] ?? 0) + random.int(400) - 200) },
  })),
  onePod((pod) => ({ ...pod, requests: { ...pod.requests, cpu: 100 } })),
  emptied,
  emptied,
  onePod((pod, random) => ({ ...pod, labels: { ...pod.labels, app: random.pick(APPS) } })),
  onePod((pod, random, { node }) => ({ ...pod, nodeName: random.pick(node).name })),
  onePod((pod) => ({ ...pod, deletedAt: pod.createdAt })),
  onePod((pod) => ({ ...pod, phase: 'Succeeded' })),
  onePod((pod, random) => ({
    ...pod,
    annotations: {
      ...pod.annotations,
      [POD_ANNOTATION.deletionCost]: random.pick([PLANNED_DELETION_COST, `${random.int(9) * 10_000_000}`]),
    },
  })),
  onePod((pod, random) => ({ ...pod, annotations: { ...pod.annotations, 'karpenter.sh/do-not-disrupt': random.pick(['true', '3s']) } })),
  onePod((pod) => ({ ...pod, podAntiAffinity: { required: [apartFrom(pod)], preferred: [] } })),
  onePod((pod, random) => ({ ...pod, hostPorts: [{ port: 8000 + random.int(2), protocol: 'TCP', ip: '0.0.0.0' }] })),
  onePod((pod, random) => ({ ...pod, key: objectKey('default', `came-${random.int(1000)}`), uid: uid(`came-${random.int(1000)}`) })),
  (random, { objects }) => ({ removed: { pod: objects.pod.length === 0 ? [] : [random.pick(objects.pod).key] } }),
  (random, { objects }) => oneNode(random, objects, (each) => ({ ...each, unschedulable: !each.unschedulable })),
  (random, { objects }) => oneNode(random, objects, (each) => ({ ...each, taints: random.some(TAINTS, 0.3) })),
  (random, { objects }) =>
    oneNode(random, objects, (each) => ({ ...each, allocatable: { ...each.allocatable, cpu: (each.allocatable['cpu'] ?? 0) + 300 } })),
  (random, { objects }) =>
    oneNode(random, objects, (each) => ({ ...each, meta: { ...each.meta, labels: { ...each.meta.labels, [ZONE]: random.pick(ZONES) } } })),
  (random, { objects, takenAt }) => {
    if (objects.nodeClaim.length === 0) return {}
    const claim = random.pick(objects.nodeClaim)
    return { put: { nodeClaim: [{ ...claim, status: { ...claim.status, lastPodEventAt: takenAt } }] } }
  },
  (random, { objects }) => ({ removed: { nodeClaim: objects.nodeClaim.length === 0 ? [] : [random.pick(objects.nodeClaim).name] } }),
  onePool((pool, random) => ({ ...pool, disruption: { ...pool.disruption, budgets: [{ nodes: random.pick(['0', '1', '3', '100%']) }] } })),
  onePool((pool, random) => ({ ...pool, disruption: { ...pool.disruption, consolidateAfter: durationMs(random.int(3) * 2 * SECOND) } })),
  onePool((pool, random) => ({ ...pool, limits: random.pick([{}, { cpu: 1_000_000 }, { nodes: objectsLimit(random) }]) })),
  onePool((pool, random) => ({
    ...pool,
    disruption: { ...pool.disruption, consolidationPolicy: random.pick(['Balanced', 'WhenEmptyOrUnderutilized']) },
  })),
  (random, { objects }) => ({ put: { podDisruptionBudget: randomBudgets(random, objects.pod, 0.05) } }),
]

const ELSEWHERE: readonly Elsewhere[] = [
  (random, { takenAt }) => ({ takenAt: later(takenAt, durationMs(random.int(20) * SECOND)) }),
  (random, { instanceTypes }) => ({ instanceTypes: new Map([...instanceTypes].map(([name, types]) => [name, repriced(types, random)])) }),
  (random, { instanceTypes, takenAt }) => {
    const types = [...instanceTypes.values()].flat()
    if (types.length === 0) return {}
    const scope = { kind: 'offering' as const, size: random.pick(types).name }
    return { unavailable: [{ scope, until: later(takenAt, durationMs(5 * SECOND)), code: 'SCHEDULING.OFFERING' as const, message: '' }] }
  },
  (random, { objects, takenAt }) => ({
    claimRefusals: random.some(objects.pod, 0.1).flatMap((pod) =>
      objects.nodePool.slice(0, 1).map(({ name, meta }) => ({
        nodePool: name,
        uid: meta.uid,
        generation: meta.generation,
        ask: claimAskOf(pod),
        message: 'denied',
        times: 1,
        until: later(takenAt, durationMs(5 * SECOND)),
      })),
    ),
  }),
  (random, { takenAt }) => ({
    begunMoves: [{ pools: [], beganAt: epochMs(takenAt - MINUTE) }],
    extraNodes: random.chance(0.5) ? [] : [{ pools: [], moved: [], replacements: 1 }],
  }),
  (random, { objects, takenAt }) => {
    if (objects.nodeClaim.length === 0) return {}
    const { name } = random.pick(objects.nodeClaim)
    return random.chance(0.5)
      ? { nominations: [{ pod: uid('coming'), claim: name, until: later(takenAt, durationMs(3 * SECOND)) }] }
      : {
          nominations: [],
          backOffs: [{ claims: [name], pools: [], failures: 1, failedAt: takenAt, until: later(takenAt, durationMs(3 * SECOND)) }],
        }
  },
  (random, { settings }) => ({ settings: { ...settings, mostPlannedTaints: random.int(4), podDeletionCosts: random.chance(0.5) } }),
  (random, { settings }) => ({ settings: { ...settings, kubeletIdentityClientId: random.pick(['first', 'second']) } }),
  (random, { settings }) => ({
    settings: {
      ...settings,
      calm: {
        isFrozen: false,
        leastSavingShare: random.pick([0, 0.1, 0.5]),
        leastSavingPerPod: usdPerHour(0),
        leastNodeAge: durationMs(random.int(2) * 10 * MINUTE),
        mostMovesAnHour: random.int(2) * 3,
        restAfterMove: durationMs(0),
        mostExtraNodes: random.int(2),
      },
    },
  }),
]

function objectsLimit(random: Random): number {
  return 2 + random.int(40)
}

function oneNode(random: Random, { node }: Objects, change: (node: Objects['node'][number]) => Objects['node'][number]): Delta {
  return node.length === 0 ? {} : { put: { node: [change(random.pick(node))] } }
}

function apartFrom({ labels }: Pod): Pod['podAntiAffinity']['required'][number] {
  return {
    topologyKey: 'kubernetes.io/hostname',
    selector: { matchLabels: labels, matchExpressions: [] },
    namespaces: [],
    matchLabelKeys: [],
    mismatchLabelKeys: [],
  }
}

function repriced(types: readonly InstanceType[], random: Random): readonly InstanceType[] {
  return types.map((type) =>
    random.chance(0.7)
      ? type
      : {
          ...type,
          offerings: type.offerings.map((each) => ({
            ...each,
            ...(each.price && { price: microUsdPerHour(Math.round(each.price * 0.9)) }),
          })),
        },
  )
}
