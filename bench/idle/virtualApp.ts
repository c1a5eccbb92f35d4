import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type FunctionOutput, HttpRequest, type HttpResponseInit, InvocationContext } from '@azure/functions'
import { createClusterRuntime, createClusterWork, type RuntimeOptions } from '../../functions/clusterRuntime.ts'
import { workBudget } from '../../functions/deadline.ts'
import type { FunctionApp } from '../../functions/functionApp.ts'
import { queueNames, WAKE_QUEUE } from '../../functions/queueNames.ts'
import { registerFunctions } from '../../functions/registerFunctions.ts'
import { DEFAULT_SCHEDULES, schedulesOf } from '../../functions/scheduleSettings.ts'
import type { TypedData } from '../../local/host/app/rpc.ts'
import type { HostClock } from '../../local/host/base/hostClock.ts'
import { readHostConfig } from '../../local/host/base/hostConfig.ts'
import { type QueueListener, startQueueListener } from '../../local/host/queue/queueListener.ts'
import { type ScheduleStatus, startTimerListener, type TimerListener, type TimerStore } from '../../local/host/timer/timerListener.ts'
import { parseSchedule } from '../../local/host/timer/timerSchedule.ts'
import { repositoryRoot } from '../../scripts/floors.ts'
import { createMemoryShim } from '../../shared/adapters/memory/memoryShim.ts'
import { createMemoryWorld, type MemoryWorld } from '../../shared/adapters/memory/memoryWorld.ts'
import { createVirtualClock, type VirtualClock } from '../../shared/adapters/memory/virtualClock.ts'
import { createBacklog } from '../../shared/adapters/storage/backlog.ts'
import { createBlobStore } from '../../shared/adapters/storage/blobStore.ts'
import { createClusterLog } from '../../shared/adapters/storage/clusterLog.ts'
import { createDecisionStore } from '../../shared/adapters/storage/decisionStore.ts'
import { createLease } from '../../shared/adapters/storage/lease.ts'
import { createLedgerStore } from '../../shared/adapters/storage/ledgerStore.ts'
import { createOfferingStore } from '../../shared/adapters/storage/offeringStore.ts'
import { createWakeQueue } from '../../shared/adapters/storage/wakeQueue.ts'
import { ok } from '../../shared/base/result.ts'
import { type ClusterId, clusterId } from '../../shared/model/ids.ts'
import { durationMs, epochMs } from '../../shared/model/units.ts'
import type { Lease } from '../../shared/ports/lease.ts'
import { printEnvelope } from '../../shared/wire/envelope.ts'
import { catalog } from '../../test/builders/catalog.ts'
import { settings } from '../../test/builders/snapshot.ts'
import { createBilling, followed } from './billing.ts'
import { createCountedContainer } from './countedContainer.ts'
import { type Counts, createCounts } from './counts.ts'
import { createVirtualQueues, type VirtualQueues } from './virtualQueues.ts'

// Runs the app as its platform does, in virtual time: the real registrations and storage adapters, the queue and timer listeners of the local host,
// and a cluster in memory. Storage is Azurite, whose requests are counted. Only queues are in memory, because their messages wait in virtual time.

const SIGNAL = new AbortController().signal
const START = epochMs(Date.UTC(2027, 0, 4, 9))
const CLUSTER = clusterId('idle')
/** How long the platform hides a message while a function works on it. */
const MESSAGE_LEASE_SECONDS = 600
/** How long the adapters of Azure use what they read of the facts and the catalog, before they check it again. */
const RECHECK_MS = 30_000

