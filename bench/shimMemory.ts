// Measures what the shim costs: memory, processor time, bytes and delay, against loopback servers with realistic pods.
// node bench/shimMemory.ts [--pods 20000,100000] [--seconds 10] [--rate 500] [--json]
import { parseArgs } from 'node:util'
import Table from 'cli-table3'
import { SHIM_IMAGE } from '../local/stack/shimImage.ts'
import { BUNDLES, bundle } from '../scripts/build.ts'
import { repositoryRoot } from '../scripts/floors.ts'
import { quantile } from './quantiles.ts'
import { realisticPod } from './shimPods.ts'
import { cpuMsOf, memoryOf, startShim } from './shimProcess.ts'
import { type AppServer, startAppServer, startPodServer } from './shimServers.ts'

/** The gate: resident memory with this many pods. */
const GATE = { pods: 20_000, mebibytes: 128 }

const { values } = parseArgs({
  options: {
    pods: { type: 'string', default: '1,20000,100000' },
    seconds: { type: 'string', default: '10' },
    rate: { type: 'string', default: '500' },
    'shim-flag': { type: 'string', multiple: true, default: [] },
    json: { type: 'boolean', default: false },
  },
})

type Measured = {
  readonly pods: number
  readonly snapshotMs: number
  readonly peakMebibytes: number
  readonly loadedMebibytes: number
  readonly anonymousMebibytes: number
  readonly cpuSnapshotMs: number
  readonly cpuPercent: number
  readonly snapshotBytesPerObject: number
  readonly bytesPerChange: number
  readonly p50Ms: number
  readonly p99Ms: number
}

async function measure(pods: number, seconds: number, rate: number): Promise<Measured> {
  const [cluster, app] = [await startPodServer(pods), await startAppServer()]
  const start = performance.now()
  const env = { JOINER_CLUSTER: 'bench', JOINER_ENDPOINT: app.url, POD_NAME: 'bench', KUBERNETES_API_SERVER: cluster.url }
  const shim = startShim({ program: 'dist/shim/main.mjs', env, flags: values['shim-flag'] })
  const snapshotAt = await until(() => app.snapshotAt(), shim.failed)
  const cpuSnapshot = cpuMsOf(shim.pid)
  const delays = await load(cluster.change, app, { pods, seconds, rate })
  const cpuLoad = cpuMsOf(shim.pid) - cpuSnapshot
  const memory = memoryOf(shim.pid)
  await shim.stop()
  cluster.close()
  app.close()
  return {
    pods,
    snapshotMs: Math.round(snapshotAt - start),
    peakMebibytes: memory.peak,
    loadedMebibytes: memory.resident,
    anonymousMebibytes: memory.anonymous,
    cpuSnapshotMs: cpuSnapshot,
    cpuPercent: round((cpuLoad / (seconds * 1000)) * 100),
    snapshotBytesPerObject: Math.round(app.bytes.snapshot / Math.max(1, app.counts.snapshot)),
    bytesPerChange: Math.round(app.bytes.changes / Math.max(1, app.counts.changes)),
    p50Ms: round(quantile(delays, 0.5)),
    p99Ms: round(quantile(delays, 0.99)),
  }
}

/** Changes pods at a steady rate. Returns how long each change took until it was posted. */
async function load(
  change: (index: number) => void,
  app: AppServer,
  options: { pods: number; seconds: number; rate: number },
): Promise<number[]> {
  const madeAt = new Map<string, number>()
  const rounds = new Map<number, number>()
  const start = performance.now()
  for (let made = 0; made < options.seconds * options.rate; ) {
    const due = Math.min(options.seconds * options.rate, Math.floor(((performance.now() - start) / 1000) * options.rate))
    for (; made < due; made++) {
      const index = (made * 7_919) % options.pods
      const roundNow = (rounds.get(index) ?? 0) + 1
      rounds.set(index, roundNow)
      madeAt.set(`${podKeyAt(index)} ${roundNow}`, performance.now())
      change(index)
    }
    await pause(5)
  }
  await until(() => app.seen.length >= madeAt.size || performance.now() - start > (options.seconds + 10) * 1000)
  return app.seen.flatMap(({ key, round: seenRound, at }) => {
    const made = madeAt.get(`${key} ${seenRound}`)
    return made === undefined ? [] : [at - made]
  })
}

function podKeyAt(index: number): string {
  const { metadata } = realisticPod(index) as { metadata: { namespace: string; name: string } }
  return `${metadata.namespace}/${metadata.name}`
}

async function until<Value>(condition: () => Value | undefined | false, failed?: Promise<never>): Promise<Value> {
  for (;;) {
    const value = condition()
    if (value !== undefined && value !== false) return value
    await (failed ? Promise.race([pause(10), failed]) : pause(10))
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}

function round(value: number): number {
  return Math.round(value * 10) / 10
}

const shimBundle = BUNDLES.find(({ entry }) => entry === 'shim/main.ts')
if (shimBundle) await bundle(repositoryRoot, shimBundle)
const results: Measured[] = []
for (const pods of values.pods.split(',').map(Number)) results.push(await measure(pods, Number(values.seconds), Number(values.rate)))

if (!values.json) {
  const table = new Table({ head: ['', ...results.map(({ pods }) => `${pods} pods`)] })
  const row = (name: string, key: keyof Measured) => table.push([name, ...results.map((result) => String(result[key]))])
  row('resident memory, peak, MiB', 'peakMebibytes')
  row('resident memory after the load, MiB', 'loadedMebibytes')
  row('of that not backed by a file, MiB', 'anonymousMebibytes')
  row('start to first snapshot taken, ms', 'snapshotMs')
  row('processor time until then, ms', 'cpuSnapshotMs')
  row(`processor at ${values.rate} changes/s, % of a core`, 'cpuPercent')
  row('gzip bytes an object in the snapshot', 'snapshotBytesPerObject')
  row('gzip bytes a change', 'bytesPerChange')
  row('change to app, p50, ms', 'p50Ms')
  row('change to app, p99, ms', 'p99Ms')
  console.log(table.toString())
}
console.log(JSON.stringify({ bench: 'shim', ...SHIM_IMAGE, results }))
const over = results.find(({ pods, peakMebibytes }) => pods <= GATE.pods && peakMebibytes > GATE.mebibytes)
if (over) console.error(`${over.peakMebibytes} MiB with ${over.pods} pods: the limit is ${GATE.mebibytes} MiB with ${GATE.pods}`)
process.exitCode = over ? 1 : 0
