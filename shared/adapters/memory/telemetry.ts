import type { LogFields, Telemetry } from '../../ports/telemetry.ts'

export type TelemetryLine = { readonly level: 'debug' | 'info' | 'warn' | 'error'; readonly message: string; readonly fields: LogFields }
export type Measure = { readonly name: string; readonly value: number; readonly fields: LogFields }
export type ToldEvent = { readonly name: string; readonly fields: { readonly [field: string]: string | number | undefined } }

/** Keeps what was said, for a test to look at. */
export type RecordedTelemetry = Telemetry & {
  readonly lines: readonly TelemetryLine[]
  readonly measures: readonly Measure[]
  readonly events: readonly ToldEvent[]
}

export function createRecordedTelemetry(): RecordedTelemetry {
  const lines: TelemetryLine[] = []
  const measures: Measure[] = []
  const events: ToldEvent[] = []
  const say =
    (level: TelemetryLine['level']) =>
    (message: string, fields: LogFields = {}): void =>
      void lines.push({ level, message, fields })
  return {
    lines,
    measures,
    events,
    debug: say('debug'),
    info: say('info'),
    warn: say('warn'),
    error: say('error'),
    measure: (name, value, fields) => void measures.push({ name, value, fields }),
    event: (name, fields) => void events.push({ name, fields }),
  }
}
