import type { Clock } from '../../ports/clock.ts'
import type { Exporting, Row, Sent } from './exported.ts'
import type { Outbox } from './outbox.ts'
import type { Series } from './series.ts'

/** Of one request: well below the limit of ingestion, which is 64 KB a row and some MB a request. */
const ROWS_AT_ONCE = 200
/** A point costs as much as an event, so what is measured is added up for this long. */
export const METRIC_PERIOD_MS = 5 * 60_000
const FIRST_PAUSE_MS = 5_000
const LONGEST_PAUSE_MS = 5 * 60_000

export type SendingDeps = {
  readonly clock: Pick<Clock, 'now'>
  readonly load: () => Promise<Exporting>
  readonly outbox: Outbox<Row>
  readonly series: Series
}

export type Sending = {
  /** Sends what is due; with `all` also what is young, or must wait. Never rejects. */
  flush(all: boolean): Promise<void>
}

/** Empties outbox and series, one request at a time. */
export function createSending({ clock, load, outbox, series }: SendingDeps): Sending {
  const pause = createPause(clock)
  let exporting: Promise<Exporting> | undefined
  let running: Promise<void> | undefined
  let metricsAt = clock.now() + METRIC_PERIOD_MS
  let refused = 0
  let toldDropped = 0

  function loaded(): Promise<Exporting> {
    exporting ??= load()
    return exporting
  }

  /** False when Azure Monitor wants to be left alone. */
  async function sendRows(): Promise<boolean> {
    while (outbox.size > 0) {
      const { rows: send } = await loaded()
      const rows = outbox.take(ROWS_AT_ONCE)
      const sent = await send(rows)
      refused += sent.refused
      outbox.putBack(sent.again.flatMap((place) => rows[place] ?? []))
      if (!pause.after(sent)) return false
    }
    return true
  }

  async function sendPoints(): Promise<void> {
    metricsAt = clock.now() + METRIC_PERIOD_MS
    const measured = series.take()
    // Afterwards, so that it has a place however full the series were.
    tellDropped()
    const points = [...measured, ...series.take()]
    if (points.length === 0) return
    const { points: send } = await loaded()
    const sent = await send(points)
    series.putBack(sent.again.flatMap((place) => points[place] ?? []))
    pause.after(sent)
  }

  /** Losses are measured like anything else. */
  function tellDropped(): void {
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
      // What comes while one is under way goes with it, or with the next flush: each invocation ends with one.
      if (running !== undefined && !all) return running
      await running
      running = send(all)
        // A package that cannot be loaded: the next flush tries again. Telemetry fails alone.
        .catch(() => void (exporting = undefined))
        .finally(() => void (running = undefined))
      return running
    },
  }
}

/** Longer after each request that was not taken whole, until one is. */
function createPause(clock: Pick<Clock, 'now'>) {
  let lastMs = 0
  let overAt = 0
  return {
    isOver: (): boolean => clock.now() >= overAt,
    /** Whether to go on. */
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
