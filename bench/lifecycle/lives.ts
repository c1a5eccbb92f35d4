// Plays lives of machines in virtual time: the flows over the world in memory, as in the crash tests.
import { ANNOTATION } from '../../shared/model/labels.ts'
import { nodePool } from '../../test/builders/nodePool.ts'
import { pods, REPLICA_SET } from '../../test/builders/pod.ts'
import { createSimulation, type Simulation } from '../../test/crash/simulation.ts'
import { createCountedPorts } from './countedPorts.ts'

/** Longer than any of these scenarios takes. */
const LIMIT_MS = 3_600_000
const HOUR_MS = 3_600_000
/** Time from the request to delete a machine until it is gone. */
const DELETE_MS = 10_000
/** The schedule that the template sets. */
const RESYNC_MS = 60_000

export type Calls = ReadonlyMap<string, number>
export type Life = { readonly calls: Calls; readonly drainMs: number }
export type ScaledAway = { readonly leftovers: number; readonly beyondMs: number; readonly calls: Calls; readonly failures: number }
export type QuietHour = { readonly statusWrites: number; readonly reads: number; readonly cpuSeconds: number; readonly calls: Calls }

/** Plays one machine from its claim until nothing is left. `podCount` pods are drained on the way. They have room on a machine that stays. */
export async function oneLife(podCount: number): Promise<Life> {
  const ports = createCountedPorts()
  const simulation = createSimulation({ between: ports.between, isConcurrent: true, resyncEveryMs: RESYNC_MS, deleteMs: DELETE_MS })
  const { objects, clock } = simulation.world
  const scaleTo = (replicas: number): void => scalePool(simulation, replicas)
  scaleTo(1)
  await reached(simulation, 'a machine is ready', () => areReady(simulation, 1))
  const [stays] = objects.all('nodeClaim')
  // An empty machine would go before one with pods.
  for (const node of objects.all('node'))
    objects.put('node', { ...node, meta: { ...node.meta, annotations: { ...node.meta.annotations, [ANNOTATION.doNotDisrupt]: 'true' } } })
  // Events about the NodePool come with its first machine. They do not count here.
  await simulation.runUntil(() => false, 2 * RESYNC_MS)
  ports.begin()
  scaleTo(2)
  await reached(simulation, 'a second machine is ready', () => areReady(simulation, 2))
  const claim = objects.all('nodeClaim').find(({ name }) => name !== stays?.name)
  if (claim?.status.nodeName === undefined) throw new Error('the second nodeclaim has no node')
  const { nodeName } = claim.status
  const small = { name: 'app', cpus: 0.1, memoryGib: 0.1, owner: REPLICA_SET, createdAt: clock.now() }
  for (const pod of pods(podCount, { ...small, nodeName, phase: 'Running' })) objects.put('pod', pod)
  await simulation.runUntil(() => false, DELETE_MS)
  const beganAt = clock.now()
  scaleTo(1)
  const isGone = (): boolean => !objects.all('nodeClaim').some(({ name }) => name === claim.name)
  await reached(simulation, 'the machine is gone', isGone)
  return { calls: new Map(ports.calls), drainMs: clock.now() - beganAt - DELETE_MS }
}

/** Scales a static pool from `machines` to none, while the share `failing` of all calls fails. */
export async function scaledAway(machines: number, failing: number): Promise<ScaledAway> {
  const ports = createCountedPorts()
  const simulation = createSimulation({
    between: ports.between,
    isConcurrent: true,
    resyncEveryMs: RESYNC_MS,
    gcEveryMs: 10 * RESYNC_MS,
    deleteMs: DELETE_MS,
  })
  const { clock } = simulation
  const scaleTo = (replicas: number): void => scalePool(simulation, replicas)
  scaleTo(machines)
  await reached(simulation, `${machines} machines are ready`, () => areReady(simulation, machines))
  const before = simulation.failures.length
  ports.begin(failing)
  const beganAt = clock.now()
  scaleTo(0)
  await simulation.runUntil(() => leftovers(simulation) === 0, LIMIT_MS)
  return {
    leftovers: leftovers(simulation),
    beyondMs: clock.now() - beganAt - DELETE_MS,
    calls: new Map(ports.calls),
    failures: simulation.failures.length - before,
  }
}

/**
 * Plays an hour in which nothing happens to `machines` machines, in steps of a second. In each step the simulation goes over all its machines, which
 * is most of its cost.
 */
export async function quietHour(machines: number): Promise<QuietHour> {
  const ports = createCountedPorts()
  const timers = { resyncEveryMs: RESYNC_MS, gcEveryMs: 10 * RESYNC_MS }
  const simulation = createSimulation({ between: ports.between, isConcurrent: true, tickMs: 1_000, ...timers })
  simulation.world.objects.put('nodePool', nodePool({ name: 'fixed', replicas: machines }))
  await reached(simulation, `${machines} machines are ready`, () => areReady(simulation, machines))
  // Events about a pool come once its machines are there. They do not count here.
  await simulation.runUntil(() => false, 2 * RESYNC_MS)
  ports.begin()
  const before = process.cpuUsage()
  await simulation.runUntil(() => false, HOUR_MS)
  const { user, system } = process.cpuUsage(before)
  const calls = new Map(ports.calls)
  const countOf = (is: RegExp): number => [...calls].reduce((sum, [name, count]) => (is.test(name) ? sum + count : sum), 0)
  return {
    statusWrites: countOf(/^api\.patch\w*Status$/),
    reads: countOf(/^api\.(get|list)/),
    cpuSeconds: (user + system) / 1_000_000,
    calls,
  }
}

/** Scales the pool as `kubectl scale` does: the status stays. */
export function scalePool({ world: { objects } }: Simulation, replicas: number): void {
  objects.put('nodePool', { ...(objects.get('nodePool', 'fixed') ?? nodePool({ name: 'fixed' })), replicas })
}

export async function reached(simulation: Simulation, what: string, holds: () => boolean): Promise<void> {
  if ((await simulation.runUntil(holds, LIMIT_MS)) === undefined) throw new Error(`within an hour it did not come that ${what}`)
}

export function areReady({ world: { objects } }: Simulation, count: number): boolean {
  const claims = objects.all('nodeClaim')
  const isReady = (claim: (typeof claims)[number]): boolean =>
    claim.status.conditions.some(({ type, status }) => type === 'Ready' && status === 'True')
  return claims.length === count && claims.every(isReady)
}

/** Returns the number of claims, nodes, machines and interfaces that exist. */
function leftovers({ world: { objects, machines } }: Simulation): number {
  return objects.all('nodeClaim').length + objects.all('node').length + machines.all().length + machines.interfaces.size
}
