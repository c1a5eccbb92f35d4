import type { Cell } from './scalars.ts'

/** Computes an aggregate of a group. `rows` holds the arguments for each row of the group. */
type Aggregate = (rows: readonly (readonly Cell[])[]) => Cell

const numbers = (cells: readonly Cell[]): readonly number[] => cells.filter((cell) => typeof cell === 'number')
const column = (rows: readonly (readonly Cell[])[], at = 0): readonly Cell[] => rows.map((row) => row[at])
const passing = (rows: readonly (readonly Cell[])[], at: number): readonly (readonly Cell[])[] => rows.filter((row) => row[at] === true)
const sum = (cells: readonly Cell[]): number => numbers(cells).reduce((total, number) => total + number, 0)
const least = (cells: readonly Cell[]): number | undefined => (numbers(cells).length === 0 ? undefined : Math.min(...numbers(cells)))
const most = (cells: readonly Cell[]): number | undefined => (numbers(cells).length === 0 ? undefined : Math.max(...numbers(cells)))

/** The aggregates. `arg_max` is not here, because it returns several columns. */
export const AGGREGATES: { readonly [name: string]: Aggregate } = {
  count: (rows) => rows.length,
  countif: (rows) => passing(rows, 0).length,
  sum: (rows) => sum(column(rows)),
  sumif: (rows) => sum(column(passing(rows, 1))),
  min: (rows) => least(column(rows)),
  max: (rows) => most(column(rows)),
  minif: (rows) => least(column(passing(rows, 1))),
  maxif: (rows) => most(column(passing(rows, 1))),
  /** By nearest rank. Kusto's own result is close to it. */
  percentile: (rows) => {
    const sorted = numbers(column(rows)).toSorted((one, other) => one - other)
    const share = Number(rows[0]?.[1] ?? 0) / 100
    return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)]
  },
  make_set_if: (rows) => [...new Set(column(passing(rows, 1)))],
  make_bag: (rows) => Object.fromEntries(column(rows).flatMap((bag) => (typeof bag === 'object' ? Object.entries(bag) : []))),
}
