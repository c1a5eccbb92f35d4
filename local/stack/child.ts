import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'

export type ChildOptions = {
  readonly name: string
  readonly args: readonly string[]
  readonly env: { readonly [name: string]: string }
  readonly onLine: (line: string) => void
  /** The child is ready once a line makes this answer true. */
  readonly isReady: (line: string) => boolean
}

/** A process of the stack that is started again when it dies, as the platform it stands for would do. */
export interface Child {
  /** Resolves when the child said that it is ready; anew after each restart. */
  ready(): Promise<void>
  pid(): number | undefined
  /** Ends the process the hard way; it comes back. */
  kill(): void
  /** Asks the process to end, and makes it after some patience. It does not come back. */
  stop(): Promise<void>
}

const RESTART_MS = 500
const STOP_PATIENCE_MS = 5_000

export function startChild(options: ChildOptions): Child {
  let stopping = false
  let running: ChildProcess
  let ready: Promise<void>
  let markReady: () => void = () => undefined

  function start(): void {
    ready = new Promise((resolve) => {
      markReady = resolve
    })
    running = spawn(process.execPath, [...options.args], {
      env: { PATH: process.env['PATH'] ?? '', ...options.env },
      stdio: ['pipe', 'pipe', 'pipe'],
    })
    for (const stream of [running.stdout, running.stderr]) {
      if (stream === null) continue
      createInterface({ input: stream }).on('line', (line) => {
        if (options.isReady(line)) markReady()
        options.onLine(line)
      })
    }
    running.once('exit', (code, signal) => {
      if (stopping) return
      options.onLine(`${options.name} ended with ${signal ?? code}; starting it again`)
      setTimeout(() => {
        if (!stopping) start()
      }, RESTART_MS)
    })
  }

  start()
  return {
    ready: () => ready,
    pid: () => running.pid,
    kill: () => running.kill('SIGKILL'),
    async stop() {
      stopping = true
      if (running.exitCode !== null || running.signalCode !== null) return
      const ended = new Promise<void>((resolve) => running.once('exit', () => resolve()))
      running.kill('SIGTERM')
      const timer = setTimeout(() => running.kill('SIGKILL'), STOP_PATIENCE_MS)
      await ended
      clearTimeout(timer)
    },
  }
}
