import type { Clock } from '../../ports/clock.ts'
import type { Exporting, Row, Sent } from './exported.ts'
import type { Outbox } from './outbox.ts'
import type { Series } from './series.ts'

/** The most rows of a request: well below the limits of ingestion, which are 64 KB for a row and some MB for a request. */
const ROWS_AT_ONCE = 200
/** Measures are added up over this period, because a point costs as much as an event. */
export const METRIC_PERIOD_MS = 5 * 60_000
const FIRST_PAUSE_MS = 5_000
const LONGEST_PAUSE_MS = 5 * 60_000

export type SendingDeps = {
  readonly clock: Pick<Clock, 'now'>
  readonly exporting: Exporting
  readonly outbox: Outbox<Row>
  readonly series: Series
}

export type Sending = {
  /** Sends what is due. With `all` also sends what is not due yet, or is in a pause. Never rejects. */
  flush(all: boolean): Promise<void>
}

/** Sends the rows of the outbox and the points of the series, one request at a time. */
export function createSending({ clock, exporting, outbox, series }: SendingDeps): Sending {
  const pause = createPause(clock)
  let running: Promise<void> | undefined
  let metricsAt = clock.now() + METRIC_PERIOD_MS
  let refused = 0
  let toldDropped = 0

  /** Sends all rows. Returns false if Azure Monitor asks for a pause. */
  async function sendRows(): Promise<boolean> {
    while (outbox.size > 0) {
      const rows = outbox.take(ROWS_AT_ONCE)
      const sent = await exporting.rows(rows)
      refused += sent.refused
      outbox.putBack(sent.again.flatMap((place) => rows[place] ?? []))
      if (!pause.after(sent)) return false
    }
    return true
  }

  async function sendPoints(): Promise<void> {
    metricsAt = clock.now() + METRIC_PERIOD_MS
    const measured = series.take()
    // This comes after `take`, so that there is space for it even if the series were full.
    reportDropped()
    const points = [...measured, ...series.take()]
    if (points.length === 0) return
    const sent = await exporting.points(points)
    refused += sent.refused
    series.putBack(sent.again.flatMap((place) => points[place] ?? []))
    pause.after(sent)
  }

  /** Measures the number of rows and values that were dropped since the last call. */
  function reportDropped(): void {
    const dropped = outbox.dropped + series.dropped + refused
    if (dropped > toldDropped) series.add('telemetry.dropped', dropped - toldDropped, {})
    toldDropped = dropped
  }

  async function send(all: boolean): Promise<void> {
    if (!pause.isOver() && !all) return
    if (!(await sendRows()) && !all) return
    if (all || clock.now() >= metricsAt) await sendPoints()
  }

  return {
    async flush(all) {
      // Rows that come during a flush are sent with it, or with the next flush. Each invocation ends with a flush.
      if (running !== undefined && !all) return running
      await running
      running = send(all).finally(() => void (running = undefined))
      return running
    },
  }
}

/** A pause that grows after each request that was not accepted as a whole, and ends after one that was. */
function createPause(clock: Pick<Clock, 'now'>) {
  let lastMs = 0
  let overAt = 0
  return {
    isOver: (): boolean => clock.now() >= overAt,
    /** Takes the result of a request. Returns whether the next request may be sent. */
    after({ again, retryAfter }: Sent): boolean {
      if (again.length === 0 && retryAfter === undefined) {
        lastMs = 0
        return true
      }
      lastMs = Math.min(Math.max(FIRST_PAUSE_MS, lastMs * 2), LONGEST_PAUSE_MS)
      overAt = clock.now() + (retryAfter ?? lastMs)
      return false
    },
  }
}
