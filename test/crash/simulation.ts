import { joinNodes } from '../../shared/adapters/memory/joinNodes.ts'
import { createMemoryShim } from '../../shared/adapters/memory/memoryShim.ts'
import {
  createMemoryWorld,
  type MemoryProcess,
  type MemoryWorld,
  type MemoryWorldOptions,
} from '../../shared/adapters/memory/memoryWorld.ts'
import { createVirtualClock, type VirtualClock } from '../../shared/adapters/memory/virtualClock.ts'
import { reconcile } from '../../shared/flows/decide/reconcile.ts'
import { type ClusterDeps, createLaunchLocks } from '../../shared/flows/deps/clusterDeps.ts'
import { createFirstTries } from '../../shared/flows/deps/firstTries.ts'
import { createFreshEnds } from '../../shared/flows/deps/freshEnds.ts'
import { offeringsFor, withQuotaInFlight, withRecentReads } from '../../shared/flows/deps/recentOfferings.ts'
import { createSeenClaims } from '../../shared/flows/lifecycle/observeKnown.ts'
import { reportFailing } from '../../shared/flows/lifecycle/reportRemoved.ts'
import { stepClaim } from '../../shared/flows/lifecycle/stepClaim.ts'
import { createRecentNodes, type RecentNodes } from '../../shared/flows/queue/claimRequests.ts'
import { type ClusterQueue, createClusterQueue } from '../../shared/flows/queue/clusterQueue.ts'
import { createWorker, type Ran, runWork, type Workers } from '../../shared/flows/queue/runWork.ts'
import { type ClusterReader, createClusterReader } from '../../shared/flows/state/catchUp.ts'
import { createClusterStateReader } from '../../shared/flows/state/clusterStateReader.ts'
import { compactLog, ingestEvents } from '../../shared/flows/state/ingestEvents.ts'
import { collectGarbage } from '../../shared/flows/sweep/collectGarbage.ts'
import { resync } from '../../shared/flows/sweep/resync.ts'
import { updateTags } from '../../shared/flows/sweep/updateTags.ts'
import type { DecisionSettings } from '../../shared/model/clusterSnapshot.ts'
import { clusterId } from '../../shared/model/ids.ts'
import type { LogRecord } from '../../shared/model/logRecord.ts'
import { durationMs, epochMs } from '../../shared/model/units.ts'
import type { ClaimRequest, DecideRequest } from '../../shared/model/work.ts'
import type { WorkQueue } from '../../shared/ports/workQueue.ts'
import { catalog } from '../builders/catalog.ts'
import { nodeClass } from '../builders/nodeClass.ts'
import { nodePool } from '../builders/nodePool.ts'
import { settings } from '../builders/snapshot.ts'
import { createNodeController } from './nodeController.ts'
import { createScheduler, type SchedulerOptions } from './scheduler.ts'

export const START = epochMs(1_800_000_000_000)
const TICK_MS = 250
/** A quarter of the default interval. */
const RESYNC_EVERY_MS = 15_000
const RESTART_MS = 1_000
/** How long posts and timers reach the same host. */
const TURN_MS = 10_000
/** The delay after which the shim repeats a failed post. */
const POST_AGAIN_MS = 1_000
/** The number of keys that a host runs in a quarter of a second. The bound keeps keys that add keys from stopping time. */
const MOST_RUNS = 40

/** One host: its process, its ports and the state that the process keeps. */
type Host = {
  process: MemoryProcess
  deps: ClusterDeps
  queue: ClusterQueue
  /** Runs one key. Undefined: the host runs its keys by itself. */
  run: ((work: Parameters<ReturnType<typeof createWorker>>[0]) => Promise<Ran>) | undefined
  asked: RecentNodes
  reader: ClusterReader
  deadSince?: number
}

/** The whole system in virtual time: flows over memory adapters, hosts that can be killed, a shim, kubelets and a scheduler. */
export interface Simulation {
  readonly world: MemoryWorld
  readonly clock: VirtualClock
  /** Lets time pass until the condition holds. Returns how long that took, or undefined if the limit was reached. */
  runUntil(holds: () => boolean, limitMs: number): Promise<number | undefined>
  /** The number of kills that hit a host so far. */
  kills(): number
  /** Sets what becomes of the keys that hosts add from now on. Default: each is added once. */
  deliverBy(choose: Deliver): void
  /** The failures on hosts that stayed alive, as the platform would log them. */
  readonly failures: readonly string[]
  /**
   * The configuration of the cluster changes. Each host builds what works on the cluster anew, as `createClusterGate` does. Nothing that a host has
   * loaded is left.
   */
  configure(change: Partial<DecisionSettings>): void
  /** Makes a living host do a piece of work, as a timer or a caller would. Returns false if the work failed. */
  perform(work: (deps: ClusterDeps) => Promise<unknown>): Promise<boolean>
}

/** Chooses what becomes of an added key, by its request. Undefined: a decision that only its time asks for. */
export type Deliver = (request?: DecideRequest | ClaimRequest) => Delivery

