import { type DimensionName, METRICS, type MetricName } from '../../model/telemetryContract.ts'
import type { LogFields } from '../../ports/telemetry.ts'

/** The values of one series of a metric over one period. */
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
  /** Removes and returns the points since the last call. */
  take(): readonly Point[]
  /** Puts points that could not be sent back. They are added to the values that came meanwhile. */
  putBack(points: readonly Point[]): void
  /** The number of values that were dropped for lack of space since the start. */
  readonly dropped: number
}

/**
 * Adds up measures. It keeps at most `most` series, so that a growing dimension fills neither the memory nor the bill. `clean` is applied to every
 * text.
 */
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

/** The dimensions that the contract lists, in its order. */
function dimensionsOf(name: MetricName, fields: LogFields, clean: (text: string) => string): Point['dimensions'] {
  const listed: readonly DimensionName[] = METRICS[name].dimensions
  return Object.fromEntries(listed.flatMap((each) => (fields[each] === undefined ? [] : [[each, clean(String(fields[each]))]])))
}
