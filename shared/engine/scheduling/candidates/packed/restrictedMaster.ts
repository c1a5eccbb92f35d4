/**
 * The restricted master: how many machines of each pattern to buy, in fractions. It is the linear programme min p·x with A·x >= demand and x >= 0,
 * with a row for each kind of pod and a column for each pattern, solved by the revised simplex method. Columns are offered one after another, since
 * there are far too many patterns to list.
 */
export type Column = { readonly price: number; readonly counts: readonly Count[] }

export type Count = readonly [row: number, count: number]

export interface RestrictedMaster<Offered extends Column> {
  /** What one more pod of each row costs, at the best mix so far. */
  readonly dualValue: Float64Array
  /** Lets the column enter the basis if that makes the mix cheaper. Returns whether it entered. */
  offer(column: Offered): boolean
  /** The cost of the best mix so far, in micro-USD per hour. */
  cost(): number
  /** The columns of the best mix so far, and how many machines of each. */
  solution(): readonly (readonly [column: Offered, times: number])[]
}

/** The coefficient of a surplus variable: pods of a row beyond the demand. */
const SURPLUS = -1
const TINY = 1e-9
/** The share by which a column must be worth more than it costs. */
export const GAIN = 1e-6

/** `alone`: the first basis. It has for each row a column that holds pods of this row alone. */
export function createRestrictedMaster<Offered extends Column>(
  demand: ArrayLike<number>,
  alone: readonly Offered[],
): RestrictedMaster<Offered> {
  const basis: (Offered | undefined)[] = [...alone]
  const table = tableOf(demand, alone)
  const { dualValue, size } = table

  function enter(counts: Column['counts'], price: number, column: Offered | undefined): boolean {
    const line = exchange(table, counts, price)
    if (line < 0) return false
    basis[line] = column
    return true
  }

  /** Lets surplus variables enter the basis for rows with a negative dual value. */
  function admitSurplus(): void {
    for (let turn = 0; turn < size; turn++) {
      const row = mostNegative(dualValue)
      if (row < 0 || !enter([[row, SURPLUS]], 0, undefined)) return
    }
  }

  return {
    dualValue,
    offer(column) {
      if (dualValuesOf(column.counts, dualValue) <= column.price * (1 + GAIN) || !enter(column.counts, column.price, column)) return false
      admitSurplus()
      return true
    },
    cost: () => basis.reduce((sum, column, line) => sum + (column?.price ?? 0) * (table.times[line] ?? 0), 0),
    solution: () => basis.flatMap((column, line) => (column === undefined ? [] : [[column, table.times[line] ?? 0] as const])),
  }
}

export function dualValuesOf(counts: Column['counts'], dualValue: Float64Array): number {
  let sum = 0
  // Hot code: a counter, since an iterator makes an object for each count.
  for (let at = 0; at < counts.length; at++) {
    const each = counts[at]
    if (each !== undefined) sum += (dualValue[each[0]] ?? 0) * each[1]
  }
  return sum
}

/** The basis, with a line for each of its columns. */
type Table = {
  readonly size: number
  /** Inverse of the basis, line after line. */
  readonly inverse: Float64Array
  readonly times: Float64Array
  readonly dualValue: Float64Array
  // Buffers of a pivot.
  readonly steps: Float64Array
  readonly line: Line
}

function tableOf(demand: ArrayLike<number>, alone: readonly Column[]): Table {
  const size = alone.length
  const inverse = new Float64Array(size * size)
  const per = alone.map(({ counts }) => counts[0]?.[1] ?? 1)
  for (let row = 0; row < size; row++) inverse[row * size + row] = 1 / (per[row] ?? 1)
  const times = Float64Array.from(per, (count, row) => (demand[row] ?? 0) / count)
  const dualValue = Float64Array.from(alone, ({ price }, row) => price / (per[row] ?? 1))
  const line = { count: 0, places: new Int32Array(size), cells: new Float64Array(size) }
  return { size, inverse, times, dualValue, steps: new Float64Array(size), line }
}

/** A pivot: the column enters in the line of the first column that it drives out. Returns the line, -1 if it drives out none. */
function exchange(table: Table, counts: Column['counts'], cost: number): number {
  const { size, inverse, times, dualValue, steps, line } = table
  fillSteps(table, counts)
  const leaving = firstOut(steps, times)
  if (leaving < 0) return leaving
  const pivot = steps[leaving] ?? 1
  fillLine(table, leaving * size, pivot)
  times[leaving] = (times[leaving] ?? 0) / pivot
  subtract(dualValue, 0, line, dualValuesOf(counts, dualValue) - cost)
  for (let at = 0; at < size; at++) {
    const factor = at === leaving ? 0 : (steps[at] ?? 0)
    if (factor === 0) continue
    times[at] = Math.max(0, (times[at] ?? 0) - factor * (times[leaving] ?? 0))
    subtract(inverse, at * size, line, factor)
  }
  return leaving
}

/** The first `count` cells of a line that are not zero, and their places. Most cells are zero: a basis begins with columns of one row each. */
type Line = { count: number; readonly places: Int32Array; readonly cells: Float64Array }

/** Divides the line by the pivot. */
function fillLine({ size, inverse, line }: Table, start: number, pivot: number): void {
  const { places, cells } = line
  let count = 0
  for (let place = 0; place < size; place++) {
    const cell = (inverse[start + place] ?? 0) / pivot
    if (cell === 0) continue
    inverse[start + place] = cell
    places[count] = place
    cells[count++] = cell
  }
  line.count = count
}

/** By how much each line shrinks with each unit of the column. */
function fillSteps({ size, inverse, steps }: Table, counts: Column['counts']): void {
  steps.fill(0)
  // Hot code: no destructuring, since it makes an iterator for each count.
  for (const each of counts)
    for (let line = 0, at = each[0]; line < size; line++, at += size) steps[line] = (steps[line] ?? 0) + (inverse[at] ?? 0) * each[1]
}

function firstOut(steps: Float64Array, times: Float64Array): number {
  let found = -1
  let least = Number.POSITIVE_INFINITY
  for (let line = 0; line < steps.length; line++) {
    const step = steps[line] ?? 0
    if (step <= TINY) continue
    const ratio = (times[line] ?? 0) / step
    if (ratio >= least) continue
    least = ratio
    found = line
  }
  return found
}

function subtract(from: Float64Array, start: number, { count, places, cells }: Line, factor: number): void {
  for (let at = 0; at < count; at++) {
    const place = start + (places[at] ?? 0)
    from[place] = (from[place] ?? 0) - factor * (cells[at] ?? 0)
  }
}

function mostNegative(dualValue: Float64Array): number {
  let found = -1
  let least = -GAIN
  for (let row = 0; row < dualValue.length; row++) {
    if ((dualValue[row] ?? 0) >= least) continue
    least = dualValue[row] ?? 0
    found = row
  }
  return found
}
