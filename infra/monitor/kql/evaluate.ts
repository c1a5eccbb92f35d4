// Evaluates queries over rows. Times, `now` included, are numbers of milliseconds.
import { AGGREGATES } from './aggregates.ts'
import type { Expression, Named, Query } from './parse.ts'
import { type Cell, memberOf, SCALARS, textOf } from './scalars.ts'

export type Row = { readonly [column: string]: Cell }

/** Returns the result of a query. `rows` holds the rows of the table that the query names, with `TimeGenerated` in milliseconds. */
export function evaluateQuery({ operators }: Query, rows: readonly Row[], now: number): readonly Row[] {
  return operators.reduce<readonly Row[]>((held, operator) => {
    switch (operator.kind) {
      case 'where':
        return held.filter((row) => valueOf(operator.condition, row, now) === true)
      case 'extend':
        return held.map((row) => ({ ...row, ...columnsOf(operator.columns, row, now) }))
      case 'project':
        return held.map((row) => columnsOf(operator.columns, row, now))
      case 'order':
        return held.toSorted((one, other) => {
          const order = compare(one[operator.column], other[operator.column])
          return operator.isDescending ? -order : order
        })
      case 'summarize':
        return summarize(held, operator.columns, operator.by, now)
    }
  }, rows)
}

function columnsOf(columns: readonly Named[], row: Row, now: number): Row {
  return Object.fromEntries(columns.map((column) => [nameOf(column), valueOf(column.expression, row, now)]))
}

function summarize(rows: readonly Row[], columns: readonly Named[], by: readonly Named[], now: number): readonly Row[] {
  const groups = new Map<string, { readonly keys: Row; readonly rows: Row[] }>()
  for (const row of rows) {
    const keys = columnsOf(by, row, now)
    const id = JSON.stringify(Object.values(keys))
    const group = groups.get(id) ?? { keys, rows: [] }
    groups.set(id, group)
    group.rows.push(row)
  }
  return [...groups.values()].map((group) => ({ ...group.keys, ...aggregated(columns, group.rows, now) }))
}

function aggregated(columns: readonly Named[], rows: readonly Row[], now: number): Row {
  const cells = columns.map((column): Row => {
    const { expression } = column
    if (expression.kind !== 'call' || expression.name !== 'arg_max') return { [nameOf(column)]: overGroup(expression, rows, now) }
    const [most, ...kept] = expression.args
    if (most === undefined) throw new Error('arg_max needs what is the most')
    const last = rows.reduce((held, row) => (compare(valueOf(most, row, now), valueOf(most, held, now)) > 0 ? row : held))
    const others = kept.map((each): Row => (each.kind === 'star' ? last : { [pathName(each)]: valueOf(each, last, now) }))
    return merged([...others, { [pathName(most)]: valueOf(most, last, now) }])
  })
  return merged(cells)
}

/** Merges rows. Columns of later rows replace those of earlier rows. */
function merged(rows: readonly Row[]): Row {
  return Object.fromEntries(rows.flatMap((row) => Object.entries(row)))
}

/** Returns the value of an expression over a group. Aggregates see all rows, other functions see the results of aggregates. */
function overGroup(expression: Expression, rows: readonly Row[], now: number): Cell {
  switch (expression.kind) {
    case 'call': {
      const aggregate = AGGREGATES[expression.name]
      if (aggregate === undefined)
        return scalar(
          expression.name,
          expression.args.map((each) => overGroup(each, rows, now)),
          now,
        )
      return aggregate(rows.map((row) => expression.args.map((each) => valueOf(each, row, now))))
    }
    case 'binary':
      return scalar(expression.operator, [overGroup(expression.left, rows, now), overGroup(expression.right, rows, now)], now)
    case 'literal':
      return expression.value
    case 'path':
    case 'in':
    case 'star':
      throw new Error(`${JSON.stringify(expression)} is not understood over a group`)
  }
}

function valueOf(expression: Expression, row: Row, now: number): Cell {
  switch (expression.kind) {
    case 'literal':
      return expression.value
    case 'path':
      return expression.names.reduce<Cell>(memberOf, row)
    case 'call':
      return scalar(
        expression.name,
        expression.args.map((each) => valueOf(each, row, now)),
        now,
      )
    case 'binary':
      return scalar(expression.operator, [valueOf(expression.left, row, now), valueOf(expression.right, row, now)], now)
    case 'in':
      return expression.list.some((each) => valueOf(each, row, now) === valueOf(expression.value, row, now))
    case 'star':
      throw new Error('* stands for no value')
  }
}

function scalar(name: string, args: readonly Cell[], now: number): Cell {
  const does = SCALARS[name]
  if (does === undefined) throw new Error(`${name} is not understood: add it to infra/monitor/kql`)
  return does(args, now)
}

function nameOf({ name, expression }: Named): string {
  if (name !== undefined) return name
  // Kusto's names for columns without a name.
  if (expression.kind === 'call' && expression.name === 'bin' && expression.args[0] !== undefined) return pathName(expression.args[0])
  return expression.kind === 'call' ? `${expression.name}_` : pathName(expression)
}

function pathName(expression: Expression): string {
  if (expression.kind !== 'path') throw new Error(`${JSON.stringify(expression)} needs a name`)
  return expression.names.join('_')
}

export function compare(one: Cell, other: Cell): number {
  if (typeof one === 'number' && typeof other === 'number') return one - other
  return textOf(one).localeCompare(textOf(other))
}
