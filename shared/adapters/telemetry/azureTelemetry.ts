import { EVENTS, type EventName, LOG_FIELDS, SPAN_PROPERTIES, type SpanName } from '../../model/telemetryContract.ts'
import { spanIdOf, type TraceParent } from '../../model/trace.ts'
import type { Clock } from '../../ports/clock.ts'
import type { LogFields, Span, Telemetry } from '../../ports/telemetry.ts'
import type { Exporting, LineRow, Row, RowTrace } from './exported.ts'
import { createOutbox } from './outbox.ts'
import { createSending } from './sending.ts'
import { createSeries } from './series.ts'

/** Rows that wait: 2,000 of them are about 2 MB. */
const MOST_ROWS = 2_000
const MOST_SERIES = 300
/** Longer texts are cut: one row may have 32 KB of message. */
const LONGEST_TEXT = 2_000

export type AzureTelemetryDeps = {
  readonly clock: Pick<Clock, 'now'>
  /** Called once, at the first flush. */
  readonly load: () => Promise<Exporting>
  /** Every text passes it before it is kept. */
  readonly redact: (text: string) => string
}

export type AzureTelemetry = Telemetry & {
  /** Sends what is due, one request at a time, until nothing is due or Azure Monitor wants to be left alone. Never rejects. */
  flush(): Promise<void>
  /** Sends everything once, however young it is. */
  flushAll(): Promise<void>
}

/**
 * Sends events, spans, measures and lines from `warn` up to Azure Monitor: only what the contract lists. Saying something costs no more than keeping it
 * in memory, which is bounded. A request that fails is made again after a pause that grows, or after the one that was asked for.
 */
export function createAzureTelemetry(deps: AzureTelemetryDeps): AzureTelemetry {
  const { clock, redact } = deps
  const outbox = createOutbox<Row>(MOST_ROWS)
  const series = createSeries(MOST_SERIES, clean)
  const line =
    (level: LineRow['level']) =>
    (message: string, fields: LogFields = {}, trace?: TraceParent) => {
      const properties = texts(Object.keys(LOG_FIELDS), fields)
      outbox.add({ kind: 'line', at: clock.now(), level, message: clean(message), properties, ...partOf(trace) })
    }

  function clean(text: string): string {
    const safe = redact(text)
    return safe.length > LONGEST_TEXT ? `${safe.slice(0, LONGEST_TEXT)}...` : safe
  }

  /** The fields of these names that have a value. */
  function texts(names: readonly string[], fields: LogFields): { readonly [name: string]: string } {
    return Object.fromEntries(names.flatMap((name) => (fields[name] === undefined ? [] : [[name, clean(String(fields[name]))]])))
  }

  function addEvent(name: EventName, fields: LogFields, trace: TraceParent | undefined): void {
    const { properties, measurements } = EVENTS[name]
    const numbers = measurements.flatMap((each) => {
      const value = fields[each]
      return typeof value === 'number' && Number.isFinite(value) ? [[each, value] as const] : []
    })
    const row = { at: clock.now(), name, properties: texts(properties, fields), measurements: Object.fromEntries(numbers) }
    outbox.add({ kind: 'event', ...row, ...partOf(trace) })
  }

  function addSpan(name: SpanName, { trace: { traceId, spanId }, from, to, fields }: Span): void {
    const id = spanIdOf(traceId, name)
    const trace = { traceId, spanId: id === spanId ? undefined : spanId }
    outbox.add({ kind: 'span', at: from, ms: Math.max(0, to - from), name, id, trace, properties: texts(SPAN_PROPERTIES, fields) })
  }

  const sending = createSending({ ...deps, outbox, series })
  return {
    debug: () => undefined,
    info: () => undefined,
    warn: line('warn'),
    error: line('error'),
    measure: (name, value, fields) => series.add(name, value, fields),
    event: (name, fields, trace) => addEvent(name, fields, trace),
    span: addSpan,
    flush: () => sending.flush(false),
    flushAll: () => sending.flush(true),
  }
}

function partOf(trace: TraceParent | undefined): { readonly trace?: RowTrace } {
  return trace === undefined ? {} : { trace }
}
