/** Many pods scaled to few in virtual time, with a scheduler that spreads pods as kube-scheduler does. Counts what the moves after that cost. */
import type { ObjectKey } from '../../shared/model/ids.ts'
import { uid } from '../../shared/model/ids.ts'
import type { Pod } from '../../shared/model/pod.ts'
import { durationMs } from '../../shared/model/units.ts'
import { createRandom, inRandomOrder } from '../agreement/random.ts'
import { instanceType } from '../builders/instanceType.ts'
import { nodePool } from '../builders/nodePool.ts'
import { REPLICA_SET, unseenPod } from '../builders/pod.ts'
import { createSimulation } from './simulation.ts'

export type ScaleDownShape = {
  readonly seed: number
  readonly from: number
  readonly to: number
  /** Pods that the controllers delete in a second. */
  readonly deletedInSecond: number
  /** How long a deleted pod stays. Its grace period is zero, so that it should not. */
  readonly exitMs: number
}

export type ScaledDown = {
  /** The number of nodes before and after, and at most. */
  readonly nodes: readonly [before: number, after: number, most: number]
  readonly evicted: number
  /** The number of pods outside the nodes that are needed in the end, if the fullest nodes stay. So many pods move in any case. */
  readonly leastEvicted: number
  readonly bought: number
  /** From the first deletion to the last node gone. */
  readonly seconds: number
}

const WORKLOADS = 10
/** Pods of one CPU that a node holds. */
export const PODS_A_NODE = 15
const SIZE = instanceType({ name: 'Standard_D16as_v6', cpus: 16, memoryGib: 64, price: 0.76, spotPrice: null })
const LIMIT_MS = 300_000
/** Longer than several rounds of moves. */
const QUIET_MS = 60_000
const TICK_MS = 250

export async function scaleDown({ seed, from, to, deletedInSecond, exitMs }: ScaleDownShape): Promise<ScaledDown> {
  const random = createRandom(seed)
  const doomed: ObjectKey[] = []
  let keeps = false
  const simulation = createSimulation({
    instanceTypes: [SIZE],
    podExitMs: exitMs,
    scheduler: { score: 'leastAllocated' },
    workload: () => {
      for (const key of doomed.splice(0, (deletedInSecond * TICK_MS) / 1000)) objects.endPod(key, exitMs)
      if (keeps && doomed.length === 0) replacePods()
    },
  })
  const { world, clock } = simulation
  const { objects, journal } = world

  function make(workload: number): void {
    const own = `w${workload}`
    const id = objects.newUid()
    const owner = { ...REPLICA_SET, name: own, uid: uid(own) }
    const shape = { name: `${own}-${id}`, uid: id, cpus: 1, memoryGib: 2, labels: { app: own }, owner, createdAt: clock.now() }
    objects.put('pod', unseenPod(shape))
  }

  function replacePods(): void {
    const counts = new Map<string, number>()
    for (const { owner } of staying()) if (owner !== undefined) counts.set(owner.name, (counts.get(owner.name) ?? 0) + 1)
    for (let workload = 0; workload < WORKLOADS; workload++)
      for (let count = counts.get(`w${workload}`) ?? 0; count < to / WORKLOADS; count++) make(workload)
  }

  const staying = (): readonly Pod[] => objects.all('pod').filter(({ deletedAt }) => deletedAt === undefined)
  const hasStarted = (): boolean =>
    objects.all('pod').every(({ nodeName }) => nodeName !== undefined) &&
    objects
      .all('nodeClaim')
      .every(({ status }) => status.conditions.some(({ type, status: is }) => type === 'Initialized' && is === 'True'))

  objects.put('nodePool', nodePool({ disruption: { budgets: [{ nodes: '100%' }], consolidateAfter: 'Never' } }))
  for (const workload of inRandomOrder(
    Array.from({ length: from }, (_, at) => at % WORKLOADS),
    random,
  ))
    make(workload)
  if ((await simulation.runUntil(hasStarted, LIMIT_MS)) === undefined) throw new Error('the pods do not run')
  objects.put('nodePool', nodePool({ disruption: { budgets: [{ nodes: '100%' }], consolidateAfter: durationMs(0) } }))
  const [before, written, startedAt] = [objects.all('node').length, journal.entries.length, clock.now()]
  const pods = inRandomOrder(staying(), random)
  for (const own of Map.groupBy(pods, ({ owner }) => owner?.name).values()) doomed.push(...own.slice(to / WORKLOADS).map(({ key }) => key))
  const leastEvicted = leastMoved(pods, new Set(doomed))
  keeps = true
  let [nodes, most, changedAt] = [before, before, startedAt]
  const isOver = (): boolean => {
    const now = objects.all('node').length
    if (now !== nodes) [nodes, changedAt] = [now, clock.now()]
    most = Math.max(most, now)
    return doomed.length === 0 && clock.now() - changedAt > QUIET_MS
  }
  if ((await simulation.runUntil(isOver, LIMIT_MS)) === undefined) throw new Error('nodes come and go')
  const done = journal.entries.slice(written)
  return {
    nodes: [before, nodes, most],
    evicted: new Set(done.filter(({ operation }) => operation === 'api.evict').map(({ object }) => object)).size,
    leastEvicted,
    bought: done.filter(({ operation }) => operation === 'api.createClaim').length,
    seconds: (changedAt - startedAt) / 1000,
  }
}

function leastMoved(pods: readonly Pod[], doomed: ReadonlySet<string>): number {
  const left = pods.filter(({ key }) => !doomed.has(key))
  const counts = [...Map.groupBy(left, ({ nodeName }) => nodeName).values()].map((own) => own.length).sort((one, other) => other - one)
  return counts.slice(Math.ceil(left.length / PODS_A_NODE)).reduce((sum, count) => sum + count, 0)
}
