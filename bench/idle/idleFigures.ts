// What an hour of the app costs, in virtual time.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { pricedLines, totalOf } from '../../cli/cost/lines.ts'
import { IDLE, SMALL } from '../../cli/cost/scenarios.ts'
import { usageOf } from '../../cli/cost/usage.ts'
import type { Figure } from '../figures.ts'
import { sumOf } from './counts.ts'
import { busyHour, type Calm, firstEvent, type Hour, idleHour, totals } from './hours.ts'

const WHAT: { readonly [Each in Calm | 'busy']: string } = {
  empty: 'idle hour, no machines',
  machines: 'idle hour, with machines',
  refused: 'idle hour, a pod fits nowhere',
  busy: 'an hour, a Deployment a minute',
}
const HOURS_A_MONTH = 730
/** The batch window, which waits for more pods on purpose. It does not count. */
const WINDOW_MS = 1_000

export async function idleFigures(names: readonly (Calm | 'busy')[]): Promise<readonly Figure[]> {
  const { at, stop } = await startStorageProcess()
  const figures: Figure[] = []
  for (const name of names) {
    const hour = name === 'busy' ? await busyHour(at) : await idleHour(at, name)
    figures.push(...figuresOf(name, hour))
    console.log(`${WHAT[name]}: ${hour.looks} decisions\n  ${inWords(hour.executions)}\n  ${inWords(hour.storage)}`)
  }
  const waited = await firstEvent(at)
  stop()
  return [...figures, { what: 'the first pod after an idle hour waits', value: waited - WINDOW_MS, unit: 'ms', gate: 400, aim: 200 }]
}

/** Azurite runs in a child process. Its processor time does not count for the app. */
export async function startStorageProcess(): Promise<{ readonly at: string; readonly stop: () => void }> {
  const storage = fork(join(import.meta.dirname, 'storageProcess.ts'), { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
  const [said]: unknown[] = await once(storage, 'message')
  return { at: String(said), stop: () => storage.disconnect() }
}

function figuresOf(name: Calm | 'busy', hour: Hour): readonly Figure[] {
  const { executions, storageCalls, cpuSeconds } = totals(hour)
  const of = (what: string): string => `${WHAT[name]}: ${what}`
  const bounded = (figure: Figure): Figure => (name === 'busy' ? { what: figure.what, value: figure.value, unit: figure.unit } : figure)
  const figures = [
    bounded({ what: of('executions'), value: executions, unit: '', gate: 150, aim: 60 }),
    bounded({ what: of('storage calls'), value: storageCalls, unit: '', gate: 3_000, aim: 800 }),
    bounded({ what: of('processor'), value: cpuSeconds, unit: 's', gate: 20, aim: 3 }),
  ]
  if (name !== 'empty') return figures
  return [...figures, { what: 'idle month, small, with a shim', value: monthOf(hour), unit: '$', gate: 5, aim: 3 }]
}

/** Returns the price of a month of such hours, at list prices. What the hour does not measure is that of `npm run cost`. */
function monthOf({ executions, storage, billedSeconds }: Hour): number {
  const calls = (kind: RegExp): number => sumOf(new Map([...storage].filter(([what]) => kind.test(what))))
  const measured = new Map([
    ['work', (billedSeconds * SMALL.instanceMemoryMB) / 1_024],
    ['executions', sumOf(executions)],
    // Requests about leases have the price of reads (learn.microsoft.com, map-rest-apis-transaction-categories), and deletions are free.
    ['reads', calls(/read|lease|lock/)],
    ['writes and lists', calls(/^(write(?! lease)|list|host: write)/)],
    ['messages', calls(/^(send|hide|remove from)/)],
  ])
  const uses = usageOf(SMALL, IDLE).map((use) => ({
    ...use,
    quantity: (measured.get(use.what) ?? use.quantity / HOURS_A_MONTH) * HOURS_A_MONTH,
  }))
  return totalOf(pricedLines(uses))
}

export function inWords(counted: ReadonlyMap<string, number>): string {
  const sorted = [...counted].sort(([, first], [, second]) => second - first)
  return sorted.map(([what, count]) => `${what} ${count}`).join(', ')
}
