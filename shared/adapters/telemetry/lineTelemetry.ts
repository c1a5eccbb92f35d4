import { canonicalJson } from '../../base/json.ts'
import { METRICS } from '../../model/metrics.ts'
import type { Clock } from '../../ports/clock.ts'
import type { LogFields, Telemetry } from '../../ports/telemetry.ts'

/** The levels of lines, the least severe first. */
export const LINE_LEVELS = ['debug', 'info', 'warn', 'error'] as const
export type LineLevel = (typeof LINE_LEVELS)[number]

/**
 * Telemetry as JSON lines, `{at, level, message, ...fields}`, for a collector of the output of the worker. Lines below `least` are not written.
 * Measures of kind `spread`, such as durations, are always written, for operators without Azure Monitor. States, events and spans are not written:
 * states would repeat themselves, and other lines already report events and spans.
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
