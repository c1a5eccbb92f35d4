// Measures what an hour of the app costs, in virtual time. npm run bench:idle [-- --json] [--only empty,machines,refused,busy,first]
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import Table from 'cli-table3'
import { busyHour, type Calm, firstEvent, type Hour, idleHour, totals } from './hours.ts'

const { values } = parseArgs({
  options: { json: { type: 'boolean', default: false }, only: { type: 'string', default: 'empty,machines,refused,busy,first' } },
})

/** Gates and aims for each kind of idle hour. */
const GOALS = {
  executions: { gate: 150, aim: 60 },
  storageCalls: { gate: 3_000, aim: 800 },
  cpuSeconds: { gate: 20, aim: 3 },
} as const

const WHAT: { readonly [Each in Calm | 'busy']: string } = {
  empty: 'idle, no machines',
  machines: 'idle, with machines',
  refused: 'idle, a pod fits nowhere',
  busy: 'a Deployment a minute',
}

// Azurite runs in a child process. Its processor time does not count for the app.
const storage = fork(join(import.meta.dirname, 'storageProcess.ts'), { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
const [said]: unknown[] = await once(storage, 'message')
const storageAt = String(said)
const hours = new Map<Calm | 'busy', Hour>()
let first: { readonly ms: number; readonly byQueueMs: number } | undefined
for (const name of values.only.split(',')) {
  if (name === 'first') first = { ms: await firstEvent(storageAt, true), byQueueMs: await firstEvent(storageAt, false) }
  else if (name === 'busy') hours.set(name, await busyHour(storageAt))
  else if (name === 'empty' || name === 'machines' || name === 'refused') hours.set(name, await idleHour(storageAt, name))
  else throw new Error(`there is no hour ${name}; hours are ${Object.keys(WHAT).join(', ')} and first`)
}
storage.disconnect()

/** The batch window, which waits for more pods on purpose. It does not count. */
const WINDOW_MS = 1_000
const FIRST = { gate: 400, aim: 200 }
const missed = [...hours].filter(([name, hour]) => name !== 'busy' && isMissed(hour)).map(([name]) => WHAT[name])
if (first !== undefined && first.ms - WINDOW_MS > FIRST.gate) missed.push('the first event')
if (values.json)
  console.log(
    JSON.stringify({ ...Object.fromEntries([...hours].map(([name, hour]) => [name, { ...totals(hour), looks: hour.looks }])), first }),
  )
else print()
process.exitCode = missed.length > 0 ? 1 : 0

function isMissed(hour: Hour): boolean {
  const figures = totals(hour)
  return (
    figures.executions > GOALS.executions.gate ||
    figures.storageCalls > GOALS.storageCalls.gate ||
    figures.cpuSeconds > GOALS.cpuSeconds.gate
  )
}

function print(): void {
  const { executions, storageCalls, cpuSeconds } = GOALS
  const of = ({ gate, aim }: { readonly gate: number; readonly aim: number }): string => `(${gate} / ${aim})`
  const head = [
    'an hour',
    `executions ${of(executions)}`,
    `storage calls ${of(storageCalls)}`,
    `processor s ${of(cpuSeconds)}`,
    'looks at the cluster',
  ]
  const table = new Table({ head, style: { head: [], border: [] } })
  for (const [name, hour] of hours) {
    const figures = totals(hour)
    table.push([WHAT[name], figures.executions, figures.storageCalls, figures.cpuSeconds.toFixed(1), hour.looks].map(String))
  }
  console.log(table.toString())
  for (const [name, { executions: runs, storage: calls }] of hours) console.log(`${WHAT[name]}: ${inWords(runs)}\n  ${inWords(calls)}`)
  if (first !== undefined) {
    const beyond = (ms: number): string => `${ms - WINDOW_MS} ms`
    console.log(
      `the first pod after an idle hour waits ${beyond(first.ms)} beyond the batch window (gate ${FIRST.gate}, aim ${FIRST.aim});`,
    )
    console.log(
      `  by the queue alone it would wait ${beyond(first.byQueueMs)}, and at worst as long as two looks at a queue are apart, twice`,
    )
  }
  if (missed.length > 0) console.log(`MISSED: ${missed.join('; ')}`)
}

function inWords(counted: ReadonlyMap<string, number>): string {
  return [...counted]
    .sort(([, first], [, second]) => second - first)
    .map(([what, count]) => `${what} ${count}`)
    .join(', ')
}
