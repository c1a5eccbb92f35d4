// What the life of a machine costs, in virtual time. npm run bench:lifecycle [-- --json] [--machines 300] [--quiet 500] [--pods 20]
import { parseArgs } from 'node:util'
import Table from 'cli-table3'
import { type Calls, oneLife, quietHour, scaledAway } from './lives.ts'

const { values } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    machines: { type: 'string', default: '300' },
    quiet: { type: 'string', default: '500' },
    pods: { type: 'string', default: '20' },
  },
})

type Figure = { readonly what: string; readonly value: number; readonly unit: string; readonly gate: number; readonly aim: number }

const [machines, quiet, podCount] = [values.machines, values.quiet, values.pods].map(countOf) as [number, number, number]
const FAILING = 0.1

const life = await oneLife(podCount)
const away = await scaledAway(machines, FAILING)
const hour = await quietHour(quiet)
const callsOf = (is: RegExp): number => [...life.calls].reduce((sum, [name, count]) => (is.test(name) ? sum + count : sum), 0)
const events = callsOf(/^api\.publish$/)
const figures: readonly Figure[] = [
  // Two Events in three are about a pod that is evicted: Karpenter says so of each pod, and so does Joiner.
  {
    what: `API server calls of one life, ${podCount} pods drained, without Events`,
    value: callsOf(/^api\./) - events,
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
]
const missed = figures.filter(({ value, gate }) => value > gate)
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
    `one life: drained and gone ${life.drainMs / 1_000} s after its end was asked for, beside the machine's own end; ${events} Events; ${inWords(life.calls)}`,
  )
  console.log(`scaled away: ${away.failures} pieces of work failed; ${inWords(away.calls)}`)
  console.log(`quiet hour: ${inWords(hour.calls)}`)
  for (const { what } of missed) console.log(`MISSED: ${what}`)
}

function inWords(calls: Calls): string {
  return [...calls]
    .sort(([, first], [, second]) => second - first)
    .map(([what, count]) => `${what} ${count}`)
    .join(', ')
}
