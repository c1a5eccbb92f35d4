import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { Fault, problem } from '../../shared/model/problem.ts'
import { textAt } from '../azure/json.ts'

export type ChildOptions = {
  readonly name: string
  readonly args: readonly string[]
  /** What is started instead of Node; it must see to it itself that it ends with this process. */
  readonly program?: string
  readonly env: { readonly [name: string]: string }
  /** Default: that of this process. */
  readonly cwd?: string
  readonly onLine: (line: string) => void
  /** Told when the process died and is started again. */
  readonly onNotice: (text: string) => void
  /** The child is ready once a line makes this answer true. */
  readonly isReady: (line: string) => boolean
  /** Aborted when everything ends: from then on the end of the process is no news, and it is not started again. */
  readonly ending?: AbortSignal
}

/** A process of the stack that is started again when it dies, as the platform it stands for would do. */
export interface Child {
  /** Resolves when the child said that it is ready; anew after each restart. Rejects when it ended before it ever was. */
  ready(): Promise<void>
  pid(): number | undefined
  /** Ends the process the hard way; it comes back. */
  kill(): void
  /** Asks the process to end, and makes it after some patience. It does not come back. */
  stop(): Promise<void>
}

const RESTART_MS = 500
const STOP_PATIENCE_MS = 5_000
const LAST_LINES = 5
/** Ends the child with its parent: our end of its standard input closes when we die, however we die. It keeps no child alive. */
export const END_WITH_PARENT = `data:text/javascript,process.stdin.on('end',()=>process.kill(process.pid,'SIGTERM')).on('error',()=>{}).resume().unref()`

export function startChild(options: ChildOptions): Child {
  let isStopped = false
  const mayEnd = (): boolean => isStopped || options.ending?.aborted === true
  let wasReady = false
  let running: ChildProcess
  let ready: Promise<void>

  function start(): void {
    const lines: string[] = []
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    ready = promise
    // Whoever waits hears of it; when nobody waits the line below has said it.
    promise.catch(() => undefined)
    const own = options.program === undefined ? ['--import', END_WITH_PARENT] : []
    running = spawn(options.program ?? process.execPath, [...own, ...options.args], {
      env: { PATH: process.env['PATH'] ?? '', ...options.env },
      ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
      stdio: ['pipe', 'pipe', 'pipe'],
      // A group of its own: Ctrl-C reaches the process that ends the others in their order, and nobody else.
      detached: true,
    })
    for (const stream of [running.stdout, running.stderr]) {
      if (stream === null) continue
      createInterface({ input: stream }).on('line', (line) => {
        lines.push(line)
        if (lines.length > LAST_LINES) lines.shift()
        if (options.isReady(line)) {
          wasReady = true
          resolve()
        }
        options.onLine(line)
      })
    }
    // 'close' comes after the last line, 'exit' may come before it.
    running.once('close', (code, signal) => {
      if (mayEnd()) return reject(new DOMException(`${options.name} was stopped`, 'AbortError'))
      const end = `${options.name} ended with ${signal ?? `exit code ${code}`}`
      if (!wasReady) return reject(new Fault(`start ${options.name}`, problem('SETTING.INVALID', [end, ...lines.map(textOf)].join('\n  '))))
      options.onNotice(`${end}; it is started again`)
      setTimeout(() => {
        if (!mayEnd()) start()
      }, RESTART_MS)
    })
  }

  start()
  return {
    ready: () => ready,
    pid: () => running.pid,
    kill: () => running.kill('SIGKILL'),
    async stop() {
      isStopped = true
      if (running.exitCode !== null || running.signalCode !== null) return
      const ended = new Promise<void>((resolve) => running.once('exit', () => resolve()))
      running.kill('SIGTERM')
      const timer = setTimeout(() => running.kill('SIGKILL'), STOP_PATIENCE_MS)
      await ended
      clearTimeout(timer)
    },
  }
}

/** The message of a structured line, or the line itself. */
function textOf(line: string): string {
  try {
    return textAt(JSON.parse(line), 'message') ?? line
  } catch {
    return line
  }
}
