import type { Condition } from '../../shared/model/condition.ts'
import { LABEL } from '../../shared/model/labels.ts'
import { durationMs } from '../../shared/model/units.ts'
import { condition } from '../builders/condition.ts'
import { withoutLabel } from '../builders/meta.ts'
import { nodeClaim } from '../builders/nodeClaim.ts'
import { nodePool } from '../builders/nodePool.ts'
import { type PodShape, pod, pods, REPLICA_SET } from '../builders/pod.ts'
import { HOLDS_ALL } from '../builders/podDisruptionBudget.ts'
import type { Simulation } from './simulation.ts'

const LIMIT_MS = 180_000

/** Adds `count` pods and waits until they run and every claim is ready. Returns the virtual time that took. */
export async function scaleUp(simulation: Simulation, count = 5, shape: PodShape = {}): Promise<number | undefined> {
  const now = simulation.clock.now()
  for (const pod of pods(count, { name: 'app', createdAt: now, unschedulableSince: now, ...shape }))
    simulation.world.objects.put('pod', pod)
  return simulation.runUntil(() => allRun(simulation), LIMIT_MS)
}

/** Removes all pods and waits until no claims, nodes, machines and interfaces are left. */
export async function scaleDown(simulation: Simulation): Promise<number | undefined> {
  for (const pod of simulation.world.objects.all('pod')) simulation.world.objects.remove('pod', pod.key)
  return simulation.runUntil(() => isEmpty(simulation), LIMIT_MS)
}

/** Machines with pods expire. No controller replaces the pods. Returns the time from the first ending claim until nothing is left. */
export async function expire(simulation: Simulation): Promise<number | undefined> {
  const { objects } = simulation.world
  const pool = objects.all('nodePool')[0]
  if (pool === undefined) throw new Error('the simulation has no pool')
  objects.put('nodePool', { ...pool, template: { ...pool.template, expireAfter: durationMs(AGE_MS) } })
  if ((await scaleUp(simulation)) === undefined) return undefined
  const isBegun = (): boolean => objects.all('nodeClaim').some(({ meta }) => meta.deletedAt !== undefined)
  return (await simulation.runUntil(isBegun, LIMIT_MS)) === undefined ? undefined : simulation.runUntil(() => isEmpty(simulation), LIMIT_MS)
}

const AGE_MS = 60_000

/**
 * The pool of running pods gets another label: each machine drifts and is replaced as the budgets allow. Waits until all pods run on machines with
 * the label and nothing is in progress. Returns the time since the change. The workload must replace evicted pods.
 */
export async function drift(simulation: Simulation, prepare: (simulation: Simulation) => void): Promise<number | undefined> {
  const { objects } = simulation.world
  if ((await scaleUp(simulation, 3, { cpus: 3, owner: REPLICA_SET })) === undefined) return undefined
  const pool = objects.all('nodePool')[0]
  if (pool === undefined) throw new Error('the simulation has no pool')
  prepare(simulation)
  objects.put('nodePool', { ...pool, template: { ...pool.template, labels: { 'example.com/generation': '2' } } })
  const hasDrifted = (): boolean =>
    objects.all('nodeClaim').every(({ meta }) => meta.labels['example.com/generation'] === '2' && meta.deletedAt === undefined)
  return simulation.runUntil(
    () => hasDrifted() && allRun(simulation) && objects.all('node').length === objects.all('nodeClaim').length,
    2 * LIMIT_MS,
  )
}

/** Replaces removed pods, as a ReplicaSet does. Begins once there is a claim. */
export function keepReplicas({ world: { objects, clock } }: Simulation, count: number): void {
  const present = objects.all('pod').filter(({ deletedAt }) => deletedAt === undefined)
  if (objects.all('nodeClaim').length === 0) return
  for (let missing = count - present.length; missing > 0; missing--) {
    const uid = objects.newUid()
    objects.put(
      'pod',
      pod({ name: `again-${uid}`, uid, cpus: 3, owner: REPLICA_SET, createdAt: clock.now(), unschedulableSince: clock.now() }),
    )
  }
}

/** Scales a static pool to three machines, to one, and to none. Returns the time of the last two changes. */
export async function scaleStatic(simulation: Simulation): Promise<number | undefined> {
  const { objects } = simulation.world
  const scaleTo = (replicas: number): Promise<number | undefined> => {
    objects.put('nodePool', nodePool({ name: 'fixed', replicas, disruption: { budgets: [{ nodes: '0' }] } }))
    const isDone = (): boolean =>
      [objects.all('nodeClaim'), objects.all('node'), simulation.world.machines.all()].every(({ length }) => length === replicas)
    return simulation.runUntil(() => isDone() && allRun(simulation), LIMIT_MS)
  }
  if ((await scaleTo(3)) === undefined) return undefined
  const fewer = await scaleTo(1)
  const none = await scaleTo(0)
  return fewer === undefined || none === undefined ? undefined : fewer + none
}

