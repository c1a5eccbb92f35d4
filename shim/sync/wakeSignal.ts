import type { Clock } from '../clock.ts'

/** Lets one loop sleep until there is work for it. A ring while nobody waits is not lost. */
export interface WakeSignal {
  notify(): void
  /** Resolves at the next ring, or after `ms`. */
  wait(ms: number, signal: AbortSignal): Promise<void>
}

export function createWakeSignal(clock: Clock): WakeSignal {
  let rung = false
  let wake: (() => void) | undefined

  return {
    notify() {
      rung = true
      wake?.()
    },
    async wait(ms, signal) {
      signal.throwIfAborted()
      if (!rung) {
        const { promise, resolve } = Promise.withResolvers<void>()
        wake = resolve
        const stop = new AbortController()
        const timeout = clock.sleep(ms, AbortSignal.any([signal, stop.signal])).catch(() => {})
        await Promise.race([promise, timeout])
        stop.abort()
        wake = undefined
        signal.throwIfAborted()
      }
      rung = false
    },
  }
}
