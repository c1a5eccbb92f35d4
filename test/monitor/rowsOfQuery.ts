import type { TableRow } from './tables.ts'

/** Returns the rows of a table of the workspace. */
export type Rows = (table: string) => readonly TableRow[]

export type Found = {
  /** Rows that meet the first condition of the query. */
  readonly rows: readonly TableRow[]
  /** Properties and measurements that the query reads and that no such row has. */
  readonly without: readonly string[]
}

/**
 * The rows that a query finds, judged by its first `where` and the keys that it reads: no test can run the query. An unknown condition is an error,
 * so that no condition is skipped.
 */
export function findRows(query: string, rows: Rows): Found {
  const [, table = ''] = /^(App\w+)/m.exec(query) ?? []
  const [, first] = /^App\w+\n\| where (.+)$/m.exec(query) ?? []
  const conditions = first === undefined ? [] : first.split(' and ').map(conditionOf)
  const found = rows(table).filter((row) => conditions.every((holds) => holds(row)))
  const keys = [...query.matchAll(/\b(Properties|Measurements)\.(\w+)/g)].map(([key]) => key)
  return { rows: found, without: [...new Set(keys)].filter((key) => !found.some((row) => hasValue(row, key))) }
}

function hasValue({ Properties, Measurements }: TableRow, key: string): boolean {
  const [column, name = ''] = key.split('.')
  const value = column === 'Properties' ? Properties[name] : Measurements[name]
  return value !== undefined && value !== ''
}

type Condition = (row: TableRow) => boolean

function conditionOf(text: string): Condition {
  const [, one] = /^Name == "([^"]+)"$/.exec(text) ?? []
  if (one !== undefined) return ({ Name }) => Name === one
  const [, list] = /^Name in \(([^)]+)\)$/.exec(text) ?? []
  if (list !== undefined) {
    const names = [...list.matchAll(/"([^"]+)"/g)].map(([, name]) => name)
    return ({ Name }) => names.some((name) => name === Name)
  }
  const [, key] = /^isnotempty\(tostring\((Properties\.\w+)\)\)$/.exec(text) ?? []
  if (key !== undefined) return (row) => hasValue(row, key)
  const [, least] = /^SeverityLevel >= (\d)$/.exec(text) ?? []
  if (least !== undefined) return ({ SeverityLevel }) => LEVELS.indexOf(String(SeverityLevel)) >= Number(least)
  throw new Error(`condition "${text}" is not understood: add it to test/monitor/rowsOfQuery.ts`)
}

/** Severity levels. The wire has the words, the table has the numbers 0 to 4. */
const LEVELS = ['Verbose', 'Information', 'Warning', 'Error', 'Critical']
