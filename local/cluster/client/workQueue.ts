/** A queue of keys to reconcile. A key is worked on once at a time, again if it was added meanwhile, and later if it failed. */
import { messageOf } from '../../../shared/base/result.ts'

export interface KeyQueue {
  add(key: string): void
  addAfter(key: string, ms: number): void
  close(): void
}

export type KeyQueueOptions = {
  readonly name: string
  readonly concurrency?: number
  readonly reconcile: (key: string) => Promise<void>
  readonly log?: (line: string) => void
}

const FIRST_BACKOFF_MS = 50
const MAX_BACKOFF_MS = 10_000

export function createKeyQueue(options: KeyQueueOptions): KeyQueue {
  const waiting = new Set<string>()
  const running = new Set<string>()
  const again = new Set<string>()
  const failures = new Map<string, number>()
  const timers = new Map<string, NodeJS.Timeout>()
  let closed = false

  const add = (key: string) => {
    if (closed) return
    if (running.has(key)) again.add(key)
    else waiting.add(key)
    setImmediate(pump)
  }
  const addAfter = (key: string, ms: number) => {
    if (closed) return
    clearTimeout(timers.get(key))
    const due = () => {
      timers.delete(key)
      add(key)
    }
    timers.set(key, setTimeout(due, ms))
  }
  const pump = () => {
    for (const key of waiting) {
      if (closed || running.size >= (options.concurrency ?? 4)) return
      waiting.delete(key)
      running.add(key)
      void run(key)
    }
  }
  const run = async (key: string) => {
    try {
      await options.reconcile(key)
      failures.delete(key)
    } catch (cause) {
      // Level-triggered: after any failure, the next round starts from the state of that time.
      if (!closed) retryLater(key, cause)
    }
    running.delete(key)
    if (again.delete(key)) waiting.add(key)
    pump()
  }
  const retryLater = (key: string, cause: unknown) => {
    const count = (failures.get(key) ?? 0) + 1
    failures.set(key, count)
    const ms = Math.min(MAX_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** (count - 1))
    options.log?.(`${options.name} ${key}: ${messageOf(cause)}; again in ${ms} ms`)
    addAfter(key, ms)
  }
  return {
    add,
    addAfter,
    close: () => {
      closed = true
      for (const timer of timers.values()) clearTimeout(timer)
      timers.clear()
      waiting.clear()
    },
  }
}
