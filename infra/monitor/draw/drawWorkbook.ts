// Draws the workbook as a page: each panel with the result of its query over rows of the exporter. The portal draws the same content in its own way.
import { evaluateQuery, type Row } from '../kql/evaluate.ts'
import { parseQuery } from '../kql/parse.ts'
import { cellOf } from '../kql/scalars.ts'
import { readQueries } from '../queries.ts'
import { type Item, TABS } from '../tabs.ts'
import { barchart, escaped, table, timechart } from './charts.ts'

/** Returns the rows of a table as the exporter sent them. */
export type ToldRows = (table: string) => readonly { readonly TimeGenerated: string; readonly [column: string]: unknown }[]

export type DrawnWorkbook = {
  readonly html: string
  /** Names of queries that returned no row. */
  readonly empty: readonly string[]
}

/** Severity levels as the exporter sends them. The table holds their index. */
const LEVELS = ['Verbose', 'Information', 'Warning', 'Error', 'Critical']
const MINUTE_MS = 60_000

export function drawWorkbook(told: ToldRows, title: string): DrawnWorkbook {
  const queries = readQueries()
  const empty: string[] = []
  const tabs = TABS.map(({ name, about, items }) => {
    const panels = items.map((item) => {
      const rows = rowsOf(queries.get(item.of) ?? '', told)
      if (rows.length === 0) empty.push(item.of)
      return `<h3>${escaped(item.title)}</h3>${rows.length === 0 ? '<p class="none">no rows</p>' : picture(item, rows)}`
    })
    return `<section><h2>${escaped(name)}</h2><p>${escaped(about)}</p>${panels.join('\n')}</section>`
  })
  return { html: page(title, tabs.join('\n')), empty }
}

/** Returns the result of a query one minute after the last row. */
export function rowsOf(query: string, told: ToldRows): readonly Row[] {
  const parsed = parseQuery(query)
  const rows = told(parsed.table).map(tableRow)
  const last = rows.reduce((latest, { TimeGenerated: at }) => (typeof at === 'number' && at > latest ? at : latest), 0)
  return evaluateQuery(parsed, rows, last + MINUTE_MS)
}

function tableRow({ TimeGenerated, SeverityLevel, DurationMs, ...row }: ReturnType<ToldRows>[number]): Row {
  const level = typeof SeverityLevel === 'string' ? { SeverityLevel: LEVELS.indexOf(SeverityLevel) } : {}
  const cells = Object.entries(row).map(([column, value]) => [column, cellOf(value)] as const)
  const duration =
    DurationMs === undefined ? {} : { DurationMs: typeof DurationMs === 'string' ? millisecondsOf(DurationMs) : cellOf(DurationMs) }
  return { ...Object.fromEntries(cells), ...level, ...duration, TimeGenerated: Date.parse(TimeGenerated) }
}

/** Durations are sent as `d.hh:mm:ss.fff`. The table holds milliseconds. */
function millisecondsOf(text: string): number | undefined {
  const [, days = '0', hours = '', minutes = '', seconds = ''] = /^(?:(\d+)\.)?(\d\d):(\d\d):(\d\d(?:\.\d+)?)$/.exec(text) ?? []
  if (seconds === '') return undefined
  return Math.round((((Number(days) * 24 + Number(hours)) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000)
}

function picture({ picture: kind, columns }: Item, rows: readonly Row[]): string {
  if (kind === 'table' || columns === undefined) return table(rows)
  return kind === 'timechart' ? timechart(rows, columns) : barchart(rows, columns)
}

const STYLE = `body{font:14px system-ui,sans-serif;margin:2em;max-width:1100px}svg{width:100%;max-width:820px;font:11px system-ui,sans-serif}
table{border-collapse:collapse;font-size:12px}td,th{border-bottom:1px solid #ddd;padding:2px 8px;text-align:left}section{border-top:2px solid #333;margin-top:2em}.none{color:#888}`

function page(title: string, body: string): string {
  const name = escaped(title)
  return `<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>${name}</title><style>${STYLE}</style></head><body><h1>${name}</h1>\n${body}\n</body></html>\n`
}
