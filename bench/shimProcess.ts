import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { SHIM_IMAGE } from '../local/stack/shimImage.ts'
import { repositoryRoot } from '../scripts/floors.ts'

const MEBIBYTE = 1024 * 1024

/** A shim in a process of its own. */
export interface ShimProcess {
  readonly pid: number
  /** Rejects if the process ends by itself. */
  readonly failed: Promise<never>
  /** Returns its log so far, one JSON line each. */
  lines(): readonly string[]
  /** Asks the process to end and waits. Returns its exit code. */
  stop(): Promise<number | null>
  /** Kills the process. */
  kill(): Promise<void>
}

export type ShimOptions = {
  /** Path in the repository. The bundle must have been built. */
  readonly program: 'dist/shim/main.mjs' | 'shim/main.ts'
  readonly env: { readonly [name: string]: string }
  readonly flags?: readonly string[]
}

export function startShim({ program, env, flags = [] }: ShimOptions): ShimProcess {
  const child = spawn(process.execPath, [...SHIM_IMAGE.flags, ...flags, program], {
    cwd: repositoryRoot,
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...SHIM_IMAGE.env, HTTP_PORT: '0', ...env },
  })
  let isAsked = false
  let said = ''
  child.stdout.on('data', (chunk: Buffer) => {
    said += chunk.toString('utf8')
    if (process.env['SHIM_LOG']) process.stderr.write(chunk)
  })
  const ended = once(child, 'close').then(([code]) => code as number | null)
  const failed = new Promise<never>((_, reject) => {
    child.once('exit', (code) => (isAsked ? undefined : reject(new Error(`the shim ended with ${code}: ${said.slice(-500)}`))))
  })
  failed.catch(() => {})
  const end = (signal: NodeJS.Signals): Promise<number | null> => {
    isAsked = true
    child.kill(signal)
    return ended
  }
  return {
    pid: child.pid ?? 0,
    failed,
    lines: () => said.split('\n').filter((line) => line !== ''),
    stop: () => end('SIGTERM'),
    kill: async () => void (await end('SIGKILL')),
  }
}

/** Returns memory in MiB: resident now, the part of it without a file behind it, and the peak. Works on Linux only, like the clusters of the shim. */
export function memoryOf(pid: number): { readonly resident: number; readonly anonymous: number; readonly peak: number } {
  const status = read(`/proc/${pid}/status`)
  const mebibytes = (name: string): number => {
    const kibibytes = new RegExp(`${name}:\\s+(\\d+) kB`).exec(status)?.[1]
    return Math.round((Number(kibibytes ?? 0) * 10 * 1024) / MEBIBYTE) / 10
  }
  return { resident: mebibytes('VmRSS'), anonymous: mebibytes('RssAnon'), peak: mebibytes('VmHWM') }
}

/** Returns the processor time used so far, in milliseconds. */
export function cpuMsOf(pid: number): number {
  const fields = read(`/proc/${pid}/stat`).split(') ')[1]?.split(' ') ?? []
  return (Number(fields[11] ?? 0) + Number(fields[12] ?? 0)) * 10
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}
