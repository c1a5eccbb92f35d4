import type { Telemetry } from '../../ports/telemetry.ts'

/** Says everything twice. */
export function createBothTelemetry(one: Telemetry, other: Telemetry): Telemetry {
  return {
    debug: (message, fields) => {
      one.debug(message, fields)
      other.debug(message, fields)
    },
    info: (message, fields) => {
      one.info(message, fields)
      other.info(message, fields)
    },
    warn: (message, fields) => {
      one.warn(message, fields)
      other.warn(message, fields)
    },
    error: (message, fields) => {
      one.error(message, fields)
      other.error(message, fields)
    },
    measure: (name, value, fields) => {
      one.measure(name, value, fields)
      other.measure(name, value, fields)
    },
    event: (name, fields) => {
      one.event(name, fields)
      other.event(name, fields)
    },
  }
}
