import { type DimensionName, METRICS, type MetricName } from '../../model/telemetryContract.ts'
import type { LogFields } from '../../ports/telemetry.ts'

/** One series of one metric over one period. */
export type Point = {
  readonly name: MetricName
  readonly dimensions: { readonly [Each in DimensionName]?: string }
  readonly count: number
  readonly sum: number
  readonly least: number
  readonly largest: number
}

export type Series = {
  add(name: MetricName, value: number, fields: LogFields): void
  /** What was told since the last time. */
  take(): readonly Point[]
  /** Points that could not be sent: they count with what was told meanwhile. */
  putBack(points: readonly Point[]): void
  /** Values that found no place since the start. */
  readonly dropped: number
}

/** Adds up what is measured. More than `most` series are not kept: a dimension that grows must not fill the memory, or the bill. Every text passes `clean`. */
export function createSeries(most: number, clean: (text: string) => string): Series {
  let points = new Map<string, Point>()
  let dropped = 0

  function merge(later: Point): void {
    const key = `${later.name} ${JSON.stringify(later.dimensions)}`
    const known = points.get(key)
    if (known === undefined && points.size >= most) dropped += later.count
    else points.set(key, known === undefined ? later : together(known, later))
  }

  return {
    add(name, value, fields) {
      if (!Number.isFinite(value)) return
      merge({ name, dimensions: dimensionsOf(name, fields, clean), count: 1, sum: value, least: value, largest: value })
    },
    take() {
      const taken = [...points.values()]
      points = new Map()
      return taken
    },
    putBack(earlier) {
      const since = [...points.values()]
      points = new Map()
      for (const point of [...earlier, ...since]) merge(point)
    },
    get dropped() {
      return dropped
    },
  }
}

function together(earlier: Point, later: Point): Point {
  if (METRICS[earlier.name].kind === 'state') return later
  return {
    ...earlier,
    count: earlier.count + later.count,
    sum: earlier.sum + later.sum,
    least: Math.min(earlier.least, later.least),
    largest: Math.max(earlier.largest, later.largest),
  }
}

/** Only what the contract lists, in its order. */
function dimensionsOf(name: MetricName, fields: LogFields, clean: (text: string) => string): Point['dimensions'] {
  const listed: readonly DimensionName[] = METRICS[name].dimensions
  return Object.fromEntries(listed.flatMap((each) => (fields[each] === undefined ? [] : [[each, clean(String(fields[each]))]])))
}
