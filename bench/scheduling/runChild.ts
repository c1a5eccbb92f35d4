import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { PartialRow } from './row.ts'
import type { Workload } from './workload.ts'

const CHILD = join(import.meta.dirname, 'measureChild.ts')

export type ChildOptions = {
  readonly runs: number
  /** Processor time for the configuration bound. 0 for no such bound. */
  readonly boundSeconds: number
  /** The process is killed after this time. What it printed until then counts. */
  readonly limitSeconds: number
}

/** Runs one workload in a process of its own, so that its memory and compiled code are its own as well. */
export async function runChild({ name }: Workload, { runs, boundSeconds, limitSeconds }: ChildOptions): Promise<PartialRow> {
  const child = spawn(process.execPath, ['--expose-gc', CHILD, name, String(runs), String(boundSeconds)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = new Promise<string>((resolve) => child.once('exit', (code, signal) => resolve(String(signal ?? code))))
  const limit = setTimeout(() => child.kill('SIGKILL'), limitSeconds * 1000)
  let row: PartialRow = { name }
  for await (const line of createInterface({ input: child.stdout })) row = { ...row, ...(JSON.parse(line) as Partial<PartialRow>) }
  const end = await ended
  clearTimeout(limit)
  if (end === '0') return row
  return {
    ...row,
    note: end === 'SIGKILL' ? `ended after ${limitSeconds} s; columns without a figure were not reached` : `ended with ${end}`,
  }
}
