import { answerAdmin } from './adminApi.ts'
import { answerEventGrid, EVENT_GRID_PATH } from './eventGridWebhook.ts'
import { createRegistry } from './functionsCore.ts'
import { createTimerStore } from './hostBlobs.ts'
import { createHostClock, type HostClock } from './hostClock.ts'
import { readHostConfig } from './hostConfig.ts'
import { HostError } from './hostError.ts'
import { type HostFunction, readFunctions, type Settings } from './hostFunction.ts'
import { completeKeys, type HostKeys } from './hostKeys.ts'
import { createHostLog, type HostLogLine, messageOf } from './hostLog.ts'
import { type HttpAnswer, type HttpRequest, startHttpFront } from './httpFront.ts'
import { answerFunction } from './httpFunctions.ts'
import { createHttpRoutes } from './httpRoutes.ts'
import { createInvoker, runLogHooks } from './invoker.ts'
import { readSchedules, startListeners } from './listeners.ts'
import { loadApp } from './loadApp.ts'
import { applyQueueOutputs } from './queueOutputs.ts'
import { runWithRetry } from './retryPolicy.ts'
import type { InvocationResponse, TypedData } from './rpc.ts'
import { timerData } from './timerListener.ts'
import { createTriggerQueues } from './triggerQueue.ts'

export type HostOptions = {
  /** The app: a file (module, bundle or TypeScript), or a folder whose package.json names its files in `main`. */
  readonly appFile: string
  /** Content of host.json. */
  readonly hostJson: unknown
  /** The app's settings: its environment while the host runs. `AzureWebJobsStorage` must be a connection string. */
  readonly settings: Settings
  readonly port?: number
  readonly keys?: Partial<HostKeys>
  /** How long a received queue message stays hidden when its host dies. */
  readonly messageLeaseSeconds?: number
  /** Hosts of one app share it: locks and schedules are kept under it. */
  readonly hostId?: string
  readonly maxBodyBytes?: number
  readonly clock?: HostClock
  readonly log?: (line: HostLogLine) => void
  /** A handler ran too long; the platform would restart the worker process now. */
  readonly onTimeout?: (functionName: string) => void
}

export type Host = {
  readonly url: string
  readonly functions: readonly string[]
  readonly keys: HostKeys
  /** Runs a timer now; rejects when its handler fails. */
  invokeTimer(name: string): Promise<void>
  /** Stops listening, and resolves once everything in flight is done. HTTP calls are refused from then on. */
  drain(): Promise<void>
  /** Drains, runs the app's terminate hooks and lets go of everything. */
  close(): Promise<void>
}

/** The platform's lease of ten minutes; see docs/local/host.md for why the local stack takes a shorter one. */
const PLATFORM_LEASE_SECONDS = 600
const PLATFORM_BODY_BYTES = 104_857_600
const TERMINATE_MS = 5_000