/** What becomes of an added key. A process never loses a key by itself: this stands for processes that die, and for late or doubled news. */
export type Delivery = 'once' | 'never' | 'twice' | { readonly laterMs: number }

export type SimulationOptions = Partial<Pick<MemoryWorldOptions, 'bootMs' | 'deleteMs' | 'podExitMs' | 'instanceTypes'>> & {
  readonly hosts?: number
  /** The step of the clock. Default: a quarter of a second. */
  readonly tickMs?: number
  /** Hosts run many keys at a time, as in production. Default: one after another. */
  readonly isConcurrent?: boolean
  readonly scheduler?: SchedulerOptions
  /** Default: a clock that begins at `START`. */
  readonly clock?: VirtualClock
  /** Which records of a post reach the app: once, twice, or held back until after later records. */
  readonly delivery?: (records: readonly LogRecord[]) => readonly LogRecord[]
  /** Wraps the ports of the flows on every host. */
  readonly between?: (deps: ClusterDeps, process: Pick<MemoryProcess, 'isAlive' | 'kill'>) => ClusterDeps
  readonly resyncEveryMs?: number
  /** The interval of the garbage collection timer. Default: no garbage collection. */
  readonly gcEveryMs?: number
  readonly settings?: DecisionSettings
  /** The users' controllers. Called in each tick, before the scheduler. */
  readonly workload?: () => void
  /** Called after each piece of work that did not kill the host. */
  readonly afterwards?: () => Promise<void>
  /** Calls from outside. Called in each tick. */
  readonly caller?: () => Promise<void>
}

export function createSimulation(options: SimulationOptions = {}): Simulation {
  const clock = options.clock ?? createVirtualClock(START)
  const cluster = clusterId('test')
  const {
    bootMs = 5_000,
    deleteMs = 3_000,
    instanceTypes = catalog(),
    resyncEveryMs = RESYNC_EVERY_MS,
    tickMs = TICK_MS,
    podExitMs = 0,
  } = options
  const world = createMemoryWorld({ clock, cluster, instanceTypes, bootMs, deleteMs, podExitMs, leaseMs: 15_000 })
  world.objects.put('nodeClass', nodeClass())
  world.objects.put('nodePool', nodePool({ disruption: { budgets: [{ nodes: '100%' }] } }))
  const shim = createMemoryShim(world, 1)
  const controlNodes = createNodeController(world)
  const schedule = createScheduler(world, options.scheduler)
  const unsent: LogRecord[] = [shim.snapshot()]
  let decides = options.settings ?? settings()
  const start = (process?: MemoryProcess): Host =>
    startHost(world, { ...options, settings: decides, adds: (request) => deliver(request) }, process)
  const hosts = Array.from({ length: options.hosts ?? 1 }, () => start())
  const failures: string[] = []
  let deliver: Deliver = () => 'once'
  let kills = 0
  let postAt: number = clock.now()
  let resyncAt = clock.now() + resyncEveryMs
  let gcAt = clock.now() + (options.gcEveryMs ?? Number.POSITIVE_INFINITY)

  /** Runs work on a host. A host that the work kills is restarted a second later. */
  async function on(host: Host, work: (host: Host) => Promise<unknown>): Promise<boolean> {
    try {
      await work(host)
      await options.afterwards?.()
      return true
    } catch (cause) {
      if (host.process.isAlive()) {
        if (!isExpected(cause)) throw cause
        failures.push(String(cause))
        await options.afterwards?.()
        return false
      }
      kills++
      host.deadSince = clock.now()
      return false
    }
  }

  async function tick(): Promise<void> {
    for (const [index, host] of hosts.entries()) {
      if (host.deadSince !== undefined && clock.now() - host.deadSince >= RESTART_MS) hosts[index] = start()
    }
    const living = hosts.filter((host) => host.deadSince === undefined)
    joinNodes(world)
    controlNodes()
    options.workload?.()
    schedule()
    await postChanges(inTurn(living))
    if (clock.now() >= resyncAt && living[0]) {
      resyncAt = clock.now() + resyncEveryMs
      const host = inTurn(living) ?? living[0]
      await on(host, ({ deps }) => resync(deps, NEVER))
      if (host.deadSince === undefined) await on(host, ({ deps }) => updateTags(deps, NEVER))
    }
    if (clock.now() >= gcAt && living[0]) {
      gcAt = clock.now() + (options.gcEveryMs ?? 0)
      await on(living[0], ({ deps }) => collectGarbage(deps, NEVER))
    }
    await options.caller?.()
    await Promise.all(living.map((host) => runKeys(host)))
    await clock.advance(tickMs)
  }

  async function postChanges(host: Host | undefined): Promise<void> {
    const changes = shim.changes()
    if (changes) unsent.push(changes)
    if (host === undefined || unsent.length === 0 || clock.now() < postAt) return
    const batch = options.delivery ? options.delivery(unsent) : [...unsent]
    let isSnapshotWanted = false
    for (const record of batch) {
      const posted = await on(host, async ({ deps, asked, reader }) => {
        const { sendSnapshot } = await ingestEvents({ ...deps, asked, reader }, cluster, { ...record, unreadable: [] }, NEVER)
        isSnapshotWanted ||= sendSnapshot !== undefined
      })
      if (!posted) {
        // The whole batch again, with the records that were held back.
        unsent.splice(0, unsent.length, ...batch)
        postAt = clock.now() + POST_AGAIN_MS
        return
      }
    }
    unsent.length = 0
    if (isSnapshotWanted) unsent.push(shim.snapshot())
  }

  /** Posts and timers reach one host for a while, as over one connection, and then the next one, so that each knows only a part of what happens. */
  function inTurn(living: readonly Host[]): Host | undefined {
    const turn = options.isConcurrent === true ? 0 : Math.floor(clock.now() / TURN_MS)
    return living[turn % Math.max(1, living.length)]
  }

  async function runKeys(host: Host): Promise<void> {
    const { run } = host
    if (run === undefined) return
    for (let runs = 0; runs < (MOST_RUNS * tickMs) / TICK_MS && host.process.isAlive(); runs++) {
      const work = host.queue.get()
      if (work === undefined) return
      await on(host, async () => {
        const ran = await run(work)
        if (!ran.ok) throw ran.error
      })
    }
  }

  return {
    world,
    clock,
    // Includes dead hosts that no work has found yet.
    kills: () => kills + hosts.filter(({ process, deadSince }) => deadSince === undefined && !process.isAlive()).length,
    failures,
    deliverBy(choose) {
      deliver = choose
    },
    configure(change) {
      decides = { ...decides, ...change }
      for (const [index, { process, deadSince }] of hosts.entries()) if (deadSince === undefined) hosts[index] = start(process)
    },
    async perform(work) {
      const host = hosts.find((each) => each.deadSince === undefined)
      return host !== undefined && (await on(host, ({ deps }) => work(deps)))
    },
    async runUntil(holds, limitMs) {
      const startedAt = clock.now()
      while (clock.now() - startedAt <= limitMs) {
        await tick()
        if (holds()) return clock.now() - startedAt
      }
      return undefined
    },
  }
}

