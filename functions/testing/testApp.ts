import { HttpRequest, type HttpResponseInit, InvocationContext } from '@azure/functions'
import { createMemoryWorld, type MemoryWorld } from '../../shared/adapters/memory/memoryWorld.ts'
import { createVirtualClock, type VirtualClock } from '../../shared/adapters/memory/virtualClock.ts'
import { err, ok } from '../../shared/base/result.ts'
import { defined } from '../../shared/base/values.ts'
import type { ClusterQueueOptions } from '../../shared/flows/queue/clusterQueue.ts'
import { clusterId } from '../../shared/model/ids.ts'
import type { InstanceType } from '../../shared/model/instanceType.ts'
import { problem } from '../../shared/model/problem.ts'
import { durationMs, epochMs } from '../../shared/model/units.ts'
import type { CallerIdentity } from '../../shared/ports/callerIdentity.ts'
import type { Telemetry } from '../../shared/ports/telemetry.ts'
import { catalog } from '../../test/builders/catalog.ts'
import { settings } from '../../test/builders/snapshot.ts'
import type { ClusterGate, EventDelivery } from '../appDeps.ts'
import { type ClusterWork, createClusterRuntime, createClusterWork } from '../clusterRuntime.ts'
import { type Cover, createCover } from '../cover.ts'
import type { FunctionApp } from '../functionApp.ts'
import { registerFunctions } from '../registerFunctions.ts'
import { DEFAULT_SCHEDULES, schedulesOf } from '../scheduleSettings.ts'

export const NOW = epochMs(1_800_000_000_000)
/** Two clusters of one app. `shim-a` may post for `alpha` only, and `reader-a` may read `alpha` only. */
export const CLUSTERS = ['alpha', 'beta'] as const
export type ClusterName = (typeof CLUSTERS)[number]

export type TestApp = {
  /** Names of the HTTP functions for one cluster. */
  readonly clusterRoutes: readonly string[]
  /** The HTTP functions, by name. */
  readonly httpRoutes: ReadonlyMap<string, HttpRoute>
  /** The trigger of each function that is not HTTP, by name. */
  readonly triggers: ReadonlyMap<string, TriggerKind>
  /** Queues that a function reads. */
  readonly queues: ReadonlySet<string>
  readonly worlds: Readonly<Record<ClusterName, MemoryWorld>>
  /** The open invocations and the keys of each cluster in this process. */
  readonly covers: Readonly<Record<ClusterName, Cover>>
  /** Calls an HTTP function as the host does after it has checked the key. */
  request(name: string, call: HttpCall): Promise<HttpResponseInit>
  /** Runs a function that is not HTTP with the input of its trigger. */
  run(name: string, input: unknown, triggerMetadata?: { readonly dequeueCount: number }): Promise<unknown>
}

export type HttpRoute = { readonly methods: readonly string[]; readonly authLevel: string; readonly route: string }
export type TriggerKind = 'queue' | 'timer' | 'eventGrid'

export type HttpCall = {
  readonly cluster?: string
  /** Parameters of the route, without the cluster. */
  readonly params?: Readonly<Record<string, string>>
  readonly authorization?: string
  readonly body?: Uint8Array | string
  readonly headers?: Readonly<Record<string, string>>
  /** With its question mark. */
  readonly query?: string
}

type Handler = (input: never, context: InvocationContext) => unknown

export type TestAppOptions = {
  readonly eventDelivery?: EventDelivery
  readonly clock?: VirtualClock
  /** Replaces the telemetry that only records. */
  readonly telemetry?: Telemetry
  /** Another process of this app, over the same storage, clusters and clock. */
  readonly beside?: TestApp
  /** The instance types of every NodeClass. */
  readonly instanceTypes?: readonly InstanceType[]
  /** Default: both. */
  readonly clusters?: readonly ClusterName[]
  /** The process runs its keys until this signal aborts. Undefined: they wait in its queue, and no invocation waits for them. */
  readonly runsUntil?: AbortSignal
  /** Called with what the process must do before it ends. */
  readonly handedOver?: (leaving: Promise<unknown>) => void
  /** The batch window. Default: no time. */
  readonly batch?: ClusterQueueOptions['batch']
}

