import { loadavg } from 'node:os'
import { setTimeout as pause } from 'node:timers/promises'
import { until } from '../test/e2e/until.ts'
import { type BusyPlane, startBusyPlane } from '../test/watch/busyPlane.ts'
import { NAMESPACES } from '../test/watch/fleet.ts'
import { CLUSTER, type Intake, startIntake } from '../test/watch/intake.ts'
import { createLoad, type Load, type Written } from '../test/watch/load.ts'
import { differences, digestsOfApp, digestsOfCluster, holes } from '../test/watch/verify.ts'
import { quantile } from './quantiles.ts'
import { cpuMsOf, memoryOf, type ShimProcess, startShim } from './shimProcess.ts'
import { createDeliveryLog, type DeliveryLog } from './watchDeliveries.ts'

export type WatchSize = {
  readonly pods: number
  readonly nodes: number
  readonly rate: number
  readonly seconds: number
  /** One pod in this many gets a running status by a kubelet, which doubles its size. The others only have a node. */
  readonly runningEvery: number
}

const LIMIT_MS = 30 * 60_000
const PATIENCE_MS = 5 * 60_000

type Setting = {
  readonly busy: BusyPlane
  readonly load: Load
  readonly intake: Intake
  readonly deliveries: DeliveryLog
  readonly signal: AbortSignal
  readonly start: () => ShimProcess
}

/** Loads a real API server, lets the shim watch it through all faults of a watch, and measures. */
export async function runWatch(size: WatchSize, say: (line: string) => void) {
  const signal = AbortSignal.timeout(LIMIT_MS)
  const deliveries = createDeliveryLog()
  const busy = await startBusyPlane(NAMESPACES, signal)
  const intake = await startIntake(deliveries.note)
  try {
    const load = createLoad(busy.client, { ...size, seed: 1 }, signal)
    const env = await shimEnv(busy, intake)
    const start = () => startShim({ program: 'dist/shim/main.mjs', env })
    const setting = { busy, load, intake, deliveries, signal, start }
    const loadMs = await timed(load.fill)
    say(`${size.pods} pods and ${size.nodes} nodes are there after ${seconds(loadMs)} s`)
    return { ...size, loadAverage: loadavg().map(round), loadSeconds: seconds(loadMs), ...(await measure(setting, size, say)) }
  } finally {
    await intake.close()
    await busy.close()
  }
}

async function measure(setting: Setting, size: WatchSize, say: (line: string) => void) {
  const before = Date.now()
  let shim = setting.start()
  const first = await snapshotAfter(setting, shim, 0)
  const startUp = { snapshotMs: first.at - before, cpuMs: cpuMsOf(shim.pid), bytesPerObject: round(first.bytes / first.objects) }
  say(`the first snapshot was taken after ${startUp.snapshotMs} ms`)
  const steady = await steadyChanges(setting, shim, size)
  say(JSON.stringify({ startUp, steady }))
  await sameAsAFreshList(setting, shim)
  say(`after ${size.seconds} s of changes the app's state equals a fresh list`)

  const restart = await awayWith(setting, shim, () => setting.load.change({ changes: size.rate * 4, withinMs: 10_000 }))
  say("after an API server killed during changes the app's state equals a fresh list")
  const gone = await awayWith(setting, shim, async () => {
    // Only nodes change. The watch of pods stays at its version while the store is compacted.
    await setting.load.relabelNodes(50)
    await setting.busy.compact()
  })
  say("after a compaction the app's state equals a fresh list")
  const memory = memoryOf(shim.pid)

  const termBefore = setting.deliveries.snapshots().at(-1)?.term ?? 0
  await shim.kill()
  const killedAt = Date.now()
  shim = setting.start()
  const again = await snapshotAfter(setting, shim, termBefore)
  await sameAsAFreshList(setting, shim)
  say("after a killed shim the app's state equals a fresh list")
  await shim.stop()
  return { startUp, steady, memory, restart, gone, shimRestartMs: again.at - killedAt }
}

