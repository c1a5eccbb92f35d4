import { joinNodes } from '../../shared/adapters/memory/joinNodes.ts'
import { nodeClass } from '../../test/builders/nodeClass.ts'
import { nodePool } from '../../test/builders/nodePool.ts'
import { pod } from '../../test/builders/pod.ts'
import { createScheduler } from '../../test/crash/scheduler.ts'
import { sumOf } from './counts.ts'
import { startIdleShim } from './idleShim.ts'
import { startVirtualApp, type VirtualApp, type VirtualAppOptions } from './virtualApp.ts'

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
/** Time between two turns of kubelets, scheduler and shim while something goes on. */
const TICK_MS = SECOND

/** The cost of an hour. */
export type Hour = {
  readonly executions: ReadonlyMap<string, number>
  readonly storage: ReadonlyMap<string, number>
  /** Number of decisions, over all functions. */
  readonly looks: number
  /** Billed seconds of all functions. */
  readonly billedSeconds: number
  /** Processor time of the process, without storage. */
  readonly cpuMs: number
}

/** The kind of an idle cluster. */
export type Calm = 'empty' | 'machines' | 'refused'

/** Measures an hour in which nothing happens and the shim posts nothing but that it is there, after half an hour of the same. */
export async function idleHour(connectionString: string, calm: Calm): Promise<Hour> {
  const app = await startApp({ connectionString, container: `idle-${calm}` })
  if (calm !== 'empty') addPods(app, 'steady', calm === 'refused' ? 3 : 4)
  if (calm === 'refused') app.world.objects.put('pod', waiting(app, 'nowhere', 10_000))
  await live(app, 6 * MINUTE)
  const shim = startIdleShim(app)
  await app.pass(HOUR / 2)
  const hour = await measured(app, () => app.pass(HOUR))
  shim.stop()
  await app.stop()
  return hour
}

/** Measures an hour with a new Deployment of two pods each minute. */
export async function busyHour(connectionString: string): Promise<Hour> {
  const app = await startApp({ connectionString, container: 'busy' })
  await live(app, 6 * MINUTE)
  const hour = await measured(app, async () => {
    for (let minute = 0; minute < 60; minute++) {
      addPods(app, `minute-${minute}`, 2)
      await live(app, MINUTE)
    }
  })
  await app.stop()
  return hour
}

/**
 * Returns how long after the first pod in an hour Azure is asked for a machine, in milliseconds of virtual time. It is the time of waiting, not of
 * work.
 */
export async function firstEvent(connectionString: string): Promise<number> {
  const app = await startApp({ connectionString, container: 'first' })
  await live(app, 6 * MINUTE)
  // Not at a whole minute, so that no timer helps.
  await app.pass(HOUR + 3 * SECOND)
  addPods(app, 'first', 1)
  const came = app.clock.now()
  await app.post()
  const asked = (): boolean => app.world.journal.entries.some(({ operation, at }) => operation === 'cloud.createInterface' && at >= came)
  while (!asked()) await app.pass(50)
  const took = app.clock.now() - came
  await app.stop()
  return took
}

/** The calls of two decisions to storage, by name. */
export type DecisionCalls = {
  /** Of a decision that makes a machine. */
  readonly making: ReadonlyMap<string, number>
  /** Of a decision about a pod that has room on a node. */
  readonly calm: ReadonlyMap<string, number>
}

/**
 * Measures a decision that makes a machine, a moment after another one, so that what a process reads once in two seconds is known, and a decision
 * about a pod that has room. `around` runs the second from the post of this pod alone.
 */
export async function callsOfDecisions(
  connectionString: string,
  around: (work: () => Promise<void>) => Promise<void>,
): Promise<DecisionCalls> {
  const app = await startApp({ connectionString, container: 'decisions' })
  addPods(app, 'warm', 4)
  await live(app, 6 * MINUTE)
  // Not at a whole minute, so that the timer does nothing meanwhile.
  await live(app, 5 * SECOND)

  /** Posts the changes and waits for the decision. Returns its calls. */
  async function decided(): Promise<ReadonlyMap<string, number>> {
    const count = createDecisionCounter(app)
    await app.post()
    app.storage.take()
    while (count() === 0) await app.pass(100)
    return app.storage.take()
  }

  addPods(app, 'before', 1, 3)
  await decided()
  const machines = app.world.machines.all().length
  addPods(app, 'counted', 1, 3)
  const making = await decided()
  if (app.world.machines.all().length === machines) throw new Error('the decision made no machine')
  await live(app, 40 * SECOND)
  addPods(app, 'fits', 1, 0.1)
  let calm: ReadonlyMap<string, number> = new Map()
  await around(async () => {
    calm = await decided()
  })
  await app.stop()
  return { making, calm }
}

function createDecisionCounter({ world: { telemetry } }: VirtualApp): () => number {
  const count = (): number => telemetry.measures.filter(({ name }) => name === 'reconcile_ms').length
  const before = count()
  return () => count() - before
}

async function startApp(options: VirtualAppOptions): Promise<VirtualApp> {
  const app = await startVirtualApp(options)
  app.world.objects.put('nodeClass', nodeClass())
  app.world.objects.put('nodePool', nodePool())
  await app.post()
  return app
}

/** Lets the cluster live: machines join, pods are bound, and the shim posts the changes. */
async function live(app: VirtualApp, ms: number): Promise<void> {
  const schedule = createScheduler(app.world)
  for (let passed = 0; passed < ms; passed += TICK_MS) {
    joinNodes(app.world)
    schedule()
    await app.post()
    await app.pass(TICK_MS)
  }
}

function addPods(app: VirtualApp, name: string, count: number, cpus = 1): void {
  for (let index = 0; index < count; index++) app.world.objects.put('pod', waiting(app, `${name}-${index}`, cpus))
}

function waiting({ clock }: VirtualApp, name: string, cpus: number) {
  return pod({ name, cpus, createdAt: clock.now(), unschedulableSince: clock.now() })
}

async function measured(app: VirtualApp, work: () => Promise<void>): Promise<Hour> {
  app.executions.take()
  app.storage.take()
  app.billedSeconds()
  const decided = createDecisionCounter(app)
  const cpu = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(cpu)
  return {
    executions: app.executions.take(),
    storage: app.storage.take(),
    billedSeconds: app.billedSeconds(),
    looks: decided(),
    cpuMs: (user + system) / 1_000,
  }
}

export function totals({ executions, storage, cpuMs }: Hour) {
  return { executions: sumOf(executions), storageCalls: sumOf(storage), cpuSeconds: cpuMs / 1_000 }
}