/** The registered functions over memory, as Azure would call them, without a host. */
export function createTestApp(options: TestAppOptions = {}): TestApp {
  const clock = options.clock ?? options.beside?.worlds.alpha.clock ?? createVirtualClock(NOW)
  const names = options.clusters ?? CLUSTERS
  const worlds = options.beside?.worlds ?? { alpha: world('alpha'), beta: world('beta') }
  const handlers = new Map<string, Handler>()
  const clusterRoutes: string[] = []
  const httpRoutes = new Map<string, HttpRoute>()
  const triggers = new Map<string, TriggerKind>()
  const queues = new Set<string>()
  const { blobs } = worlds.alpha.ports
  const telemetry = options.telemetry ?? worlds.alpha.ports.telemetry
  const works = { alpha: workOf(worlds.alpha, options), beta: workOf(worlds.beta, options) }
  const clusters = new Map(names.map((name) => [clusterId(name), gateOf(worlds[name], works[name], options)]))
  registerFunctions(recordingApp({ handlers, clusterRoutes, httpRoutes, triggers, queues }), {
    clusters,
    rights: {
      post: { callers: CALLERS, listedIn: 'allowedShimIdentities' },
      read: { callers: CALLERS, listedIn: 'allowedReaderIdentities' },
    },
    documents: blobs,
    clock,
    telemetry,
    eventDelivery: options.eventDelivery ?? 'function',
    schedules: schedulesOf(DEFAULT_SCHEDULES),
    backlog: worlds.alpha.ports.backlog,
  })

  function world(name: ClusterName): MemoryWorld {
    return createMemoryWorld({ clock, cluster: clusterId(name), instanceTypes: options.instanceTypes ?? catalog() })
  }

  async function run(name: string, input: unknown, triggerMetadata?: { readonly dequeueCount: number }): Promise<unknown> {
    const handler = handlers.get(name)
    if (handler === undefined) throw new Error(`no function ${name}; there are ${[...handlers.keys()].join(', ')}`)
    return handler(input as never, new InvocationContext({ functionName: name, ...defined({ triggerMetadata }) }))
  }

  return {
    clusterRoutes,
    httpRoutes,
    triggers,
    queues,
    worlds,
    covers: { alpha: works.alpha.cover, beta: works.beta.cover },
    run,
    async request(name, { cluster, params, authorization, body, headers, query = '' }) {
      const request = new HttpRequest({
        method: body === undefined ? 'GET' : 'POST',
        url: `http://127.0.0.1/api/${name}${query}`,
        params: { ...params, ...(cluster === undefined ? {} : { cluster }) },
        headers: { ...(authorization === undefined ? {} : { authorization }), ...headers },
        ...(body === undefined ? {} : { body: typeof body === 'string' ? { string: body } : { bytes: body } }),
      })
      return (await run(name, request)) as HttpResponseInit
    },
  }
}

/** `Bearer <name>` has the identity `<name>`. `Bearer expired` has none. */
const CALLERS: CallerIdentity = {
  async verify(authorization) {
    const identity = authorization?.startsWith('Bearer ') ? authorization.slice('Bearer '.length) : undefined
    if (identity === undefined || identity === 'expired') return err(problem('INPUT.UNAUTHENTICATED', 'the call carries no valid token'))
    return ok({ identity })
  },
}

export const noticeTopicOf = (cluster: string): string =>
  `/subscriptions/s/resourcegroups/joiner/providers/microsoft.eventgrid/topics/notices-${cluster}`

function gateOf(world: MemoryWorld, work: ClusterWork, { telemetry = world.ports.telemetry }: TestAppOptions): ClusterGate {
  const shim = `shim-${world.cluster.charAt(0)}`
  const deps = { ...world.ports, telemetry, settings: settings() }
  const runtime = createClusterRuntime({ deps, work, instancePrefix: `/subscriptions/s/resourcegroups/mc_${world.cluster}/` })
  return {
    id: world.cluster,
    identities: { post: new Set([shim]), read: new Set([shim.replace('shim', 'reader')]) },
    noticeTopic: noticeTopicOf(world.cluster),
    facts: world.ports.facts,
    overrides: ['kubernetesVersion'],
    open: () => Promise.resolve(runtime),
  }
}

const AT_ONCE: ClusterQueueOptions['batch'] = { idle: durationMs(0), max: durationMs(0) }

function workOf(
  { ports, cluster }: MemoryWorld,
  { telemetry = ports.telemetry, batch = AT_ONCE, runsUntil: over, handedOver = () => undefined }: TestAppOptions,
): ClusterWork {
  const work = createClusterWork(cluster, { clock: ports.clock, batch })
  const budget = (): AbortSignal => new AbortController().signal
  if (over === undefined) return { ...work, cover: createCover(ports.clock, { ...work.cover.queue, nextDueAt: () => undefined }) }
  work.start({ telemetry, wakes: ports.wakes, budget, over, handedOver })
  return work
}

type Recorded = {
  readonly handlers: Map<string, Handler>
  readonly clusterRoutes: string[]
  readonly httpRoutes: Map<string, HttpRoute>
  readonly triggers: Map<string, TriggerKind>
  readonly queues: Set<string>
}

function recordingApp({ handlers, clusterRoutes, httpRoutes, triggers, queues }: Recorded): FunctionApp {
  const keep = (name: string, options: { readonly handler: unknown }): void => void handlers.set(name, options.handler as Handler)
  const http = (
    name: string,
    options: {
      readonly handler: unknown
      readonly methods?: readonly string[]
      readonly route?: string
      readonly authLevel?: string
    },
  ): void => {
    keep(name, options)
    const { methods = [], authLevel = 'anonymous', route = name } = options
    httpRoutes.set(name, { methods, authLevel, route })
    if (route.includes('{cluster}')) clusterRoutes.push(name)
  }
  const by =
    (trigger: TriggerKind) =>
    (name: string, options: { readonly handler: unknown; readonly queueName?: string }): void => {
      keep(name, options)
      triggers.set(name, trigger)
      if (options.queueName !== undefined) queues.add(options.queueName)
    }
  return { http, storageQueue: by('queue'), timer: by('timer'), eventGrid: by('eventGrid'), hook: {} } as unknown as FunctionApp
}
