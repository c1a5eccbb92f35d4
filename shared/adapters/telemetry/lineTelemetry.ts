import { canonicalJson } from '../../base/canonicalJson.ts'
import type { Clock } from '../../ports/clock.ts'
import type { LogFields, Telemetry } from '../../ports/telemetry.ts'

/** The least first. */
export const LINE_LEVELS = ['debug', 'info', 'warn', 'error'] as const
export type LineLevel = (typeof LINE_LEVELS)[number]

/**
 * Structured telemetry as one JSON line each: `{at, level, message, ...fields}`, for whatever collects the worker's output. Lines below
 * `least` are not written; measures always are, since dashboards and alerts stand on them.
 */
export function createLineTelemetry(clock: Clock, write: (line: string) => void, least: LineLevel = 'info'): Telemetry {
  const line = (level: LineLevel | 'measure', message: string, fields: LogFields = {}): void => {
    if (level !== 'measure' && LINE_LEVELS.indexOf(level) < LINE_LEVELS.indexOf(least)) return
    write(canonicalJson({ ...fields, at: clock.now(), level, message }))
  }
  return {
    debug: (message, fields) => line('debug', message, fields),
    info: (message, fields) => line('info', message, fields),
    warn: (message, fields) => line('warn', message, fields),
    error: (message, fields) => line('error', message, fields),
    measure: (name, value, fields) => line('measure', name, { ...fields, value }),
  }
}
