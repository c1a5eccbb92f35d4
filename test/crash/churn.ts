/** A scale-down of a Deployment in a cluster where short jobs come and go, on nodes that kube-scheduler's scores choose. */
import { isCostPlanned } from '../../shared/engine/pod/eviction.ts'
import { LABEL, TAINT_KEY } from '../../shared/model/labels.ts'
import { durationMs } from '../../shared/model/units.ts'
import { createRandom } from '../agreement/random.ts'
import { instanceType } from '../builders/instanceType.ts'
import { nodePool } from '../builders/nodePool.ts'
import { REPLICA_SET, unseenPod } from '../builders/pod.ts'
import { settings } from '../builders/snapshot.ts'
import { createSimulation, type Simulation } from './simulation.ts'

export type ChurnOptions = {
  readonly seed: number
  readonly mostPlannedTaints: number
  /** Pods of the Deployment before and after the scale-down. */
  readonly from: number
  readonly to: number
  /** The pods that each step of the scale-down deletes, and the time between two steps. Default: all at once. */
  readonly step?: { readonly pods: number; readonly everyMs: number }
  /** How long an evicted pod takes to end. Default: 15 s. */
  readonly podExitMs?: number
  /** True: pods of nodes that are planned to go get a low deletion cost. */
  readonly podDeletionCosts?: boolean
  /** How many nodes may go at a time. */
  readonly budget: string
  /** Jobs that begin in a minute, and how long they last on average. */
  readonly jobs: number
  readonly jobMs: number
  /** How long the scale-down is watched. */
  readonly minutes: number
}

export type Churn = {
  readonly evictions: number
  /** Pods that ran on nodes that are gone in the end. No way to remove these nodes evicts fewer pods. */
  readonly podsOnGone: number
  /** Writes to nodes. */
  readonly nodeWrites: number
  /** Writes of deletion costs. */
  readonly costWrites: number
  readonly created: number
  readonly gone: number
  /** The sum of the nodes at the end of each minute. */
  readonly nodeMinutes: number
  /** The most nodes that had the taint at the end of a minute. */
  readonly mostTainted: number
}

const TICK_MS = 1_000
const MINUTE_MS = 60_000
const POD_EXIT_MS = 15_000
const WEB_CPUS = 1
const JOB_CPUS = 0.5

export async function playChurn(given: ChurnOptions): Promise<Churn> {
  const workload = createWorkload(given)
  const simulation = createSimulation({
    tickMs: TICK_MS,
    bootMs: 60_000,
    deleteMs: 60_000,
    podExitMs: given.podExitMs ?? POD_EXIT_MS,
    instanceTypes: [instanceType({ name: 'Standard_D8as_v6', cpus: 8, memoryGib: 32 })],
    scheduler: { score: 'leastAllocated' },
    settings: settings({ mostPlannedTaints: given.mostPlannedTaints, podDeletionCosts: given.podDeletionCosts === true }),
    workload: () => workload.tick(simulation),
  })
  const { objects } = simulation.world
  const requirements = [{ key: LABEL.capacityType, operator: 'In', values: ['on-demand'] } as const]
  const disruption = { budgets: [{ nodes: given.budget }], consolidateAfter: durationMs(0) }
  objects.put('nodePool', nodePool({ template: { requirements }, disruption }))
  const runs = (): boolean => objects.all('pod').length >= given.from && objects.all('pod').every(({ nodeName }) => nodeName !== undefined)
  if ((await simulation.runUntil(runs, 30 * MINUTE_MS)) === undefined) throw new Error('the pods do not run')
  const before = countsOf(simulation)
  workload.scaleDown(simulation)
  const homes = objects.all('pod').flatMap(({ nodeName, deletedAt }) => (deletedAt === undefined ? (nodeName ?? []) : []))
  let [nodeMinutes, mostTainted] = [0, 0]
  for (let minute = 0; minute < given.minutes; minute++) {
    await simulation.runUntil(() => false, MINUTE_MS - TICK_MS)
    const nodes = objects.all('node')
    nodeMinutes += nodes.length
    mostTainted = Math.max(mostTainted, nodes.filter(({ taints }) => taints.some(({ key }) => key === TAINT_KEY.disruptionPlanned)).length)
  }
  const after = countsOf(simulation)
  const left = new Set(objects.all('node').map(({ name }) => name))
  return {
    evictions: after.evictions - before.evictions,
    podsOnGone: homes.filter((name) => !left.has(name)).length,
    nodeWrites: after.nodeWrites - before.nodeWrites,
    costWrites: after.costWrites - before.costWrites,
    created: after.created - before.created,
    gone: after.gone - before.gone,
    nodeMinutes,
    mostTainted,
  }
}

