import { canonicalJson } from '../../base/canonicalJson.ts'
import { METRICS } from '../../model/telemetryContract.ts'
import type { Clock } from '../../ports/clock.ts'
import type { LogFields, Telemetry } from '../../ports/telemetry.ts'

/** The least first. */
export const LINE_LEVELS = ['debug', 'info', 'warn', 'error'] as const
export type LineLevel = (typeof LINE_LEVELS)[number]

/**
 * Structured telemetry as one JSON line each: `{at, level, message, ...fields}`, for whatever collects the worker's output. Lines below
 * `least` are not written; durations always are, for whoever looks at one machine without Azure Monitor. States, events and spans have no line:
 * the first would repeat themselves, and of the others the lines tell already.
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
    measure: (name, value, fields) => {
      if (METRICS[name].kind === 'spread') line('measure', name, { ...fields, value })
    },
    event: () => undefined,
    span: () => undefined,
  }
}
