import { ownValue } from '../../shared/base/values.ts'
import type { HostFunction, Settings } from './app/hostFunction.ts'
import type { TypedData } from './app/rpc.ts'
import { createHostClock, type HostClock } from './base/hostClock.ts'
import { HostError } from './base/hostError.ts'
import { type HostApp, type HostAppOptions, openApp } from './hostApp.ts'
import { answerAdmin } from './http/adminApi.ts'
import { answerEventGrid, EVENT_GRID_PATH } from './http/eventGridWebhook.ts'
import { completeKeys, type HostKeys } from './http/hostKeys.ts'
import { type HttpAnswer, type HttpFront, type HttpRequest, startHttpFront } from './http/httpFront.ts'
import { answerFunction } from './http/httpFunctions.ts'
import { createHttpRoutes } from './http/httpRoutes.ts'
import { startListeners } from './listeners.ts'
import { createTriggerQueues } from './queue/triggerQueue.ts'
import { createRunner, type InvocationEvent, type Runner } from './runner.ts'
import { createTimerStore } from './timer/hostBlobs.ts'
import { timerData } from './timer/timerListener.ts'

export type HostOptions = HostAppOptions & {
  /** Undefined: a free port. */
  readonly port?: number
  /** Missing keys are random. */
  readonly keys?: Partial<HostKeys>
  /** How long a received queue message stays hidden after its host dies. */
  readonly messageLeaseSeconds?: number
  /** Hosts of one app share this id. Locks and schedules are kept under it. */
  readonly hostId?: string
  readonly clock?: HostClock
  /** A handler ran too long. The platform would restart the worker process now. */
  readonly onTimeout?: (functionName: string) => void
  /** Called when an invocation begins and when it ends. */
  readonly onInvocation?: (event: InvocationEvent) => void
  /** Called with the number of messages in hand when it changes. */
  readonly onHeld?: (messages: number) => void
}

export type Host = {
  readonly url: string
  readonly functions: readonly string[]
  readonly keys: HostKeys
  /** Looks for messages now. */
  poll(): void
  /** The number of open invocations. */
  inFlight(): number
  /** Runs a timer now. Rejects if its handler fails. */
  invokeTimer(name: string): Promise<void>
  /**
   * Ends as the platform ends a host: refuses connections at once, cuts HTTP invocations after a while, then all others, and runs the terminate
   * hooks last.
   */
  close(): Promise<void>
  /**
   * The worker is dead: its invocations have failed, and its streams are cut. Resolves once their messages are given back. The app is not loaded
   * again in this process.
   */
  workerDied(why: string): Promise<void>
}

/** How long the platform waits for HTTP invocations when it ends a host, and within this for all others. */
const HTTP_MS = 30_000
const OTHERS_MS = 10_000
/** The time to give the messages of a dead worker back. */
const GIVE_BACK_MS = 2_000

/** The platform's lease of ten minutes. docs/local/host.md says why the local stack uses a shorter lease. */
const PLATFORM_LEASE_SECONDS = 600
const PLATFORM_BODY_BYTES = 104_857_600
const DEFAULT_HOST_ID = 'local'

const ignored = () => undefined

/** Runs a Functions app in this process as the platform does: with the app's real registrations and the real library. */
export async function startHost(options: HostOptions): Promise<Host> {
  const clock = options.clock ?? createHostClock()
  const hostId = options.hostId ?? DEFAULT_HOST_ID
  const app = await openApp(options, clock)
  const { functions, log } = app
  const names = functions.map((target) => target.name)
  const keys = completeKeys(options.keys ?? {}, names)
  const queueOf = createTriggerQueues()
  const runner = createRunner({
    app,
    clock,
    queueOf,
    onTimeout: options.onTimeout ?? ignored,
    onInvocation: options.onInvocation ?? ignored,
    written: (queueName) => listeners.written(queueName),
  })
  const draining = createDraining(async () => {
    log('information', 'Host.Shutdown', `draining: ${runner.inFlight()} invocations in flight`)
    await Promise.all([listeners.stop(), runner.idle()])
  })
  const maxBodyBytes = bodyLimit(options.settings)
  const answer = createAnswer({ app, keys, runner, draining, hostId, clock, maxBodyBytes })
  const front = await startHttpFront({ port: options.port ?? 0, maxBodyBytes, log, answer }).catch((error: unknown) => {
    app.restoreEnvironment()
    throw error
  })
  const leaseSeconds = options.messageLeaseSeconds ?? PLATFORM_LEASE_SECONDS
  const timerStore = createTimerStore(app.hostStorage, hostId)
  const listeners = startListeners({
    ...app,
    clock,
    run: runner.run,
    queueOf,
    timerStore,
    leaseSeconds,
    onHeld: options.onHeld ?? ignored,
  })
  log('information', 'Host.Startup', `host ${hostId} runs ${names.length} functions: ${names.join(', ')}`)
  return {
    url: front.url,
    functions: names,
    keys,
    poll: listeners.poll,
    inFlight: runner.inFlight,
    invokeTimer: async (name) => {
      const target = functions.find((candidate) => candidate.name === name && candidate.trigger.kind === 'timer')
      if (target === undefined) throw new HostError(`there is no timer ${name}; timers are ${timersOf(functions).join(', ')}`)
      await runner.run(target, timerData(undefined, false))
    },
    close: () => end({ app, clock, runner, front, draining }),
    workerDied: async (why) => {
      front.refuse()
      runner.workerDied(why)
      await atMost(clock, GIVE_BACK_MS, draining.start())
    },
  }
}