function countsOf({ world: { journal } }: Simulation) {
  const writes = (operation: string): number => journal.entries.filter((entry) => entry.operation === operation).length
  return {
    evictions: writes('api.evict'),
    nodeWrites: writes('api.patchNode'),
    costWrites: writes('api.setDeletionCost'),
    created: writes('api.createClaim'),
    gone: writes('api.deleteClaim'),
  }
}

/** Replaces missing pods. Jobs begin with the scale-down. A job whose pod is evicted begins anew. */
function createWorkload({ seed, from, to, step = { pods: from, everyMs: MINUTE_MS }, jobs, jobMs }: ChurnOptions) {
  const random = createRandom(seed)
  const ends = new Map<string, number>()
  let replicas = from
  let shrinksFrom: number | undefined

  /** The replicas that the Deployment has at this time. */
  function scale({ world: { clock } }: Simulation): void {
    if (shrinksFrom === undefined) return
    const steps = 1 + Math.floor((clock.now() - shrinksFrom) / step.everyMs)
    replicas = Math.max(to, from - steps * step.pods)
  }

  function keepWeb({ world: { objects, clock } }: Simulation): void {
    const web = objects.all('pod').filter(({ key, deletedAt }) => key.startsWith('default/web-') && deletedAt === undefined)
    for (let missing = replicas - web.length; missing > 0; missing--) make({ objects, clock }, 'web', WEB_CPUS)
    for (let extra = web.length - replicas; extra > 0; extra--) {
      // A ReplicaSet deletes pods with a low cost first.
      const costed = web.filter(isCostPlanned)
      const gone = costed.length > 0 ? random.pick(costed) : web[random.int(web.length)]
      if (gone === undefined) return
      web.splice(web.indexOf(gone), 1)
      objects.remove('pod', gone.key)
    }
  }

  function keepJobs({ world: { objects, clock } }: Simulation): void {
    const now = clock.now()
    for (const [key, end] of ends) {
      const job = objects.get('pod', key)
      const isEvicted = job === undefined || job.deletedAt !== undefined
      if (!isEvicted && now < end) continue
      ends.delete(key)
      if (!isEvicted) objects.remove('pod', key)
      else if (now < end) ends.set(make({ objects, clock }, 'job', JOB_CPUS), now + jobMs)
    }
    for (let each = 0; each < jobs; each++)
      if (random.chance(TICK_MS / MINUTE_MS)) ends.set(make({ objects, clock }, 'job', JOB_CPUS), now + jobMs / 2 + random.int(jobMs))
  }

  return {
    scaleDown(simulation: Simulation): void {
      shrinksFrom = simulation.clock.now()
      scale(simulation)
      keepWeb(simulation)
    },
    tick(simulation: Simulation): void {
      scale(simulation)
      if (shrinksFrom !== undefined) keepJobs(simulation)
      keepWeb(simulation)
    },
  }
}

/** Makes a pod that the scheduler has not looked at yet. Returns its key. */
function make({ objects, clock }: Pick<Simulation['world'], 'objects' | 'clock'>, name: string, cpus: number): string {
  const uid = objects.newUid()
  const shape = { name: `${name}-${uid}`, uid, cpus, owner: REPLICA_SET, labels: { app: name }, createdAt: clock.now() }
  const made = unseenPod(shape)
  objects.put('pod', made)
  return made.key
}