export interface VirtualApp {
  readonly world: MemoryWorld
  readonly clock: VirtualClock
  readonly queues: VirtualQueues
  /** Number of invocations by function. */
  readonly executions: Counts
  /** Number of storage requests by name. Requests of the host count as well. */
  readonly storage: Counts
  readonly cluster: ClusterId
  /** Seconds that are billed: of each function the time in which it runs, an execution for a second at least. Work takes no virtual time, waiting does. */
  billedSeconds(): number
  /** Calls the function that receives posts. Returns the answer, whose end comes when the work is done. */
  events(text: string, accept: string): Promise<AsyncIterable<Buffer>>
  /** Posts what the shim would post now, through the function that receives it. */
  post(): Promise<void>
  /** Lets time pass. Resolves when everything that this caused is done. */
  pass(ms: number): Promise<void>
  stop(): Promise<void>
}

export type VirtualAppOptions = {
  readonly connectionString: string
  /** Name of a container for this app alone. */
  readonly container: string
}

export async function startVirtualApp({ connectionString, container }: VirtualAppOptions): Promise<VirtualApp> {
  const clock = createVirtualClock(START)
  const executions = createCounts()
  const storage = createCounts()
  const billing = createBilling(clock.now)
  const busy = createBusy()
  const over = new AbortController()
  const queues = createVirtualQueues(clock, storage)
  const world = createMemoryWorld({ clock, cluster: CLUSTER, instanceTypes: catalog() })
  const deps = await storedDeps(world, { connectionString, container, storage, busy })
  const functions = new Map<string, Registered>()
  registerFunctions(recording(functions), appDeps(world, queues, deps, over.signal))
  const listeners = startListeners(functions, { clock, queues, storage, run })
  const shim = createMemoryShim(world, 1)
  let isFirst = true

  async function run(name: string, input: unknown): Promise<unknown> {
    const target = functions.get(name)
    if (target === undefined) throw new Error(`no function ${name}`)
    executions.add(name)
    const end = billing.begin(name)
    const answer = await target.handler(input as never, new InvocationContext({ functionName: name }))
    const { body } = (answer ?? {}) as HttpResponseInit
    if (!(body instanceof ReadableStream)) end()
    return body instanceof ReadableStream ? { ...(answer as object), body: followed(body, end) } : answer
  }

  async function postEvents(text: string, accept: string): Promise<HttpResponseInit> {
    const url = `http://127.0.0.1/api/clusters/${CLUSTER}/events`
    const headers = { authorization: 'shim', accept }
    const init = { method: 'POST', url, params: { cluster: CLUSTER }, headers, body: { string: text } }
    const answer = (await busy.during(run('events', new HttpRequest(init)))) as HttpResponseInit
    if (answer.status !== 202) throw new Error(`the post was answered with ${answer.status}: ${JSON.stringify(answer.jsonBody)}`)
    return answer
  }

  return {
    world,
    clock,
    queues,
    executions,
    storage,
    cluster: CLUSTER,
    billedSeconds: billing.take,
    events: async (text, accept) => (await postEvents(text, accept)).body as AsyncIterable<Buffer>,
    async post() {
      const record = isFirst ? shim.snapshot() : shim.changes()
      isFirst = false
      if (record === undefined) return
      const { term, body } = record
      const text = JSON.stringify(printEnvelope({ cluster: CLUSTER, term, sentAt: clock.now(), body }))
      await postEvents(text, 'application/json')
    },
    async pass(ms) {
      let isOver = false
      void clock.sleep(ms, SIGNAL).then(() => {
        isOver = true
      })
      while (!isOver) {
        await busy.quiet()
        await clock.advanceToNext()
      }
      await busy.quiet()
    },
    stop: async () => {
      over.abort()
      await Promise.all(listeners.map((listener) => listener.stop()))
    },
  }
}

/** Counts the calls to the outside that are under way. Time stands still until they are answered. */
function createBusy() {
  let calls = 0
  async function during<Value>(call: Promise<Value>): Promise<Value> {
    calls++
    try {
      return await call
    } finally {
      calls--
    }
  }
  return {
    during,
    /** Returns the same port, with its calls counted. */
    port<Port extends object>(port: Port): Port {
      const calls = Object.entries(port).map(([name, call]) => [
        name,
        typeof call === 'function' ? (...input: unknown[]) => during(Promise.resolve(call(...input))) : call,
      ])
      return Object.fromEntries(calls) as Port
    },
    async quiet() {
      for (let calm = 0; calm < 3; calm++) {
        await new Promise((resolve) => void setImmediate(resolve))
        if (calls > 0) calm = -1
      }
    },
  }
}

