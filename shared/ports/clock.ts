import type { EpochMs } from '../model/units.ts'

export interface Clock {
  now(): EpochMs
  /** Resolves after `ms` milliseconds, or rejects with the signal's reason. */
  sleep(ms: number, signal: AbortSignalLike): Promise<void>
}

/** The part of the platform's AbortSignal that the flows use. A platform AbortSignal is assignable to it. */
export interface AbortSignalLike {
  readonly aborted: boolean
  readonly reason: unknown
  addEventListener(type: 'abort', listener: (event: unknown) => void, options?: { readonly once?: boolean }): void
  removeEventListener(type: 'abort', listener: (event: unknown) => void): void
}
