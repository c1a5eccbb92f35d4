import { canonicalJson } from '../../base/canonicalJson.ts'
import type { Clock } from '../../ports/clock.ts'
import type { LogFields, Telemetry } from '../../ports/telemetry.ts'

export type LineLevel = 'debug' | 'info' | 'warn' | 'error' | 'measure'

/** Structured telemetry as one JSON line each: `{at, level, message, ...fields}`, for whatever collects the worker's output. */
export function createLineTelemetry(clock: Clock, write: (line: string) => void, least: LineLevel = 'info'): Telemetry {
  const line = (level: LineLevel, message: string, fields: LogFields = {}): void => {
    if (level === 'debug' && least !== 'debug') return
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
