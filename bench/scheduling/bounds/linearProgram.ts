import loadHighs, { type Highs } from 'highs'

/** The non-zero entries of a row. */
export type Entries = { readonly indices: readonly number[]; readonly values: readonly number[] }

/** A linear programme: minimizes the cost of columns, none of which is negative. `isWhole`: every column is a whole number. */
export type LinearProgram = {
  readonly isWhole?: boolean
  readonly columns: readonly { readonly cost: number; readonly most?: number }[]
  readonly rows: readonly (Entries & { readonly atLeast?: number; readonly atMost?: number })[]
}

export type Solved = {
  readonly objective: number
  /** The dual value of each row: the cost of one more unit of its bound. Without meaning if columns are whole numbers. */
  readonly duals: readonly number[]
}

// The package's types describe its CommonJS form, where the default export is one level deeper.
const load = loadHighs as unknown as (typeof loadHighs)['default']
let loading: Promise<Highs> | undefined

export function loadSolver(): Promise<Highs> {
  loading ??= load()
  return loading
}

/** Solves a linear programme. Undefined if the solver ends without an answer. */
export function solve(highs: Highs, { columns, rows, isWhole = false }: LinearProgram): Solved | undefined {
  const { infinity, constants } = highs
  const starts = new Int32Array(rows.length + 1)
  for (const [index, row] of rows.entries()) starts[index + 1] = (starts[index] ?? 0) + row.indices.length
  const matrix = {
    format: 'csr',
    numRows: rows.length,
    numCols: columns.length,
    starts,
    indices: Int32Array.from(rows.flatMap((row) => row.indices)),
    values: Float64Array.from(rows.flatMap((row) => row.values)),
  } as const
  const data = {
    numCols: columns.length,
    numRows: rows.length,
    colCost: columns.map((column) => column.cost),
    colLower: columns.map(() => 0),
    colUpper: columns.map((column) => column.most ?? infinity),
    rowLower: rows.map((row) => row.atLeast ?? -infinity),
    rowUpper: rows.map((row) => row.atMost ?? infinity),
    matrix,
    ...(isWhole ? { integrality: new Int32Array(columns.length).fill(constants.variableType.integer) } : {}),
  }
  return highs.withModel(data, (model) => {
    model.options.set({ output_flag: false, mip_rel_gap: 0 })
    model.run()
    if (model.getModelStatus() !== constants.modelStatus.optimal) return undefined
    return { objective: model.getObjectiveValue(), duals: [...model.getSolution().rowDual] }
  })
}

/** Returns the pairs as a row, without zeros. */
export function entriesOf(pairs: readonly (readonly [index: number, value: number])[]): Entries {
  const kept = pairs.filter(([, value]) => value !== 0)
  return { indices: kept.map(([index]) => index), values: kept.map(([, value]) => value) }
}
