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

function addPods(app: VirtualApp, name: string, count: number): void {
  for (let index = 0; index < count; index++) app.world.objects.put('pod', waiting(app, `${name}-${index}`, 1))
}

function waiting({ clock }: VirtualApp, name: string, cpus: number) {
  return pod({ name, cpus, createdAt: clock.now(), unschedulableSince: clock.now() })
}

async function measured(app: VirtualApp, work: () => Promise<void>): Promise<Hour> {
  const { measures } = app.world.telemetry
  const decisions = (): number => measures.filter(({ name }) => name === 'reconcile_ms').length
  app.executions.take()
  app.storage.take()
  app.billedSeconds()
  const before = decisions()
  const cpu = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(cpu)
  return {
    executions: app.executions.take(),
    storage: app.storage.take(),
    billedSeconds: app.billedSeconds(),
    looks: decisions() - before,
    cpuMs: (user + system) / 1_000,
  }
}

export function totals({ executions, storage, cpuMs }: Hour) {
  return { executions: sumOf(executions), storageCalls: sumOf(storage), cpuSeconds: cpuMs / 1_000 }
}
