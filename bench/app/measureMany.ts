// Measures one process of the app that serves many clusters: measureMany.ts CHECKPOINT CLUSTERS gates|none [--json]
import { readFileSync } from 'node:fs'
import { limitHeapGrowth } from '../../functions/heap.ts'
import { printFigures } from '../figures.ts'
import { quantile } from '../quantiles.ts'
import { replicas } from '../scheduling/workloads/arrivals.ts'
import { loadApp } from './loadedApp.ts'
import { residentMebibytes, timed } from './timing.ts'

/** Number of pods that come to each cluster, one at a time, while pods come to all other clusters too. */
const ROUNDS = 5

const [, , file = '', clusters = '100', gates, form] = process.argv
limitHeapGrowth()
const stored = readFileSync(file)
const apps = Array.from({ length: Number(clusters) }, () => loadApp(stored))
const loads: number[] = []
for (const app of apps) loads.push(await timed(app.look))
const waits: number[] = []
for (let round = 0; round < ROUNDS; round++) {
  for (const app of apps) await app.post(replicas(1, round, `round-${round}`))
  // Each look waits for the looks before it, as in a process that takes one look at a time.
  const began = performance.now()
  for (const app of apps) {
    await app.look()
    waits.push(performance.now() - began)
  }
}
printFigures(
  [
    { what: `${clusters} clusters: first look at one, p99`, value: quantile(loads, 0.99), unit: 'ms', gate: 700, aim: 250 },
    { what: `${clusters} clusters: a pod comes to each at once, p50`, value: quantile(waits, 0.5), unit: 'ms', gate: 1_000, aim: 300 },
    {
      what: `${clusters} clusters: a pod comes to each at once, longest wait`,
      value: Math.max(...waits),
      unit: 'ms',
      gate: 3_000,
      aim: 1_000,
    },
    { what: `${clusters} clusters: memory with all loaded`, value: residentMebibytes(), unit: 'MiB', gate: 1_000, aim: 600 },
  ],
  form === '--json',
  gates === 'gates',
)