type Parts = {
  readonly app: HostApp
  readonly clock: HostClock
  readonly runner: Runner
  readonly front: HttpFront
  readonly draining: Draining
}

async function end({ app, clock, runner, front, draining }: Parts): Promise<void> {
  const until = clock.now() + HTTP_MS
  app.log('information', 'Host.Shutdown', `${runner.inFlight()} invocations in flight`)
  front.refuse()
  await atMost(clock, HTTP_MS, runner.idle(isHttp))
  await front.cut()
  await atMost(clock, Math.min(OTHERS_MS, until - clock.now()), draining.start())
  await app.terminate()
  app.restoreEnvironment()
}

function isHttp({ trigger }: HostFunction): boolean {
  return trigger.kind === 'http'
}

async function atMost(clock: HostClock, ms: number, work: Promise<void>): Promise<void> {
  const over = new AbortController()
  await Promise.race([work, clock.sleep(Math.max(0, ms), over.signal)])
  over.abort()
}

/** The setting by which the platform limits the body of a request. */
function bodyLimit(settings: Settings): number {
  const text = ownValue(settings, 'FUNCTIONS_REQUEST_BODY_SIZE_LIMIT')
  return text !== undefined && /^\d+$/.test(text) ? Number(text) : PLATFORM_BODY_BYTES
}

type Draining = { start(): Promise<void>; hasStarted(): boolean }

/** Draining happens once, however often it is started. */
function createDraining(drain: () => Promise<void>): Draining {
  let running: Promise<void> | undefined
  return {
    start: () => {
      running ??= drain()
      return running
    },
    hasStarted: () => running !== undefined,
  }
}

type AnswerOptions = {
  readonly app: HostApp
  readonly keys: HostKeys
  readonly runner: Runner
  readonly draining: Draining
  readonly hostId: string
  readonly clock: HostClock
  readonly maxBodyBytes: number
}

function createAnswer({
  app,
  keys,
  runner,
  draining,
  hostId,
  clock,
  maxBodyBytes,
}: AnswerOptions): (request: HttpRequest) => Promise<HttpAnswer> {
  const { config, functions, httpUri, log } = app
  const streams = httpUri === undefined ? undefined : { httpUri, maxBodyBytes, clock }
  const { run, inFlight } = runner
  const routes = createHttpRoutes(functions, config.routePrefix)
  const startedAt = clock.now()
  const admin = {
    hostId,
    functions,
    keys,
    inFlight,
    uptimeMs: () => clock.now() - startedAt,
    isDraining: draining.hasStarted,
    drain: () => void draining.start(),
    // the invoker has logged the failure, and the caller has its answer already
    runNow: (target: HostFunction, input: string) => void run(target, manualData(target, input)).catch(() => undefined),
  }
  return async (request) => {
    const path = request.url.pathname.toLowerCase()
    if (path.startsWith('/admin/')) return answerAdmin(request, admin)
    if (path === EVENT_GRID_PATH) return answerEventGrid(request, { functions, keys, run })
    return answerFunction(request, { routes, keys, log, run, streams })
  }
}

function manualData(target: HostFunction, input: string): TypedData {
  if (target.trigger.kind === 'timer') return timerData(undefined, false)
  return target.trigger.kind === 'eventGrid' ? { json: input } : { string: input }
}

function timersOf(functions: readonly HostFunction[]): readonly string[] {
  return functions.filter((target) => target.trigger.kind === 'timer').map((target) => target.name)
}