/** Runs a Functions app in this process as the platform would: its real registrations, dispatched by the real library. */
export async function startHost(options: HostOptions): Promise<Host> {
  const clock = options.clock ?? createHostClock()
  const settings = options.settings
  const config = readHostConfig(options.hostJson, settings)
  const log = createHostLog(options.log ?? (() => undefined), config.logLevels, clock.now)
  for (const warning of config.warnings) log('warning', 'Host.Startup', warning)
  const hostStorage = settings['AzureWebJobsStorage']
  if (hostStorage === undefined) throw new HostError('setting AzureWebJobsStorage is missing; it must be a storage connection string')

  const restoreEnvironment = applyEnvironment(settings)
  const registry = createRegistry()
  registry.log = (level, category, message) => {
    const line = runLogHooks(registry.hooks.log, { level, message, category, invocationContext: undefined })
    log(line.level, category === 'user' ? 'Worker.User' : 'Worker', line.message)
  }
  const appHookData = {}
  try {
    await loadApp(options.appFile, registry, appHookData)
  } catch (error) {
    restoreEnvironment()
    throw error
  }

  const functions = readFunctions(registry, settings)
  const schedules = readSchedules(functions)
  const keys = completeKeys(
    options.keys ?? {},
    functions.map((target) => target.name),
  )
  const invoker = createInvoker({
    registry,
    appHookData,
    log,
    clock,
    timeoutMs: config.functionTimeoutMs,
    onTimeout: options.onTimeout ?? (() => undefined),
  })
  const queueOf = createTriggerQueues()
  let written: (queueName: string) => void = () => undefined
  const run = async (
    target: HostFunction,
    data: TypedData,
    metadata: { readonly [name: string]: TypedData } = {},
  ): Promise<InvocationResponse> =>
    runWithRetry(target, clock, async (retryContext) => {
      const response = await invoker.invoke(target, { data, metadata, retryContext })
      await applyQueueOutputs(target, response, {
        queueOf,
        encoding: config.queues.messageEncoding,
        written: (queueName) => written(queueName),
      })
      return response
    })

  const hostId = options.hostId ?? 'local'
  const startedAt = clock.now()
  let draining: Promise<void> | undefined
  const drain = () => (draining ??= drainAll())
  const routes = createHttpRoutes(functions, config.routePrefix)
  const admin = {
    hostId,
    functions,
    keys,
    startedAt,
    now: clock.now,
    state: () => (draining === undefined ? ('Running' as const) : ('Draining' as const)),
    inFlight: invoker.inFlight,
    drain: () => void drain(),
    runNow: (target: HostFunction, input: string) => void run(target, manualData(target, input)).catch(() => undefined), // logged by the invoker
  }
  const answer = async (request: HttpRequest): Promise<HttpAnswer> => {
    const path = request.url.pathname.toLowerCase()
    if (path.startsWith('/admin/')) return answerAdmin(request, admin)
    if (draining !== undefined) return { status: 503, headers: { 'retry-after': '1' } }
    if (path === EVENT_GRID_PATH) return answerEventGrid(request, { functions, keys, run })
    return answerFunction(request, { routes, keys, log, run })
  }
  const front = await startHttpFront({ port: options.port ?? 0, maxBodyBytes: options.maxBodyBytes ?? PLATFORM_BODY_BYTES, log, answer })
  const listeners = startListeners({
    functions,
    schedules,
    config,
    clock,
    log,
    run,
    queueOf,
    timerStore: createTimerStore(hostStorage, hostId),
    leaseSeconds: options.messageLeaseSeconds ?? PLATFORM_LEASE_SECONDS,
  })
  written = listeners.written
  log(
    'information',
    'Host.Startup',
    `host ${hostId} runs ${functions.length} functions: ${functions.map((target) => target.name).join(', ')}`,
  )

  async function drainAll(): Promise<void> {
    log('information', 'Host.Shutdown', `draining: ${invoker.inFlight()} invocations in flight`)
    await Promise.all([listeners.stop(), invoker.idle()])
  }
  return {
    url: front.url,
    functions: functions.map((target) => target.name),
    keys,
    invokeTimer: async (name) => {
      const target = functions.find((candidate) => candidate.name === name && candidate.trigger.kind === 'timer')
      if (target === undefined) throw new HostError(`there is no timer ${name}`)
      await run(target, timerData(undefined, false))
    },
    drain,
    close: async () => {
      await drain()
      const over = new AbortController()
      const hooks = (async () => {
        for (const hook of registry.hooks.appTerminate) await hook({ hookData: {}, appHookData })
      })().catch((error: unknown) => log('error', 'Host.Shutdown', `a terminate hook failed: ${messageOf(error)}`))
      await Promise.race([hooks, clock.sleep(TERMINATE_MS, over.signal)])
      over.abort()
      await front.close()
      restoreEnvironment()
    },
  }
}

function manualData(target: HostFunction, input: string): TypedData {
  if (target.trigger.kind === 'timer') return timerData(undefined, false)
  return target.trigger.kind === 'eventGrid' ? { json: input } : { string: input }
}

/** The app reads its settings from the environment of the process. */
function applyEnvironment(settings: Settings): () => void {
  const before = Object.keys(settings).map((name) => [name, process.env[name]] as const)
  Object.assign(process.env, settings)
  return () => {
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name]
      else process.env[name] = value
    }
  }
}
