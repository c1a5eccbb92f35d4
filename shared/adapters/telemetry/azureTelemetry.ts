import { EVENTS, type EventName, LOG_FIELDS } from '../../model/telemetryContract.ts'
import type { Clock } from '../../ports/clock.ts'
import type { LogFields, Telemetry } from '../../ports/telemetry.ts'
import type { Exporting, LineRow, Row } from './exported.ts'
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
 * Sends events, measures and lines from `warn` up to Azure Monitor: only what the contract lists. Saying something costs no more than keeping it
 * in memory, which is bounded. A request that fails is made again after a pause that grows, or after the one that was asked for.
 */
export function createAzureTelemetry(deps: AzureTelemetryDeps): AzureTelemetry {
  const { clock, redact } = deps
  const outbox = createOutbox<Row>(MOST_ROWS)
  const series = createSeries(MOST_SERIES, clean)
  const line =
    (level: LineRow['level']) =>
    (message: string, fields: LogFields = {}) =>
      outbox.add({ kind: 'line', at: clock.now(), level, message: clean(message), properties: texts(Object.keys(LOG_FIELDS), fields) })

  function clean(text: string): string {
    const safe = redact(text)
    return safe.length > LONGEST_TEXT ? `${safe.slice(0, LONGEST_TEXT)}...` : safe
  }

  /** The fields of these names that have a value. */
  function texts(names: readonly string[], fields: LogFields): { readonly [name: string]: string } {
    return Object.fromEntries(names.flatMap((name) => (fields[name] === undefined ? [] : [[name, clean(String(fields[name]))]])))
  }

  function addEvent(name: EventName, fields: LogFields): void {
    const { properties, measurements } = EVENTS[name]
    const numbers = measurements.flatMap((each) => {
      const value = fields[each]
      return typeof value === 'number' && Number.isFinite(value) ? [[each, value] as const] : []
    })
    outbox.add({ kind: 'event', at: clock.now(), name, properties: texts(properties, fields), measurements: Object.fromEntries(numbers) })
  }

  const sending = createSending({ ...deps, outbox, series })
  return {
    debug: () => undefined,
    info: () => undefined,
    warn: line('warn'),
    error: line('error'),
    measure: (name, value, fields) => series.add(name, value, fields),
    event: (name, fields) => addEvent(name, fields),
    flush: () => sending.flush(false),
    flushAll: () => sending.flush(true),
  }
}
