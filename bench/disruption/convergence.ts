// Plays how a half-empty cluster becomes cheaper, in virtual time: the flows over the world in memory, with kube-scheduler's scores.
import type { ClusterSnapshot } from '../../shared/model/clusterSnapshot.ts'
import { uid } from '../../shared/model/ids.ts'
import { LABEL } from '../../shared/model/labels.ts'
import type { Pod } from '../../shared/model/pod.ts'
import { durationMs } from '../../shared/model/units.ts'
import { createRandom, inRandomOrder } from '../../test/agreement/random.ts'
import { instanceType } from '../../test/builders/instanceType.ts'
import { nodePool } from '../../test/builders/nodePool.ts'
import { type PodShape, REPLICA_SET, unseenPod } from '../../test/builders/pod.ts'
import { settings, snapshot } from '../../test/builders/snapshot.ts'
import { createSimulation } from '../../test/crash/simulation.ts'
import { priceOfAll } from '../../test/oracle/consolidation/standing.ts'
import { apart, selecting } from '../scheduling/workloads/shapes.ts'

export type ConvergenceShape = {
  /** Nodes of 16 CPUs that are full before half of the pods go. */
  readonly nodes: number
  /** One of ten workloads has at most one pod on a node. */
  readonly isApart: boolean
  readonly seed: number
}

/** The price of all nodes from a time on, in micro-USD an hour. The first one is at time 0. */
export type PriceCourse = readonly { readonly atMs: number; readonly price: number }[]

export type Converged = {
  /** The cluster when half of the pods were gone. */
  readonly before: ClusterSnapshot
  readonly course: PriceCourse
  /** The pods that run in the end. */
  readonly pods: readonly Pod[]
  readonly evicted: number
  /** Pods that ran on nodes that are gone in the end. */
  readonly onGone: number
  readonly nodes: { readonly before: number; readonly most: number; readonly after: number }
}

/** From the request for a machine until its node is ready. The same for Joiner and for the peer, as the next two. */
export const BOOT_MS = 60_000
export const EXIT_MS = 3_000
export const DELETE_MS = 10_000
export const BUDGET_SHARE = 0.1

const DISRUPTION = { budgets: [{ nodes: `${100 * BUDGET_SHARE}%` }] }
const LIMIT_MS = 4 * 3_600_000
/** Longer than any step of a move takes. */
const QUIET_MS = 300_000
const CPUS = [0.25, 0.5, 0.5, 1, 1, 1, 2, 2, 3, 0.5]
const APART = 9
const MEAN_CPUS = CPUS.reduce((sum, cpus) => sum + cpus, 0) / CPUS.length
const TYPES = [2, 4, 8, 16].map((cpus) => instanceType({ name: `Standard_D${cpus}as_v6`, cpus, memoryGib: 4 * cpus }))
const ON_DEMAND = { key: LABEL.capacityType, operator: 'In', values: ['on-demand'] } as const
const LARGE = { key: LABEL.instanceType, operator: 'In', values: ['Standard_D16as_v6'] } as const

export async function converge({ nodes, isApart, seed }: ConvergenceShape): Promise<Converged> {
  const wanted = CPUS.map((_, workload) => countOf(workload, nodes, isApart))
  const played = playWorkloads(wanted, isApart)
  const { simulation, staying, seen } = played
  const { objects, journal } = simulation.world
  await fillNodes(played)
  for (const [workload, count] of wanted.entries()) wanted[workload] = Math.ceil(count / 2)
  const random = createRandom(seed)
  for (const [name, own] of Map.groupBy(staying(), ({ owner }) => owner?.name)) {
    const left = wanted[Number(name?.slice(1))] ?? 0
    for (const { key } of inRandomOrder(own, random).slice(left)) objects.remove('pod', key)
  }
  objects.put(
    'nodePool',
    nodePool({ template: { requirements: [ON_DEMAND] }, disruption: { ...DISRUPTION, consolidateAfter: durationMs(0) } }),
  )
  const before = seen()
  const [startedAt, written] = [simulation.clock.now(), journal.entries.length]
  const course = [{ atMs: 0, price: priceOfAll(before) }]
  let most = before.objects.node.length
  await simulation.runUntil(() => {
    const [now, price] = [simulation.clock.now() - startedAt, priceOfAll(seen())]
    most = Math.max(most, objects.all('node').length)
    if (price !== course.at(-1)?.price) course.push({ atMs: now, price })
    return now - (course.at(-1)?.atMs ?? 0) > QUIET_MS
  }, LIMIT_MS)
  const left = new Set<string | undefined>(objects.all('node').map(({ name }) => name))
  return {
    before,
    course,
    pods: staying(),
    evicted: journal.entries.slice(written).filter(({ operation }) => operation === 'api.evict').length,
    onGone: before.objects.pod.filter(({ nodeName }) => !left.has(nodeName)).length,
    nodes: { before: before.objects.node.length, most, after: left.size },
  }
}

