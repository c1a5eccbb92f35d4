import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { writeReaderAccess } from '../local/stack/readerAccess.ts'
import type { Stack } from '../local/stack/startStack.ts'
import type { Figure } from './figures.ts'
import { quantile } from './quantiles.ts'

const MAIN = join(import.meta.dirname, '..', 'cli', 'main.ts')
const TIMES = 10

/** Measures what a person waits for `joiner explain` about a pod, the start of the command included. `directory`: the folder of the run. */
export async function explainFigure(stack: Stack, directory: string, pod: string): Promise<Figure> {
  await writeReaderAccess(stack, directory)
  const times: number[] = []
  for (let time = 0; time < TIMES; time++) times.push(await timedCommand(['explain', `pods/default/${pod}`, '--run', directory]))
  return { what: 'explain a pod, from the command, p50', value: quantile(times, 0.5), unit: 'ms', gate: 300, aim: 100 }
}

function timedCommand(args: readonly string[]): Promise<number> {
  const startedAt = performance.now()
  return new Promise((resolve, reject) => {
    execFile(process.execPath, [MAIN, ...args], (error, out) =>
      error === null ? resolve(performance.now() - startedAt) : reject(new Error(`joiner ${args.join(' ')}: ${out}`, { cause: error })),
    )
  })
}
