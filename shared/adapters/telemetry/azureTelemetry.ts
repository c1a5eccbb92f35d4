import { ownValue } from '../../base/values.ts'
import { EVENTS, type EventName, LOG_FIELDS, SPAN_PROPERTIES, type SpanName } from '../../model/telemetryContract.ts'
import { spanIdOf, type TraceParent } from '../../model/trace.ts'
import type { Clock } from '../../ports/clock.ts'
import type { LogFields, Span, Telemetry } from '../../ports/telemetry.ts'
import type { Exporting, LineRow, Row, RowTrace } from './exported.ts'
import { createOutbox } from './outbox.ts'
import { createSending } from './sending.ts'
import { createSeries, MOST_SERIES } from './series.ts'

/** The most rows that wait. 2,000 rows are about 2 MB. */
const MOST_ROWS = 2_000
/** Longer texts are cut. The message of a row may have 32 KB. */
const LONGEST_TEXT = 2_000

export type AzureTelemetryDeps = {
  readonly clock: Pick<Clock, 'now'>
  readonly exporting: Exporting
  /** Applied to every text before it is kept. */
  readonly redact: (text: string) => string
}

export type AzureTelemetry = Telemetry & {
  /** Sends what is due, one request at a time, until nothing is due or Azure Monitor asks for a pause. Never rejects. */
  flush(): Promise<void>
  /** Sends everything once, even if it is not due yet. */
  flushAll(): Promise<void>
}

/**
 * Telemetry for Azure Monitor: events, spans, measures, and lines from `warn` up. Only names and fields of the contract are sent. A call only keeps
 * its data in memory, which is bounded. A failed request is sent again after a growing pause, or after the pause that Azure Monitor asked for.
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

  /** The fields with these names that have a value, as clean texts. */
  function texts(names: readonly string[], fields: LogFields): { readonly [name: string]: string } {
    return Object.fromEntries(
      names.flatMap((name) => (ownValue(fields, name) === undefined ? [] : [[name, clean(String(ownValue(fields, name)))]])),
    )
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
