import type { Telemetry } from '../../ports/telemetry.ts'

/** Telemetry that passes everything to two others. */
export function createBothTelemetry(one: Telemetry, other: Telemetry): Telemetry {
  return {
    debug: (...said) => {
      one.debug(...said)
      other.debug(...said)
    },
    info: (...said) => {
      one.info(...said)
      other.info(...said)
    },
    warn: (...said) => {
      one.warn(...said)
      other.warn(...said)
    },
    error: (...said) => {
      one.error(...said)
      other.error(...said)
    },
    measure: (name, value, fields) => {
      one.measure(name, value, fields)
      other.measure(name, value, fields)
    },
    event: (...told) => {
      one.event(...told)
      other.event(...told)
    },
    span: (...told) => {
      one.span(...told)
      other.span(...told)
    },
  }
}
