import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { Fault, problem } from '../../shared/model/problem.ts'

/** A program of the control plane that runs. */
export interface Program {
  readonly name: string
  /** Rejects when the program ends without being asked. */
  readonly failed: Promise<never>
  isRunning(): boolean
  /** Asks it to end, and makes it after some patience. */
  stop(): Promise<void>
  /** Ends it the hard way. */
  kill(): Promise<void>
}

export type ProgramOptions = {
  readonly name: string
  readonly file: string
  readonly args: readonly string[]
  /** Takes everything it prints. */
  readonly logFile: string
}

const STOP_PATIENCE_MS = 4_000
const LAST_CHARACTERS = 1_500
/**
 * The program in the place of a shell whose other half ends it once our end of its standard input closes: when we die, however
 * we die, it goes too. An API server whose etcd went first does not end by being asked.
 */
const TETHER = 'exec 3<&0; (cat <&3 >/dev/null; kill $$ 2>/dev/null && sleep 10 && kill -9 $$ 2>/dev/null) & exec "$0" "$@" 3<&- </dev/null'

/**
 * The programs are written in Go and start small, so that at its own pace Go collects garbage all the time: a fifth of what they work. They may keep
 * four times what they use before it does.
 */
const ENVIRONMENT = { GOGC: '400', ...process.env }

export function startProgram({ name, file, args, logFile }: ProgramOptions): Program {
  const log = openSync(logFile, 'a')
  // A group of its own: Ctrl-C in the terminal is ours to carry out, in order.
  const child: ChildProcess = spawn('/bin/sh', ['-c', TETHER, file, ...args], {
    stdio: ['pipe', log, log],
    detached: true,
    env: ENVIRONMENT,
  })
  closeSync(log)
  const { promise: failed, reject } = Promise.withResolvers<never>()
  // Whoever waits hears of it; nobody has to.
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