/** Changes the label of a static pool with two machines. Both are replaced. Returns the time since the change. */
export async function driftStatic({ world: { objects, machines }, runUntil }: Simulation): Promise<number | undefined> {
  const put = (generation: string): void => {
    const template = { labels: { 'example.com/generation': generation } }
    objects.put('nodePool', nodePool({ name: 'fixed', replicas: 2, template, disruption: { budgets: [{ nodes: '1' }] } }))
  }
  const isDone = (generation: string): boolean => {
    const claims = objects.all('nodeClaim')
    const areNew = claims.every(({ meta, status }) => meta.labels['example.com/generation'] === generation && isReady(status.conditions))
    return areNew && [claims, objects.all('node'), machines.all()].every(({ length }) => length === 2)
  }
  put('1')
  if ((await runUntil(() => isDone('1'), LIMIT_MS)) === undefined) return undefined
  put('2')
  return runUntil(() => isDone('2'), 2 * LIMIT_MS)
}

function isReady(conditions: readonly Condition[]): boolean {
  return conditions.some((each) => each.type === 'Ready' && each.status === 'True')
}

/** Creates a NodeClaim without a NodePool and deletes it once its node is ready. Returns the time since its deletion. */
export async function standalone(simulation: Simulation): Promise<number | undefined> {
  const { objects } = simulation.world
  const own = nodeClaim({ name: 'own', stage: 'created', meta: { createdAt: simulation.clock.now(), finalizers: [] } })
  objects.put('nodeClaim', withoutLabel(own, LABEL.nodePool))
  if ((await simulation.runUntil(() => objects.all('nodeClaim').every(({ status }) => isReady(status.conditions)), LIMIT_MS)) === undefined)
    return undefined
  objects.delete('nodeClaim', 'own')
  return simulation.runUntil(() => isEmpty(simulation), LIMIT_MS)
}

/**
 * A machine with pods breaks. Its pool bounds a drain more tightly than the repair policy does, and a budget allows no eviction. Waits until the machine
 * is gone. Then removes all pods and waits until nothing is left. Returns the sum of both times.
 */
export async function repair(simulation: Simulation): Promise<number | undefined> {
  const { objects } = simulation.world
  const pool = objects.all('nodePool')[0]
  if (pool === undefined) throw new Error('the simulation has no pool')
  objects.put('nodePool', { ...pool, template: { ...pool.template, terminationGracePeriod: durationMs(10_000) } })
  if ((await scaleUp(simulation, 5, { terminationGracePeriodSeconds: 30 })) === undefined) return undefined
  objects.put('podDisruptionBudget', HOLDS_ALL)
  const node = objects.all('node')[0]
  if (node === undefined) throw new Error('the simulation has no node')
  const { conditions } = node
  objects.put('node', { ...node, conditions: [...conditions, condition('kubernetes.azure.com/NodeHealthy', { status: 'False' })] })
  const isGone = (): boolean => !objects.all('nodeClaim').some(({ status }) => status.nodeName === node.name)
  const mended = await simulation.runUntil(isGone, LIMIT_MS)
  objects.remove('podDisruptionBudget', HOLDS_ALL.key)
  const emptied = mended === undefined ? undefined : await scaleDown(simulation)
  return mended === undefined || emptied === undefined ? undefined : mended + emptied
}

export type Footprint = {
  readonly machines: readonly string[]
  readonly interfaces: number
  readonly claims: number
  readonly nodes: number
  readonly tokens: number
  /** Reports of work that fails again and again. */
  readonly failing: number
  /** Claims and machines made at any time, including those that were removed. */
  readonly claimsEver: number
  readonly machinesEver: number
}

/** The objects that exist, and the numbers of claims and machines ever made. */
export function footprint({ world }: Simulation): Footprint {
  return {
    machines: world.machines.all().map((machine) => machine.instance.size),
    interfaces: world.machines.interfaces.size,
    claims: world.objects.all('nodeClaim').length,
    nodes: world.objects.all('node').length,
    tokens: world.objects.tokens.size,
    failing: world.telemetry.events.filter(({ name }) => name === 'work.failed').length,
    claimsEver: everMade(world, 'api.createClaim'),
    machinesEver: everMade(world, 'cloud.createMachine'),
  }
}

function everMade(world: Simulation['world'], operation: string): number {
  return new Set(world.journal.entries.filter((entry) => entry.operation === operation).map((entry) => entry.object)).size
}

function allRun({ world }: Simulation): boolean {
  const running = world.objects.all('pod').every((pod) => pod.phase === 'Running')
  const ready = world.objects
    .all('nodeClaim')
    .every((claim) => claim.status.conditions.some((each) => each.type === 'Ready' && each.status === 'True'))
  return running && ready
}

function isEmpty({ world }: Simulation): boolean {
  return (
    world.objects.all('nodeClaim').length +
      world.objects.all('node').length +
      world.machines.all().length +
      world.machines.interfaces.size ===
    0
  )
}
