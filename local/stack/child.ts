import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { Fault, problem } from '../../shared/model/problem.ts'
import { textAt } from '../azure/json.ts'

export type ChildOptions = {
  readonly name: string
  readonly args: readonly string[]
  /** The program to start in place of Node. It must end by itself when this process ends. */
  readonly program?: string
  readonly env: { readonly [name: string]: string }
  /** Default: the directory of this process. */
  readonly cwd?: string
  readonly onLine: (line: string) => void
  /** Called when the process died and is started again. */
  readonly onNotice: (text: string) => void
  /** The child is ready once this returns true for a line. */
  readonly isReady: (line: string) => boolean
  /** Aborted when the whole stack ends. From then on the end of the process is not reported, and it is not started again. */
  readonly ending?: AbortSignal
}

/** A process of the stack that is started again when it dies, as on the platform that it stands for. */
export interface Child {
  /** Resolves when the child has reported that it is ready, and again after each restart. Rejects if it ended before it was ever ready. */
  ready(): Promise<void>
  pid(): number | undefined
  /** Kills the process. It is started again. */
  kill(): void
  /** Asks the process to end, and kills it after a while. It is not started again. */
  stop(): Promise<void>
}

/** How long a process that died stays away. */
const RESTART_MS = 500
const STOP_PATIENCE_MS = 5_000
const LAST_LINES = 5
/** Ends the child with its parent. Our end of its standard input closes however this process ends. The listener keeps no child alive. */
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
    // A rejection that nobody waits for must not end this process. The notice below reports it.
    promise.catch(() => undefined)
    const own = options.program === undefined ? ['--import', END_WITH_PARENT] : []
    running = spawn(options.program ?? process.execPath, [...own, ...options.args], {
      env: { PATH: process.env['PATH'] ?? '', ...options.env },
      ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
      stdio: ['pipe', 'pipe', 'pipe'],
      // A process group of its own, so that Ctrl-C reaches only this process, which ends the others in order.
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
    // 'close' comes after the last line. 'exit' may come before it.
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
