import { readdirSync, readFileSync } from 'node:fs'
import { cpuMsOf } from './shimProcess.ts'

/** Processor time of each process in milliseconds, by process id. */
export type ProcessTimes = ReadonlyMap<number, { readonly name: string; readonly ms: number }>

/** Returns the times of this process and its children. `names` holds names for processes; others have the name of their program. */
export function processTimes(names: ReadonlyMap<number | undefined, string>): ProcessTimes {
  const pids = readdirSync('/proc')
    .map(Number)
    .filter((pid) => Number.isInteger(pid))
  return new Map(
    pids.flatMap((pid) => {
      const stat = statOf(pid)
      if (stat === undefined || (pid !== process.pid && stat.parent !== process.pid)) return []
      return [[pid, { name: names.get(pid) ?? stat.program, ms: cpuMsOf(pid) }] as const]
    }),
  )
}

/** Returns the processor time between two readings in seconds, by name. */
export function spentBetween(before: ProcessTimes, after: ProcessTimes): { readonly [name: string]: number } {
  const spent = [...after].map(([pid, { name, ms }]) => [name, (ms - (before.get(pid)?.ms ?? 0)) / 1_000] as const)
  return Object.fromEntries(spent.filter(([, seconds]) => seconds > 0))
}

function statOf(pid: number): { readonly parent: number; readonly program: string } | undefined {
  try {
    const [head = '', tail = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')
    return { parent: Number(tail.split(' ')[1]), program: head.slice(head.indexOf('(') + 1) }
  } catch {
    return undefined
  }
}