type Stored = {
  readonly connectionString: string
  readonly container: string
  readonly storage: Counts
  readonly busy: ReturnType<typeof createBusy>
}

/** Returns ports that keep their state in storage through the real adapters. Azure and the API server are in memory. */
async function storedDeps(world: MemoryWorld, { connectionString, container: name, storage, busy }: Stored) {
  const { clock, ports } = world
  const container = createCountedContainer(connectionString, name, storage)
  await container.create()
  const { telemetry } = ports
  const blobs = createBlobStore(container)
  const recheck = async (paths: readonly string[]): Promise<void> => {
    await Promise.all(paths.map((path) => blobs.read(path, SIGNAL)))
  }
  const facts = rechecked(clock.now, () => recheck([`clusters/${CLUSTER}/facts`]))
  const sizes = rechecked(clock.now, () => recheck(['sizes', 'prices', 'quota'].map((part) => `regions/r/${part}`)))
  const deps: RuntimeOptions['deps'] = {
    ...ports,
    settings: settings(),
    log: busy.port(createClusterLog(container, CLUSTER, { clock, telemetry })),
    ledger: busy.port(createLedgerStore(container, CLUSTER)),
    lease: waitedFor(createLease(container, CLUSTER, { clock }), busy),
    decisions: busy.port(createDecisionStore(container, CLUSTER, { telemetry })),
    offerings: busy.port(createOfferingStore({ blobs, region: 'regions/r', telemetry, clock, random: () => 0.5 })),
    catalog: busy.port({
      ...ports.catalog,
      instanceTypes: (nodeClass, signal) => sizes(() => ports.catalog.instanceTypes(nodeClass, signal)),
    }),
    facts: busy.port({ ...ports.facts, load: (signal) => facts(() => ports.facts.load(signal)) }),
  }
  return { deps, documents: busy.port(blobs) }
}

/** Returns a lease whose acquire and release stop the time. Its renewal waits for the clock and must not stop it. */
function waitedFor(lease: Lease, busy: Stored['busy']): Lease {
  return {
    async acquire(signal) {
      const held = await busy.during(lease.acquire(signal))
      return held.ok ? ok({ ...held.value, release: () => busy.during(held.value.release()) }) : held
    },
  }
}

/** Reads again from storage before a call, at most as often as the adapter of Azure does. */
function rechecked(now: () => number, read: () => Promise<void>): <Value>(call: () => Promise<Value>) => Promise<Value> {
  let readAt: number | undefined
  return async (call) => {
    if (readAt === undefined || now() - readAt >= RECHECK_MS) {
      readAt = now()
      await read()
    }
    return call()
  }
}

function appDeps(
  world: MemoryWorld,
  queues: VirtualQueues,
  { deps, documents }: Awaited<ReturnType<typeof storedDeps>>,
  over: AbortSignal,
): Parameters<typeof registerFunctions>[1] {
  const batch = { idle: durationMs(1_000), max: durationMs(10_000) }
  const work = createClusterWork(CLUSTER, { clock: world.clock, batch })
  const wakes = createWakeQueue(queues.client(WAKE_QUEUE))
  work.start({ telemetry: deps.telemetry, wakes, budget: workBudget, over, handedOver: () => undefined })
  const runtime = createClusterRuntime({ deps, work, instancePrefix: '/subscriptions/s/resourcegroups/mc/' })
  const callers = { verify: async () => ok({ identity: 'shim' }) }
  const known = new Set(['shim'])
  return {
    clusters: new Map([
      [
        CLUSTER,
        {
          id: CLUSTER,
          identities: { post: known, read: known },
          noticeTopic: undefined,
          facts: deps.facts,
          overrides: [],
          async open(signal) {
            await deps.facts.load(signal)
            return runtime
          },
        },
      ],
    ]),
    rights: { post: { callers, listedIn: '' }, read: { callers, listedIn: '' } },
    documents,
    clock: world.clock,
    telemetry: deps.telemetry,
    eventDelivery: 'function',
    backlog: createBacklog(queueNames('function').map(queues.client)),
    schedules: schedulesOf(DEFAULT_SCHEDULES),
  }
}

