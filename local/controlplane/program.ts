import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { Fault, problem } from '../../shared/model/problem.ts'

/** A running program of the control plane. */
export interface Program {
  readonly name: string
  /** Rejects when the program ends without a request to end. */
  readonly failed: Promise<never>
  isRunning(): boolean
  /** Asks the program to end, and kills it after a while. */
  stop(): Promise<void>
  /** Kills the program. */
  kill(): Promise<void>
}

export type ProgramOptions = {
  readonly name: string
  readonly file: string
  readonly args: readonly string[]
  /** The file for all output. */
  readonly logFile: string
}

const STOP_PATIENCE_MS = 4_000
const LAST_CHARACTERS = 1_500
/**
 * A shell that becomes the program. A subshell ends the program once our end of its standard input closes, so the program ends with this process
 * however this process ends. SIGKILL follows, because an API server whose etcd is gone does not end on SIGTERM.
 */
const TETHER = 'exec 3<&0; (cat <&3 >/dev/null; kill $$ 2>/dev/null && sleep 10 && kill -9 $$ 2>/dev/null) & exec "$0" "$@" 3<&- </dev/null'

/**
 * The programs are written in Go and start with a small heap, so by default Go collects garbage all the time, for a fifth of their CPU time. With
 * this value the heap may grow to five times the live data before a collection.
 */
const ENVIRONMENT = { GOGC: '400', ...process.env }

export function startProgram({ name, file, args, logFile }: ProgramOptions): Program {
  const log = openSync(logFile, 'a')
  // A process group of its own, so that Ctrl-C in the terminal reaches only this process, which ends the programs in order.
  const child: ChildProcess = spawn('/bin/sh', ['-c', TETHER, file, ...args], {
    stdio: ['pipe', log, log],
    detached: true,
    env: ENVIRONMENT,
  })
  closeSync(log)
  const { promise: failed, reject } = Promise.withResolvers<never>()
  // A rejection that nobody waits for must not end this process.
  failed.catch(() => undefined)
  let stopping = false
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  child.once('exit', (code, signal) => {
    if (stopping) return
    const last = readFileSync(logFile, 'utf8').slice(-LAST_CHARACTERS)
    reject(new Fault(`run ${name}`, problem('SETTING.INVALID', `${name} ended with ${signal ?? `exit code ${code}`}:\n${last}`)))
  })
  child.once('error', (cause) => reject(new Fault(`run ${name}`, problem('SETTING.INVALID', `${file} cannot be run`), cause)))
  const isRunning = (): boolean => child.pid !== undefined && child.exitCode === null && child.signalCode === null

  async function end(signal: NodeJS.Signals): Promise<void> {
    stopping = true
    if (!isRunning()) return
    child.kill(signal)
    const timer = setTimeout(() => child.kill('SIGKILL'), STOP_PATIENCE_MS)
    await ended
    clearTimeout(timer)
    child.stdin?.destroy()
  }
  return { name, failed, isRunning, stop: () => end('SIGTERM'), kill: () => end('SIGKILL') }
}
