// Measures the planner alone, against the bounds of its task and against its goals. Prints tables and one line of JSON for each workload.
// npm run bench:scheduling -- [--only kb-diverse-1k,inc-1] [--runs 7] [--quick] [--bound-seconds 60] [--limit 900] [--seeds 20] [--json FILE] [--list]
import { writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { parseArgs } from 'node:util'
import { benchBatches } from './batches.ts'
import { printGoals, printRows } from './report.ts'
import type { PartialRow } from './row.ts'
import { runChild } from './runChild.ts'
import { missingFile, WORKLOADS } from './workloads.ts'

const { values } = parseArgs({
  options: {
    /** Names of workloads, or beginnings of names. */
    only: { type: 'string' },
    runs: { type: 'string' },
    quick: { type: 'boolean', default: false },
    'bound-seconds': { type: 'string' },
    limit: { type: 'string', default: '900' },
    json: { type: 'string' },
    /** Small batches of pods for each figure. */
    seeds: { type: 'string' },
    list: { type: 'boolean', default: false },
  },
})
const wanted = values.only?.split(',')
const chosen = WORKLOADS.filter(({ name, isQuick }) =>
  wanted ? wanted.some((each) => name === each || name.startsWith(`${each}-`)) : !values.quick || isQuick,
)
/** Small batches have a separate table. A row of this table sums up many decisions. */
const BATCHES = 'batches'
const hasBatches = wanted === undefined || wanted.includes(BATCHES)
const options = {
  runs: Number(values.runs ?? (values.quick ? 3 : 7)),
  boundSeconds: Number(values['bound-seconds'] ?? (values.quick ? 2 : 60)),
  limitSeconds: Number(values.limit),
}

if (values.list) console.log(`${BATCHES.padEnd(20)} batches of 3 to 20 diverse pods, against an exact optimum, first fit, and fewer sizes`)
if (values.list) for (const { name, about } of WORKLOADS) console.log(`${name.padEnd(20)} ${about}`)
else await bench()

async function bench(): Promise<void> {
  const rows: PartialRow[] = []
  for (const workload of chosen) {
    const missing = missingFile(workload)
    const row =
      missing === undefined ? await runChild(workload, options) : { name: workload.name, note: `skipped: ${missing} is not there` }
    rows.push(row)
    console.log(JSON.stringify(row))
  }
  printRows(rows)
  printGoals(rows)
  if (hasBatches) await benchBatches(Number(values.seeds ?? (values.quick ? 5 : 20)))
  const machine = { node: process.version, cpu: cpus()[0]?.model, cores: cpus().length }
  if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify({ bench: 'scheduling', machine, rows }, undefined, 2)}\n`)
}
