// Measures what the life of a machine costs, in virtual time. npm run bench:lifecycle [-- --json] [--machines 1000] [--quiet 5000] [--pods 20]
import { parseArgs } from 'node:util'
import Table from 'cli-table3'
import { quantile } from '../quantiles.ts'
import { type Calls, oneLife, quietHour, scaledAway } from './lives.ts'
import { joinWithinAMinute, noticeSome } from './rushes.ts'
import { seriesOfCluster } from './series.ts'

const { values } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    machines: { type: 'string', default: '1000' },
    quiet: { type: 'string', default: '5000' },
    pods: { type: 'string', default: '20' },
  },
})

type Figure = { readonly what: string; readonly value: number; readonly unit: string; readonly gate: number; readonly aim: number }

const [machines, quiet, podCount] = [values.machines, values.quiet, values.pods].map(countOf) as [number, number, number]
const FAILING = 0.1
/** Size of the cluster whose metrics are counted. */
const [NODES, POOLS] = [500, 30]
/** The share of the machines that notices are played among, and the share of these that get one: 300 of 500 of 1,000. */
const [SPOT, NOTICED] = [0.5, 0.6]

const life = await oneLife(podCount)
const away = await scaledAway(machines, FAILING)
const hour = await quietHour(quiet)
const callsOf = (is: RegExp): number => [...life.calls].reduce((sum, [name, count]) => (is.test(name) ? sum + count : sum), 0)
const joined = await joinWithinAMinute(machines)
const spot = Math.ceil(machines * SPOT)
const noticed = await noticeSome(Math.ceil(spot * NOTICED), spot)
const series = await seriesOfCluster(NODES, POOLS)
const figures: readonly Figure[] = [
  { what: `${machines} nodes join in a minute: node seen to Registered, p50`, ...within(joined, 0.5), gate: 1, aim: 0.2 },
  { what: 'the same, p99', ...within(joined, 0.99), gate: 3, aim: 1 },
  {
    what: `${noticed.closedMs.length} of ${spot} nodes noticed in 5 s: node closed, pods asked, p99`,
    ...within(noticed.closedMs, 0.99),
    gate: 2,
    aim: 1,
  },
  { what: 'the same: replacement requested, p99', ...within(noticed.replacedMs, 0.99), gate: 5, aim: 3 },
  {
    what: `API server calls of one life, ${podCount} pods drained, with Events`,
    value: callsOf(/^api\./),
    unit: '',
    gate: 60,
    aim: 40,
  },
  {
    what: `${machines} machines scaled away, ${FAILING * 100}% of calls fail: left over`,
    value: away.leftovers,
    unit: '',
    gate: 0,
    aim: 0,
  },
  { what: "the same: time beyond the machines' own end", value: away.beyondMs / 1_000, unit: 's', gate: 180, aim: 60 },
  { what: `${quiet} quiet claims, an hour: status writes`, value: hour.statusWrites, unit: '', gate: 0, aim: 0 },
  { what: 'the same: API reads', value: hour.reads, unit: '', gate: 2_000, aim: 400 },
  { what: 'the same: processor time, simulation included', value: Math.round(hour.cpuSeconds * 10) / 10, unit: 's', gate: 60, aim: 10 },
  {
    what: `metric series of ${NODES} nodes in ${POOLS} NodePools that come, break, drift and go`,
    value: series.kept,
    unit: '',
    gate: 300,
    aim: 150,
  },
  { what: 'the same: values without a series', value: series.dropped, unit: '', gate: 0, aim: 0 },
]
function within(ms: readonly number[], share: number): Pick<Figure, 'value' | 'unit'> {
  return { value: quantile(ms, share) / 1_000, unit: 's' }
}

// A figure that could not be measured is missed as well.
const missed = figures.filter(({ value, gate }) => !(value <= gate))
if (values.json)
  console.log(
    JSON.stringify({
      figures,
      calls: { life: Object.fromEntries(life.calls), away: Object.fromEntries(away.calls), quiet: Object.fromEntries(hour.calls) },
    }),
  )
else print()
process.exitCode = missed.length > 0 ? 1 : 0

function countOf(text: string): number {
  const count = Number(text)
  if (!Number.isInteger(count) || count < 1)
    throw new Error(`${JSON.stringify(text)} is no number of machines or pods: give a whole number from 1`)
  return count
}

function print(): void {
  const table = new Table({ head: ['figure', 'value', 'gate', 'aim'], style: { head: [], border: [] } })
  for (const { what, value, unit, gate, aim } of figures) table.push([what, `${value} ${unit}`.trim(), String(gate), String(aim)])
  console.log(table.toString())
  console.log(
    `one life: drained and gone ${life.drainMs / 1_000} s after its end was asked for, beside the machine's own end; ${inWords(life.calls)}`,
  )
  console.log(`scaled away: ${away.failures} pieces of work failed; ${inWords(away.calls)}`)
  console.log(`quiet hour: ${inWords(hour.calls)}`)
  console.log(`metric series: ${series.wanted} without a limit; counts beyond it are added to the label other`)
  console.log('times are virtual, in steps of 250 ms: they show what waits for what, and no processor time')
  for (const { what } of missed) console.log(`MISSED: ${what}`)
}

function inWords(calls: Calls): string {
  return [...calls]
    .sort(([, first], [, second]) => second - first)
    .map(([what, count]) => `${what} ${count}`)
    .join(', ')
}
