// Runs the app as its platform does, in virtual time: the real registrations and storage adapters, the queue and timer listeners of the local host,
// and a cluster in memory. Storage is Azurite, whose requests are counted. Only queues are in memory, because their messages wait in virtual time.
import { HttpRequest, type HttpResponseInit, InvocationContext } from '@azure/functions'
import { createClusterRuntime, createClusterWork } from '../../functions/clusterRuntime.ts'
import { workBudget } from '../../functions/deadline.ts'
import { queueNames, WAKE_QUEUE } from '../../functions/queueNames.ts'
import { registerFunctions } from '../../functions/registerFunctions.ts'
import { DEFAULT_SCHEDULES, schedulesOf } from '../../functions/scheduleSettings.ts'
import { createMemoryShim } from '../../shared/adapters/memory/memoryShim.ts'
import { createMemoryWorld, type MemoryWorld } from '../../shared/adapters/memory/memoryWorld.ts'
import { createVirtualClock, type VirtualClock } from '../../shared/adapters/memory/virtualClock.ts'
import { createBacklog } from '../../shared/adapters/storage/backlog.ts'
import { createWakeQueue } from '../../shared/adapters/storage/wakeQueue.ts'
import { ok } from '../../shared/base/result.ts'
import { type ClusterId, clusterId } from '../../shared/model/ids.ts'
import { durationMs, epochMs } from '../../shared/model/units.ts'
import { printEnvelope } from '../../shared/wire/envelope.ts'
import { catalog } from '../../test/builders/catalog.ts'
import { createBilling, followed } from './billing.ts'
import { type Counts, createCounts } from './counts.ts'
import { createBusy, storedDeps } from './storedPorts.ts'
import { type Registered, recording, startListeners } from './virtualHost.ts'
import { createVirtualQueues, type VirtualQueues } from './virtualQueues.ts'

const SIGNAL = new AbortController().signal
const START = epochMs(Date.UTC(2027, 0, 4, 9))
const CLUSTER = clusterId('idle')

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
  const deps = await storedDeps(world, { cluster: CLUSTER, connectionString, container, storage, busy })
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