/** Buys full nodes for all pods. None of them is consolidated yet. */
async function fillNodes({ simulation, staying }: ReturnType<typeof playWorkloads>): Promise<void> {
  const disruption = { ...DISRUPTION, consolidateAfter: 'Never' as const }
  simulation.world.objects.put('nodePool', nodePool({ template: { requirements: [ON_DEMAND, LARGE] }, disruption }))
  const isUp = (): boolean => staying().length > 0 && staying().every(({ nodeName }) => nodeName !== undefined)
  if ((await simulation.runUntil(isUp, LIMIT_MS)) === undefined) throw new Error('the pods do not run')
  await simulation.runUntil(() => false, BOOT_MS)
}

/** A simulation that makes pods until each workload has as many as are wanted. */
function playWorkloads(wanted: readonly number[], isApart: boolean) {
  const simulation = createSimulation({
    bootMs: BOOT_MS,
    deleteMs: DELETE_MS,
    podExitMs: EXIT_MS,
    instanceTypes: TYPES,
    scheduler: { score: 'leastAllocated' },
    settings: settings({ mostPlannedTaints: 100 }),
    workload: keepReplicas,
  })
  const { objects } = simulation.world

  function keepReplicas(): void {
    const running = Map.groupBy(staying(), ({ owner }) => owner?.name)
    for (const [workload, count] of wanted.entries()) {
      for (let at = running.get(`w${workload}`)?.length ?? 0; at < count; at++) makePod(workload)
    }
  }

  function makePod(workload: number): void {
    const [name, id] = [`w${workload}`, objects.newUid()]
    const cpus = CPUS[workload] ?? MEAN_CPUS
    const shape: PodShape = {
      name: `${name}-${id}`,
      uid: id,
      cpus,
      memoryGib: cpus,
      labels: { app: name },
      createdAt: simulation.clock.now(),
    }
    const rule = isApart && workload === APART ? { podAntiAffinity: apart(selecting({ app: name })) } : {}
    objects.put('pod', unseenPod({ ...shape, ...rule, owner: { ...REPLICA_SET, name, uid: uid(name) } }))
  }

  const staying = (): readonly Pod[] => objects.all('pod').filter(({ deletedAt }) => deletedAt === undefined)
  const seen = (): ClusterSnapshot =>
    snapshot({
      types: TYPES,
      takenAt: simulation.clock.now(),
      objects: {
        node: objects.all('node'),
        nodeClaim: objects.all('nodeClaim'),
        nodePool: objects.all('nodePool'),
        nodeClass: objects.all('nodeClass'),
        pod: staying(),
      },
    })
  return { simulation, staying, seen }
}

/** The pods of a workload that fill the nodes together with the other workloads. */
function countOf(workload: number, nodes: number, isApart: boolean): number {
  const share = (nodes * 15) / (CPUS.length * MEAN_CPUS)
  return isApart && workload === APART ? nodes : Math.round(share)
}

/** The time after which the price stays within this share of the last price. */
export function timeToWithin(share: number, course: PriceCourse): number {
  const last = course.at(-1)?.price ?? 0
  const late = course.findLastIndex(({ price }) => price > last * (1 + share))
  return course[late + 1]?.atMs ?? 0
}