const NEVER = new AbortController().signal

const NO_WINDOW = { idle: durationMs(0), max: durationMs(0) }

type HostOptions = SimulationOptions & { readonly settings: DecisionSettings; readonly adds: Deliver }

function startHost(world: MemoryWorld, options: HostOptions, process = world.start()): Host {
  const { between = (deps) => deps, isConcurrent = false, adds, settings: decides } = options
  const { clock, cluster, telemetry } = process.ports
  const queue = createClusterQueue({ clock, batch: NO_WINDOW })
  const wrapped = between({ ...process.ports, queue: delivered(queue, clock, adds), settings: decides }, process)
  const reader = createClusterReader(wrapped.log)
  const launchLocks = isConcurrent ? { launchLocks: createLaunchLocks(), freshEnds: createFreshEnds() } : {}
  const seen = createSeenClaims()
  const offerings = withQuotaInFlight(withRecentReads(offeringsFor(wrapped.cluster, wrapped.offerings)), wrapped.catalog)
  const readClusterState = createClusterStateReader(reader, wrapped.clock)
  const deps = { ...wrapped, ...launchLocks, firstTries: createFirstTries(), offerings, readClusterState, lastSeen: seen.get }
  const workers: Workers = {
    async decide(requests, signal) {
      try {
        await reconcile(deps, { reader }, requests, signal)
      } finally {
        queue.compact()
      }
    },
    compact: (signal) => compactLog(deps, reader, signal),
    step: (request, signal) => stepClaim(deps, request, signal, seen),
    failing: (failed, thrown) => reportFailing(deps, failed, thrown, NEVER),
  }
  const work = createWorker({ cluster, queue, telemetry, workers: () => workers, budget: () => NEVER })
  if (isConcurrent) void runWork({ queue, clock, work, isOpen: process.isAlive, mayBegin: () => new Promise(() => undefined) })
  return { process, deps, queue, reader, run: isConcurrent ? undefined : work, asked: createRecentNodes(deps.clock) }
}

function delivered(queue: WorkQueue, { now }: Pick<VirtualClock, 'now'>, adds: Deliver): WorkQueue {
  /** Calls the add as often as it is delivered, with the delay. */
  function deliver(how: Delivery, add: (laterMs: number) => void): void {
    if (how === 'never') return
    add(typeof how === 'object' ? how.laterMs : 0)
    if (how === 'twice') add(0)
  }
  return {
    ...queue,
    decide: (request) =>
      deliver(adds(request), (laterMs) => (laterMs > 0 ? queue.decideAt(epochMs(now() + laterMs)) : queue.decide(request))),
    decideAt: (at) => deliver(adds(), (laterMs) => queue.decideAt(epochMs(at + laterMs))),
    reconcile: (request, delayMs = 0) => deliver(adds(request), (laterMs) => queue.reconcile(request, delayMs + laterMs)),
  }
}

/** Reports whether a script made the call fail on a host that is still alive. The key is then tried again. */
function isExpected(cause: unknown): boolean {
  return cause instanceof Error && cause.name === 'Fault'
}
