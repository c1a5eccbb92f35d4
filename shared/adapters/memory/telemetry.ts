import type { SpanName } from '../../model/telemetryContract.ts'
import type { TraceParent } from '../../model/trace.ts'
import type { LogFields, Span, Telemetry } from '../../ports/telemetry.ts'

export type TelemetryLine = {
  readonly level: 'debug' | 'info' | 'warn' | 'error'
  readonly message: string
  readonly fields: LogFields
  readonly trace?: TraceParent
}
export type Measure = { readonly name: string; readonly value: number; readonly fields: LogFields }
export type ToldEvent = {
  readonly name: string
  readonly fields: { readonly [field: string]: string | number | undefined }
  readonly trace?: TraceParent
}

export type ToldSpan = Span & { readonly name: SpanName }

/** Telemetry that keeps its lines, measures, events and spans for a test. */
export type RecordedTelemetry = Telemetry & {
  readonly lines: readonly TelemetryLine[]
  readonly measures: readonly Measure[]
  readonly events: readonly ToldEvent[]
  readonly spans: readonly ToldSpan[]
}

export function createRecordedTelemetry(): RecordedTelemetry {
  const lines: TelemetryLine[] = []
  const measures: Measure[] = []
  const events: ToldEvent[] = []
  const spans: ToldSpan[] = []
  const say =
    (level: TelemetryLine['level']) =>
    (message: string, fields: LogFields = {}, trace?: TraceParent): void =>
      void lines.push({ level, message, fields, ...(trace === undefined ? {} : { trace }) })
  return {
    lines,
    measures,
    events,
    spans,
    debug: say('debug'),
    info: say('info'),
    warn: say('warn'),
    error: say('error'),
    measure: (name, value, fields) => void measures.push({ name, value, fields }),
    event: (name, fields, trace) => void events.push({ name, fields, ...(trace === undefined ? {} : { trace }) }),
    span: (name, span) => void spans.push({ name, ...span }),
  }
}
