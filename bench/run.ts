// Measures what Joiner costs in time and memory on the embedded stack. Prints tables, then one line of JSON.
// npm run bench -- [--arrivals 200] [--speed 20] [--pods 20000] [--only bundles,demo,arrivals,shim]
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import Table from 'cli-table3'
import * as z from 'zod'
import { parseAppLine } from '../local/demo/appLine.ts'
import { createDemo } from '../local/demo/demo.ts'
import { noteStages } from '../local/demo/noteStages.ts'
import { runOnce } from '../local/demo/runOnce.ts'
import { createStageTimes } from '../local/demo/stageTimes.ts'
import { watchCluster } from '../local/demo/watchCluster.ts'
import { applyManifests } from '../local/stack/applyManifests.ts'
import { buildBundles } from '../local/stack/buildBundles.ts'
import { poolReady } from '../local/stack/poolReady.ts'
import { type Stack, startStack } from '../local/stack/startStack.ts'
import { measureArrivals } from './arrivals.ts'
import { measureBundles } from './bundles.ts'
import type { Spread } from './quantiles.ts'
import { claimRows, createMeasureBook, type StageRow } from './stages.ts'

const ROOT = join(import.meta.dirname, '..')
const EXAMPLES = join(ROOT, 'examples', 'quickstart')
const MEBIBYTE = 1024 * 1024
const SEED = 20_261_121

const { values } = parseArgs({
  options: {
    arrivals: { type: 'string', default: '200' },
    speed: { type: 'string', default: '20' },
    pods: { type: 'string', default: '20000' },
    only: { type: 'string', default: 'bundles,demo,arrivals,shim' },
  },
})
const ShimReport = z.object({
  results: z.array(
    z.looseObject({ pods: z.number(), peakMebibytes: z.number(), cpuPercent: z.number(), p50Ms: z.number(), p99Ms: z.number() }),
  ),
})
const wanted = new Set(values.only.split(','))
const times = createStageTimes()
const book = createMeasureBook()
const result: Record<string, unknown> = {}

await buildBundles(ROOT)
if (wanted.has('bundles')) result['bundles'] = await benchBundles()
if (wanted.has('demo') || wanted.has('arrivals')) await withStack(benchStack)
if (wanted.has('shim')) result['shim'] = benchShim()
console.log(JSON.stringify(result))
process.exit()

async function benchBundles(): Promise<unknown> {
  const sample = JSON.parse(readFileSync(join(ROOT, 'local.settings.sample.json'), 'utf8'))
  const figures = await measureBundles(ROOT, sample.Values)
  console.log('\nbundles and start')
  const table = new Table({ head: ['what', 'figure', 'aim'], style: { head: [], border: [] } })
  table.push(
    ['function app bundle', `${(figures.functionsBytes / MEBIBYTE).toFixed(2)} MiB`, '5 MB'],
    ['shim bundle', `${(figures.shimBytes / MEBIBYTE).toFixed(2)} MiB`, ''],
    [
      'function app: load to all triggers registered',
      `p50 ${figures.startMs.p50} ms (${figures.startMs.min} - ${figures.startMs.max})`,
      '150 ms',
    ],
  )
  console.log(table.toString())
  return figures
}

async function benchStack(stack: Stack): Promise<void> {
  await applyManifests(stack.client, join(EXAMPLES, 'nodepool.yaml'), AbortSignal.timeout(30_000))
  await poolReady(stack.client, AbortSignal.timeout(30_000))
  if (wanted.has('demo')) {
    await applyManifests(stack.client, join(EXAMPLES, 'inflate.yaml'), AbortSignal.timeout(30_000))
    const demo = createDemo({ print: () => undefined, now: Date.now })
    const view = watchCluster(stack.client, demo, times)
    const failure = await runOnce(stack, view, times, console.log)
    view.close()
    if (failure !== undefined) throw new Error(`the demo failed ${failure}`)
    const rows = [...book.rows(), ...claimRows(times)]
    console.log(`\nstages of the demo, machines ${values.speed} times as fast as in Azure`)
    printRows(rows)
    result['demo'] = rows
  }
  book.clear()
  if (wanted.has('arrivals')) {
    const count = Number(values.arrivals)
    console.log(`\n${count} single pods at random moments, each with a machine of its own`)
    const toArm = await measureArrivals(stack, count, SEED)
    const rows = [...book.rows(), { stage: 'pod created -> first ARM call', ms: toArm }]
    printRows(rows)
    result['arrivals'] = rows
  }
}

async function withStack(work: (stack: Stack) => Promise<void>): Promise<void> {
  const base = join(ROOT, '.local')
  mkdirSync(base, { recursive: true })
  const stack = await startStack({
    speed: Number(values.speed),
    directory: mkdtempSync(join(base, 'bench-')),
    kubernetesPort: 0,
    functionsPort: 0,
    onAppLine: (text) => {
      const line = parseAppLine(text)
      if (line === undefined) return
      book.note(line)
      noteStages(line, times)
    },
    onShimLine: () => undefined,
  })
  try {
    await work(stack)
  } finally {
    await stack.close()
  }
}

function benchShim(): unknown {
  console.log('\nshim')
  const run = spawnSync(process.execPath, ['bench/shimMemory.ts', '--pods', values.pods, '--json'], { cwd: ROOT, encoding: 'utf8' })
  if (run.status !== 0) process.exitCode = 1
  const report = ShimReport.safeParse(tryJson(run.stdout))
  if (!report.success) {
    console.log(run.stdout + run.stderr)
    return { exitCode: run.status }
  }
  const table = new Table({
    head: ['pods', 'peak RSS MiB (gate 128 at 20000)', 'CPU %', 'change to app p50', 'p99 (ms)'],
    style: { head: [], border: [] },
  })
  for (const { pods, peakMebibytes, cpuPercent, p50Ms, p99Ms } of report.data.results) {
    table.push([pods, peakMebibytes, cpuPercent, p50Ms, p99Ms].map(String))
  }
  console.log(table.toString())
  return report.data.results
}

function tryJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function printRows(rows: readonly StageRow[]): void {
  const table = new Table({ head: ['stage', 'n', 'min', 'p50', 'p99', 'max (ms)'], style: { head: [], border: [] } })
  for (const { stage, ms } of rows) table.push([stage, ...cells(ms)])
  console.log(table.toString())
}

function cells({ count, min, p50, p99, max }: Spread): readonly string[] {
  return [count, min, p50, p99, max].map(String)
}
