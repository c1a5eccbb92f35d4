import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { parsedJson } from '../../../shared/base/json.ts'
import { textAt } from '../../azure/json.ts'
import { HostError } from '../base/hostError.ts'
import type { HostOrder, HostReport } from '../reportToParent.ts'
import type { Watchdog } from './watchdog.ts'

export type InstanceOptions = {
  readonly args: readonly string[]
  readonly env: NodeJS.ProcessEnv
  /** An instance with nothing to do is stopped after this. Undefined: it never is. */
  readonly freezeAfterMs: number | undefined
  /** An instance with nothing to do is killed after this. Undefined: it never is. */
  readonly killAfterMs: number | undefined
  readonly watchdog: Watchdog
  readonly onReport: (report: HostReport, pid: number | undefined) => void
  readonly onLine: (line: string) => void
  readonly onEnd: (exitCode: number | null) => void
}

/** One process of a group. */
export type Instance = {
  /** Its address once it serves. Rejects if it ends before. */
  readonly url: Promise<string>
  /** The number of its invocations, requests and messages. */
  busy(): number
  /** Lets it run, because a trigger has come in. It looks for messages at once. */
  wake(): void
  /** Lets it run until the request has ended. */
  serve(): { readonly ended: () => void }
  /** Asks it to end, as the platform does. */
  stop(): Promise<void>
}

/** A process that a trigger has woken begins its work within this time. */
const BEGINS_MS = 1_000

export function startInstance(options: InstanceOptions): Instance {
  const { onReport, onEnd, watchdog } = options
  const child = spawn(process.execPath, [...options.args], { env: options.env, stdio: ['pipe', 'pipe', 'pipe', 'ipc'] })
  const ready = Promise.withResolvers<string>()
  ready.promise.catch(() => undefined)
  const open = new Set<string>()
  let requests = 0
  let held = 0
  const busy = () => open.size + requests + held
  const rest = createRest(child, options, busy)

  watchdog.add(child.pid)
  eachLine(child, 'stderr', options.onLine)
  eachLine(child, 'stdout', (line) => {
    ready.resolve(textAt(parsedJson(line), 'url') ?? '')
    rest.begin(BEGINS_MS)
  })
  child.on('message', (report: HostReport) => {
    onReport(report, child.pid)
    if (report.kind === 'began') open.add(report.id)
    if (report.kind === 'ended') open.delete(report.id)
    if (report.kind === 'held') held = report.messages
    if (busy() > 0) rest.end()
    else if (report.kind !== 'call') rest.begin(0)
  })
  child.once('exit', (code) => {
    if (rest.leave()) onEnd(code)
    watchdog.remove(child.pid)
    ready.reject(new HostError('the process ended'))
    // what was open has failed
    for (const id of open) onReport({ kind: 'ended', id, name: '' }, child.pid)
  })
  return {
    url: ready.promise,
    busy,
    wake: () => {
      rest.end()
      const order: HostOrder = { kind: 'poll' }
      if (child.connected) child.send(order)
      rest.begin(BEGINS_MS)
    },
    serve: () => {
      requests++
      rest.end()
      return {
        ended: () => {
          requests--
          rest.begin(0)
        },
      }
    },
    stop: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return
      const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()))
      rest.end()
      child.kill('SIGTERM')
      await gone
    },
  }
}

type Rest = {
  /** Stops and kills the process after a while, unless it is busy. It has some time to begin its work. */
  begin(beginsMs: number): void
  end(): void
  /** The process takes nothing from now on. Returns false if it was so before. */
  leave(): boolean
}

/** The rest of a process that has nothing to do. It begins when the process is ready. */
function createRest(child: ChildProcess, { freezeAfterMs, killAfterMs, onEnd }: InstanceOptions, busy: () => number): Rest {
  let isFrozen = false
  let isGone = false
  let timers: readonly NodeJS.Timeout[] = []
  const after = (ms: number | undefined, beginsMs: number, act: () => void): readonly NodeJS.Timeout[] =>
    ms === undefined ? [] : [setTimeout(act, Math.max(ms, beginsMs))]
  const forget = () => {
    for (const timer of timers) clearTimeout(timer)
    timers = []
  }
  const freeze = () => {
    isFrozen = true
    child.kill('SIGSTOP')
  }
  const leave = () => {
    forget()
    const isNew = !isGone
    isGone = true
    return isNew
  }
  const kill = () => {
    // it ends a moment later, and must not be chosen any more
    if (leave()) onEnd(null)
    child.kill('SIGKILL')
  }
  return {
    begin(beginsMs) {
      if (busy() > 0 || isGone) return
      forget()
      timers = [...after(freezeAfterMs, beginsMs, freeze), ...after(killAfterMs, beginsMs, kill)]
    },
    end() {
      forget()
      if (!isFrozen || isGone) return
      isFrozen = false
      child.kill('SIGCONT')
    },
    leave,
  }
}

function eachLine(child: ChildProcess, stream: 'stdout' | 'stderr', take: (line: string) => void): void {
  const input = child[stream]
  if (input !== null) createInterface({ input }).on('line', take)
}