async function steadyChanges({ load, deliveries }: Setting, shim: ShimProcess, { rate, seconds: duration }: WatchSize) {
  const written: Written[] = []
  deliveries.takeCounts()
  const [cpu, own] = [cpuMsOf(shim.pid), process.cpuUsage()]
  const pace = { changes: rate * duration, perSecond: rate, withinMs: duration * 1000 }
  const start = performance.now()
  const made = await load.change({ ...pace, onWritten: (one) => written.push(one) })
  const elapsedMs = performance.now() - start
  const unseen = () => written.filter((one) => deliveries.of(one) === undefined)
  // a round that was overwritten before it was sent is never seen
  const overwritten = Math.max(3, written.length / 100)
  await until(() => (unseen().length <= overwritten ? undefined : `${unseen().length} changes`), PATIENCE_MS)
  const counts = deliveries.takeCounts()
  const { user, system } = process.cpuUsage(own)
  const cpuMs = cpuMsOf(shim.pid) - cpu
  const delays = (from: (one: Written, seenAt: number) => number) =>
    quantiles(
      written.flatMap((one) =>
        [deliveries.of(one)].flatMap((delivery) => (delivery ? [delivery.takenAt - from(one, delivery.seenAt)] : [])),
      ),
    )
  return {
    changesPerSecond: round((made * 1000) / elapsedMs),
    followed: written.length - unseen().length,
    changesPosted: counts.changes,
    bytesPerChange: round(counts.bytes / counts.changes),
    changesPerPost: round(counts.changes / counts.posts),
    cpuSeconds: seconds(cpuMs),
    cpuMsPerChange: Math.round((cpuMs / counts.changes) * 1000) / 1000,
    benchCpuSeconds: seconds((user + system) / 1000),
    seenToApp: delays((_, seenAt) => seenAt),
    answeredToApp: delays((one) => one.answeredAt),
    sentToApp: delays((one) => one.sentAt),
    memory: memoryOf(shim.pid),
  }
}

/**
 * Kills the API server a second into `meanwhile`, or at its end, and starts it again. Returns how long it takes until the app gets a change that is
 * made then.
 */
async function awayWith(setting: Setting, shim: ShimProcess, meanwhile: () => Promise<unknown>) {
  const { busy, load, deliveries } = setting
  const lines = shim.lines().length
  const changing = meanwhile()
  await Promise.race([changing, pause(1_000)])
  const awayMs = await timed(busy.plane.restartApiServer)
  const readyAt = Date.now()
  const chosen = load.choose(1)
  await load.touch(chosen)
  await until(() => (chosen.every(({ key }) => deliveries.latest(key) >= readyAt) ? undefined : 'the change is not known'), PATIENCE_MS)
  const heardMs = Date.now() - readyAt
  await changing
  await sameAsAFreshList(setting, shim)
  const said = shim.lines().slice(lines)
  return {
    awayMs: Math.round(awayMs),
    heardMs,
    gone: said.filter((line) => line.includes('fell too far behind')).map((line) => (JSON.parse(line) as { kind: string }).kind),
    newTerm: said.some((line) => line.includes('"leading"')),
  }
}

async function sameAsAFreshList({ busy, intake, signal }: Setting, shim: ShimProcess): Promise<void> {
  const cluster = await digestsOfCluster(busy.client, signal)
  const compared = async () => {
    const state = await intake.state()
    return differences(cluster, digestsOfApp(state)) ?? holes(state)
  }
  await Promise.race([until(compared, PATIENCE_MS), shim.failed])
}

async function snapshotAfter({ deliveries }: Setting, shim: ShimProcess, term: number) {
  const found = () => deliveries.snapshots().find((snapshot) => snapshot.term > term)
  await Promise.race([until(() => (found() ? undefined : 'no snapshot'), PATIENCE_MS), shim.failed])
  return found() ?? { term: 0, at: 0, objects: 0, bytes: 0 }
}

/** Returns the environment of a pod: a service account's token and the cluster's CA. */
async function shimEnv({ plane, shimAccount }: BusyPlane, intake: Intake): Promise<{ readonly [name: string]: string }> {
  const { hostname, port } = new URL(plane.url)
  return {
    JOINER_CLUSTER: CLUSTER,
    JOINER_ENDPOINT: intake.url,
    POD_NAME: 'bench',
    KUBERNETES_SERVICE_HOST: hostname,
    KUBERNETES_SERVICE_PORT: port,
    SERVICE_ACCOUNT_DIR: await shimAccount(),
  }
}

function quantiles(delays: readonly number[]) {
  return { p50: quantile(delays, 0.5), p99: quantile(delays, 0.99), max: quantile(delays, 1) }
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now()
  await work()
  return performance.now() - start
}

function seconds(ms: number): number {
  return round(ms / 1000)
}

function round(value: number): number {
  return Math.round(value * 10) / 10
}
