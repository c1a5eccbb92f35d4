import { readdirSync, readFileSync } from 'node:fs'
import { cpuMsOf } from './shimProcess.ts'

/** Processor time of each process in milliseconds, by process id. */
export type ProcessTimes = ReadonlyMap<number, { readonly name: string; readonly ms: number }>

/** Returns the times of this process, its children, and the processes in `names`. Processes without a name there have the name of their program. */
export function processTimes(names: ReadonlyMap<number | undefined, string>): ProcessTimes {
  return new Map(
    allPids().flatMap((pid) => {
      const stat = statOf(pid)
      if (stat === undefined || (pid !== process.pid && stat.parent !== process.pid && !names.has(pid))) return []
      return [[pid, { name: names.get(pid) ?? stat.program, ms: cpuMsOf(pid) }] as const]
    }),
  )
}

/** The child of a process that runs this file. */
export function childRunning(file: string, parent: number | undefined): number | undefined {
  return allPids().find((pid) => statOf(pid)?.parent === parent && readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').includes(file))
}

/** Returns the processor time between two readings in seconds, by name. */
export function spentBetween(before: ProcessTimes, after: ProcessTimes): { readonly [name: string]: number } {
  const spent = [...after].map(([pid, { name, ms }]) => [name, (ms - (before.get(pid)?.ms ?? 0)) / 1_000] as const)
  return Object.fromEntries(spent.filter(([, seconds]) => seconds > 0))
}

function allPids(): readonly number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => Number.isInteger(pid))
}

function statOf(pid: number): { readonly parent: number; readonly program: string } | undefined {
  try {
    const [head = '', tail = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')
    return { parent: Number(tail.split(' ')[1]), program: head.slice(head.indexOf('(') + 1) }
  } catch {
    return undefined
  }
}
