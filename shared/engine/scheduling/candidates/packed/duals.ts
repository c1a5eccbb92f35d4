/**
 * Dual prices of resources, from the linear programme that buys machines in fractions: min p·x with A·x >= demand and x >= 0. In fractions, a pod
 * costs at least its amounts at these prices.
 */
export type MachineColumn = { readonly price: number; readonly amounts: ArrayLike<number> }

/** The most pivots of the simplex method: far more than a handful of rows needs. */
const MOST_PIVOTS = 500
const TINY = 1e-9

/** One price for each row. The price of a row without demand is zero. All prices are zero if no column offers a row that has demand. */
export function dualPrices(columns: readonly MachineColumn[], demand: ArrayLike<number>): Float64Array {
  const prices = new Float64Array(demand.length)
  const rows = Array.from({ length: demand.length }, (_, row) => row).filter((row) => (demand[row] ?? 0) > 0)
  if (rows.length === 0 || columns.length === 0) return prices
  if (rows.some((row) => columns.every(({ amounts }) => !((amounts[row] ?? 0) > 0)))) return prices
  const solved = solve(scaledTable(columns, demand, rows))
  for (const [index, row] of rows.entries()) prices[row] = Math.max(0, solved[index] ?? 0) / (demand[row] ?? 1)
  return prices
}

/** Solves the dual, max Σy with Aᵀ·y <= p and y >= 0, by the simplex method on a dense tableau. The start y = 0 is always feasible. */
function solve(table: Table): Float64Array {
  const { goal, rows, width } = table
  const variables = width - 1
  // The variable of each line and of each column. The numbers of slack variables follow the variables.
  const basis = Int32Array.from({ length: rows }, (_, row) => variables + row)
  const outside = Int32Array.from({ length: variables }, (_, at) => at)
  for (let pivot = 0; pivot < MOST_PIVOTS; pivot++) {
    const entering = mostNegative(goal, variables)
    if (entering < 0) break
    const leaving = firstBound(table, entering)
    if (leaving < 0) break
    exchange(table, leaving, entering)
    const line = basis[leaving] ?? 0
    basis[leaving] = outside[entering] ?? 0
    outside[entering] = line
  }
  const values = new Float64Array(variables)
  for (let row = 0; row < rows; row++) {
    const variable = basis[row] ?? variables
    if (variable < variables) values[variable] = table.cells[row * width + variables] ?? 0
  }
  return values
}

/**
 * The tableau. Each line is a constraint, that is a column of the primal: its coefficients of the variables, then the right-hand side. The basis
 * implies the slack variables.
 */
type Table = { readonly cells: Float64Array; readonly goal: Float64Array; readonly rows: number; readonly width: number }

/** Scales every resource to a demand of 1, so that bytes and cores have the same weight. An infinite amount covers a resource at once. */
function scaledTable(columns: readonly MachineColumn[], demand: ArrayLike<number>, asked: readonly number[]): Table {
  const rows = columns.length
  const variables = asked.length
  const width = variables + 1
  const cells = new Float64Array(rows * width)
  for (let row = 0; row < rows; row++) {
    const { price = 0, amounts = [] }: Partial<MachineColumn> = columns[row] ?? {}
    for (let at = 0; at < variables; at++) {
      const axis = asked[at] ?? 0
      cells[row * width + at] = Math.min(1, Math.max(0, amounts[axis] ?? 0) / (demand[axis] ?? 1))
    }
    cells[row * width + variables] = price
  }
  return { cells, goal: new Float64Array(width).fill(-1, 0, variables), rows, width }
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

function firstBound({ cells, rows, width }: Table, entering: number): number {
  let found = -1
  let least = Number.POSITIVE_INFINITY
  for (let row = 0, start = 0; row < rows; row++, start += width) {
    const factor = cells[start + entering] ?? 0
    if (factor <= TINY) continue
    const ratio = (cells[start + width - 1] ?? 0) / factor
    if (ratio < least) {
      least = ratio
      found = row
    }
  }
  return found
}

/** A pivot: the entering variable takes the place of the leaving variable in the basis. */
function exchange({ cells, goal, rows, width }: Table, leaving: number, entering: number): void {
  const line = cells.subarray(leaving * width, (leaving + 1) * width)
  const pivot = line[entering] ?? 1
  for (let at = 0; at < width; at++) line[at] = (line[at] ?? 0) / pivot
  line[entering] = 1 / pivot
  for (let row = 0; row < rows; row++) if (row !== leaving) eliminate(cells, row * width, line, entering)
  eliminate(goal, 0, line, entering)
}

function eliminate(cells: Float64Array, start: number, line: Float64Array, entering: number): void {
  const factor = cells[start + entering] ?? 0
  if (factor === 0) return
  cells[start + entering] = 0
  for (let at = 0; at < line.length; at++) cells[start + at] = (cells[start + at] ?? 0) - factor * (line[at] ?? 0)
}
