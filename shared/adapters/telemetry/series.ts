import { type DimensionName, METRICS, type MetricName } from '../../model/metrics.ts'
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

/** The most series of a process. */
export const MOST_SERIES = 300
/** The value of a dimension for all values without a series. */
const OTHER = 'other'
/** From these shares of the most series on, a new series loses its last dimension, and then all of its dimensions but the cluster. */
const FOLDS_LAST = 0.9
const FOLDS_ALL = 0.95

/**
 * Adds up measures. It keeps at most `most` series, so that a growing dimension fills neither the memory nor the bill. Where there are many, a value
 * of a further series is added to a series with `other` in place of some dimensions, so that the counts stay right. The dimensions of a metric are in
 * the order of their importance. A state is one value and cannot be added up: without room it is dropped. `clean` is applied to every text.
 */
export function createSeries(most: number, clean: (text: string) => string): Series {
  let points = new Map<string, Point>()
  let dropped = 0

  function merge(later: Point): void {
    const point = placeOf(later)
    const key = seriesKeyOf(point)
    const known = points.get(key)
    if (known === undefined && points.size >= most) dropped += later.count
    else points.set(key, known === undefined ? point : together(known, point))
  }

  /** The point as it is, or folded as far as the room for new series asks for. */
  function placeOf(point: Point): Point {
    const isRoomy = points.size < FOLDS_LAST * most
    if (isRoomy || METRICS[point.name].kind === 'state' || points.has(seriesKeyOf(point))) return point
    const folded = foldedTo(point, METRICS[point.name].dimensions.length - 1)
    return points.size < FOLDS_ALL * most || points.has(seriesKeyOf(folded)) ? folded : foldedTo(point, 0)
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

function seriesKeyOf({ name, dimensions }: Point): string {
  return `${name} ${JSON.stringify(dimensions)}`
}

/** The point with only the first `kept` dimensions of its metric, and always with its cluster. */
function foldedTo(point: Point, kept: number): Point {
  const listed: readonly DimensionName[] = METRICS[point.name].dimensions
  const isKept = (name: DimensionName): boolean => name === 'cluster' || listed.indexOf(name) < kept
  const dimensions = listed.flatMap((each) => {
    const value = point.dimensions[each]
    return value === undefined ? [] : [[each, isKept(each) ? value : OTHER] as const]
  })
  return { ...point, dimensions: Object.fromEntries(dimensions) }
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
