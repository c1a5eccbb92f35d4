/**
 * What a unit of each resource is worth: the prices of the linear programme that buys machines in fractions,
 * min p·x with A·x >= demand and x >= 0. A pod costs at least its amounts at these prices.
 */
export type Column = { readonly price: number; readonly amounts: ArrayLike<number> }

/** Pivots of the simplex method: far more than a handful of rows needs. */
const MOST_PIVOTS = 500
const TINY = 1e-9

/** One price a row. Rows without demand are worth nothing; all zero when no column offers what is asked. */
export function dualPrices(columns: readonly Column[], demand: ArrayLike<number>): Float64Array {
  const prices = new Float64Array(demand.length)
  const rows = Array.from({ length: demand.length }, (_, row) => row).filter((row) => (demand[row] ?? 0) > 0)
  if (rows.length === 0 || columns.length === 0) return prices
  if (rows.some((row) => columns.every(({ amounts }) => !((amounts[row] ?? 0) > 0)))) return prices
  const scaled = scaleRows(columns, demand, rows)
  const solved = solve(scaled)
  for (const [index, row] of rows.entries()) prices[row] = Math.max(0, solved[index] ?? 0) / (demand[row] ?? 1)
  return prices
}

type Programme = { readonly price: Float64Array; readonly cover: readonly Float64Array[] }

/** Every row asks for 1, so that bytes and cores weigh alike. An endless amount covers a row at once. */
function scaleRows(columns: readonly Column[], demand: ArrayLike<number>, rows: readonly number[]): Programme {
  const price = Float64Array.from(columns, (column) => column.price)
  const cover = rows.map((row) =>
    Float64Array.from(columns, ({ amounts }) => Math.min(1, Math.max(0, amounts[row] ?? 0) / (demand[row] ?? 1))),
  )
  return { price, cover }
}

/**
 * The dual, max Σy with Aᵀ·y <= p and y >= 0, by the simplex method on a dense tableau: its start, y = 0, is always feasible.
 */
function solve({ price, cover }: Programme): Float64Array {
  const rows = price.length
  const variables = cover.length
  // Tableau of the constraints, one a column of the primal: variables, then the right-hand side. Slacks are implied by the basis.
  const table = Array.from({ length: rows }, (_, row) => {
    const line = new Float64Array(variables + 1)
    for (let at = 0; at < variables; at++) line[at] = cover[at]?.[row] ?? 0
    line[variables] = price[row] ?? 0
    return line
  })
  const goal = new Float64Array(variables + 1).fill(-1, 0, variables)
  // Which variable each line stands for, and each column; slacks follow the variables.
  const basis = table.map((_, row) => variables + row)
  const outside = Array.from({ length: variables }, (_, at) => at)
  for (let pivot = 0; pivot < MOST_PIVOTS; pivot++) {
    const entering = mostNegative(goal, variables)
    if (entering < 0) break
    const leaving = firstBound(table, entering, variables)
    if (leaving < 0) break
    exchange(table, goal, leaving, entering)
    const line = basis[leaving] ?? 0
    basis[leaving] = outside[entering] ?? 0
    outside[entering] = line
  }
  const values = new Float64Array(variables)
  for (const [row, variable] of basis.entries()) if (variable < variables) values[variable] = table[row]?.[variables] ?? 0
  return values
}

function mostNegative(goal: Float64Array, count: number): number {
  let found = -1
  let least = -TINY
  for (let at = 0; at < count; at++) {
    const value = goal[at] ?? 0
    if (value < least) {
      least = value
      found = at
    }
  }
  return found
}

function firstBound(table: readonly Float64Array[], entering: number, end: number): number {
  let found = -1
  let least = Number.POSITIVE_INFINITY
  for (const [row, line] of table.entries()) {
    const factor = line[entering] ?? 0
    if (factor <= TINY) continue
    const ratio = (line[end] ?? 0) / factor
    if (ratio < least) {
      least = ratio
      found = row
    }
  }
  return found
}

/** One step of elimination with basic and non-basic variable trading places. */
function exchange(table: readonly Float64Array[], goal: Float64Array, leaving: number, entering: number): void {
  const line = table[leaving]
  if (line === undefined) return
  const pivot = line[entering] ?? 1
  for (let at = 0; at < line.length; at++) line[at] = (line[at] ?? 0) / pivot
  line[entering] = 1 / pivot
  for (const other of [...table, goal]) {
    if (other === line) continue
    const factor = other[entering] ?? 0
    if (factor === 0) continue
    other[entering] = 0
    for (let at = 0; at < other.length; at++) other[at] = (other[at] ?? 0) - factor * (line[at] ?? 0)
  }
}
