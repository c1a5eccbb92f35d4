import { Fault, type Problem, problem } from '../../model/problem.ts'
import type { EpochMs } from '../../model/units.ts'
import type { AbortSignalLike, Clock } from '../../ports/clock.ts'

/** One write that took effect. */
export type JournalEntry = {
  /** The number of the write among all writes tried, from 1, as `failAt` counts them. */
  readonly number: number
  /** For example `api.createClaim`. */
  readonly operation: string
  /** For example `nodeclaim/default-x`. */
  readonly object: string
  readonly at: EpochMs
  readonly process: number
}

export type FailureMode = {
  /** `before`: the write has no effect. `after`: the write takes effect and the answer is lost. */
  readonly when: 'before' | 'after'
  /** `kill`: the process is dead from then on. `fault`: this one call throws. */
  readonly how: 'kill' | 'fault'
  readonly problem?: Problem
}

/** One process of the app. It is dead once `killedAt` is set. */
export type Process = { readonly number: number; killedAt: EpochMs | undefined }

/** The error of every call of a killed process, so that no handler of it can change the world any more. */
export class ProcessKilled extends Error {
  override readonly name = 'ProcessKilled'
}

/** The journal of all calls of processes. It counts and records writes, and makes calls fail where a test asks for it. */
export type WriteJournal = {
  /** Writes that took effect, in order. */
  readonly entries: readonly JournalEntry[]
  /** Calls the listener when a write begins, whether it succeeds or not. */
  onWrite(listener: (operation: string) => void): void
  /** Returns the number of writes tried so far. */
  tried(): number
  /** Makes the n-th write of the world fail, counted from 1. */
  failAt(n: number, mode?: FailureMode): void
  /** Makes the n-th call of an operation from now on fail. Reads count as well. */
  failCall(operation: string, n: number, mode?: FailureMode): void
  read<Value>(process: Process, call: Call, effect: () => Value): Promise<Value>
  write<Value>(process: Process, call: Call, effect: () => Value): Promise<Value>
}

export type Call = { readonly operation: string; readonly object: string; readonly signal: AbortSignalLike }

const KILL_BEFORE: FailureMode = { when: 'before', how: 'kill' }

export function createWriteJournal(clock: Clock): WriteJournal {
  const entries: JournalEntry[] = []
  const atWrite = new Map<number, FailureMode>()
  const atCall: { readonly operation: string; left: number; readonly mode: FailureMode }[] = []
  const listeners: ((operation: string) => void)[] = []
  let tried = 0

  function plannedFor(operation: string): FailureMode | undefined {
    for (const plan of atCall) {
      if (plan.operation === operation && --plan.left === 0) return plan.mode
    }
    return undefined
  }

  async function run<Value>(process: Process, call: Call, mode: FailureMode | undefined, effect: () => Value): Promise<Value> {
    if (mode?.when === 'before') throw broken(process, call, mode, clock)
    const value = effect()
    if (mode !== undefined) throw broken(process, call, mode, clock)
    return value
  }

  async function enter(process: Process, { operation, signal }: Call): Promise<void> {
    // Waits for a turn, like a network call, so that other work goes on meanwhile.
    await Promise.resolve()
    if (process.killedAt !== undefined) throw new ProcessKilled(`process ${process.number} is dead and called ${operation}`)
    if (signal.aborted) throw signal.reason
  }

  return {
    entries,
    onWrite: (listener) => void listeners.push(listener),
    tried: () => tried,
    failAt: (n, mode = KILL_BEFORE) => void atWrite.set(n, mode),
    failCall: (operation, n, mode = { when: 'before', how: 'fault' }) => void atCall.push({ operation, left: n, mode }),
    read: async (process, call, effect) => {
      await enter(process, call)
      return run(process, call, plannedFor(call.operation), effect)
    },
    write: async (process, call, effect) => {
      await enter(process, call)
      const number = ++tried
      const { operation, object } = call
      for (const listener of listeners) listener(operation)
      return run(process, call, plannedFor(operation) ?? atWrite.get(number), () => {
        const value = effect()
        if (!isRefusal(value)) entries.push({ number, operation, object, at: clock.now(), process: process.number })
        return value
      })
    },
  }
}

function broken(process: Process, { operation, object }: Call, { how, when, problem: given }: FailureMode, clock: Clock): Error {
  if (how === 'kill') {
    process.killedAt = clock.now()
    return new ProcessKilled(`process ${process.number} was killed ${when} ${operation} ${object}`)
  }
  return new Fault(
    operation,
    given ?? problem(codeOf(operation), `${object}: no answer (a failure made for a test)`, { retryAfterMs: 1_000 }),
  )
}

function codeOf(operation: string): Problem['code'] {
  if (operation.startsWith('api.')) return 'KUBE.FAILED'
  return operation.startsWith('cloud.') ? 'AZURE.FAILED' : 'STORE.UNAVAILABLE'
}

/** Reports whether a write was refused. Such a write changed nothing, so it has no entry. */
function isRefusal(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'ok' in value && value.ok === false
}