type Registered = {
  readonly kind: 'http' | 'queue' | 'timer'
  readonly handler: (input: never, context: InvocationContext) => unknown
  readonly queueName?: string
  readonly schedule?: string
  readonly useMonitor?: boolean
  readonly extraOutputs?: readonly FunctionOutput[]
}

function recording(functions: Map<string, Registered>): FunctionApp {
  const by =
    (kind: Registered['kind']) =>
    (name: string, options: Omit<Registered, 'kind'>): void =>
      void functions.set(name, { ...options, kind })
  return { http: by('http'), storageQueue: by('queue'), timer: by('timer'), eventGrid: by('http'), hook: {} } as unknown as FunctionApp
}

type Listening = {
  readonly clock: VirtualClock
  readonly queues: VirtualQueues
  readonly storage: Counts
  readonly run: (name: string, input: unknown) => Promise<unknown>
}

/**
 * Starts one host that runs every queue function and the timer. The host uses the settings of host.json. In Azure each function has separate
 * instances, and most instances do not run.
 */
function startListeners(
  functions: ReadonlyMap<string, Registered>,
  { clock, queues, storage, run }: Listening,
): readonly (QueueListener | TimerListener)[] {
  const config = readHostConfig(JSON.parse(readFileSync(join(repositoryRoot, 'host.json'), 'utf8')), {})
  const hostClock: HostClock = {
    now: clock.now,
    random: () => 0.5,
    sleep: (ms, signal) => clock.sleep(ms, signal).catch(() => undefined),
  }
  const log = (): void => undefined
  return [...functions].flatMap(([name, { kind, queueName, schedule, useMonitor = true }]) => {
    if (kind === 'queue' && queueName !== undefined) {
      const poison = queueName.endsWith('-poison') ? undefined : queues.triggerQueue(`${queueName}-poison`)
      const handle = async (data: TypedData): Promise<void> => void (await run(name, JSON.parse(data.string ?? '')))
      const queue = queues.triggerQueue(queueName)
      return [
        startQueueListener({
          queue,
          poison,
          config: config.queues,
          leaseSeconds: MESSAGE_LEASE_SECONDS,
          clock: hostClock,
          log,
          hold: () => undefined,
          run: handle,
        }),
      ]
    }
    if (kind !== 'timer' || schedule === undefined) return []
    return [
      startTimerListener({
        functionName: name,
        schedule: parseSchedule(name, schedule),
        runOnStartup: false,
        useMonitor,
        store: timerStore(storage),
        lockPeriodMs: config.listenerLockPeriodMs,
        lockRecoveryMs: config.listenerLockRecoveryPollingIntervalMs,
        clock: hostClock,
        log,
        run: async (data) => void (await run(name, JSON.parse(data.json ?? '{}'))),
      }),
    ]
  })
}

function timerStore(storage: Counts): TimerStore {
  let status: ScheduleStatus | undefined
  return {
    async acquireLock() {
      storage.add('host: take the lock of the timer')
      return {
        async renew() {
          storage.add('host: renew the lock of the timer')
          return true
        },
        release: async () => undefined,
      }
    },
    async readStatus() {
      storage.add('host: read when the timer runs')
      return status
    },
    async writeStatus(_name, next) {
      storage.add('host: write when the timer runs')
      status = next
    },
  }
}
