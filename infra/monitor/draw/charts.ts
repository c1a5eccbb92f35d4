// Draws rows as SVG and HTML, without external files or scripts.
import { compare, type Row } from '../kql/evaluate.ts'
import type { Cell } from '../kql/scalars.ts'

export type Columns = { readonly x: string; readonly y: readonly string[]; readonly by?: string }

const [WIDTH, HEIGHT, LEFT, BOTTOM, TOP] = [640, 220, 60, 30, 12]
/** Colours that people with colour blindness can tell apart (Okabe and Ito, 2008). */
const COLOURS = ['#0072b2', '#d55e00', '#009e73', '#cc79a7', '#e69f00', '#56b4e9', '#000000']
const MOST_ROWS = 12
/** An empty cell looks like a mistake. */
const NO_VALUE = '–'

export function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
}

function shown(cell: Cell, column: string): string {
  if (cell === undefined || cell === '') return NO_VALUE
  if (typeof cell === 'number' && TIMES.test(column)) return timeOf(cell)
  if (typeof cell === 'number') return String(Number(cell.toPrecision(4)))
  if (typeof cell !== 'object') return String(cell)
  return Object.keys(cell).length === 0 ? NO_VALUE : JSON.stringify(cell)
}

const TIMES = /^(TimeGenerated|started|until|oldest|newest)$/
/** The last time that a date can hold, in milliseconds. */
const LAST_TIME = 8.64e15
const timeOf = (ms: number): string => (Math.abs(ms) <= LAST_TIME ? new Date(ms).toISOString().replace('T', ' ').slice(0, 19) : NO_VALUE)

export function table(rows: readonly Row[]): string {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))]
  const head = names.map((name) => `<th>${escaped(name)}</th>`).join('')
  const body = rows
    .slice(0, MOST_ROWS)
    .map((row) => `<tr>${names.map((name) => `<td>${escaped(shown(row[name], name))}</td>`).join('')}</tr>`)
  const more = rows.length > MOST_ROWS ? `<p>and ${rows.length - MOST_ROWS} more rows</p>` : ''
  return `<table><tr>${head}</tr>${body.join('')}</table>${more}`
}

/** Draws a line over time for each value of `by`. */
export function timechart(rows: readonly Row[], { x, y: [y = ''], by }: Columns): string {
  const points = rows.flatMap((row) => {
    const [at, value] = [row[x], row[y]]
    return typeof at === 'number' && typeof value === 'number' ? [{ at, value, line: by === undefined ? y : shown(row[by], by) }] : []
  })
  const times = points.map(({ at }) => at)
  const [first, last] = [Math.min(...times), Math.max(...times)]
  const most = topOf(points)
  const placeX = (at: number): number => LEFT + (last === first ? 0.5 : (at - first) / (last - first)) * (WIDTH - LEFT - 10)
  const placeY = (value: number): number => TOP + (1 - value / most) * (HEIGHT - TOP - BOTTOM)
  const lines = [...new Set(points.map(({ line }) => line))].sort().map((line, index) => {
    const own = points.filter((point) => point.line === line).toSorted((one, other) => one.at - other.at)
    const colour = COLOURS[index % COLOURS.length] ?? ''
    const path = own.map(({ at, value }) => `${placeX(at).toFixed(1)},${placeY(value).toFixed(1)}`)
    const dots = path.map((place) => `<circle cx="${place.split(',')[0]}" cy="${place.split(',')[1]}" r="2.5" fill="${colour}"/>`)
    return `<polyline fill="none" stroke="${colour}" stroke-width="1.5" points="${path.join(' ')}"/>${dots.join('')}${legend(line, colour, index)}`
  })
  const ends = `<text x="${LEFT}" y="${HEIGHT - 10}">${timeOf(first)}</text><text x="${WIDTH - 10}" y="${HEIGHT - 10}" text-anchor="end">${timeOf(last)}</text>`
  return frame(`${scale(most)}${ends}${lines.join('')}`)
}

/** Draws a bar for each row. */
export function barchart(rows: readonly Row[], { x, y: [y = ''] }: Columns): string {
  const bars = rows
    .flatMap((row) => (typeof row[y] === 'number' ? [{ name: shown(row[x], x), value: row[y] }] : []))
    .toSorted((one, other) => compare(one.name, other.name))
  const most = topOf(bars)
  const width = (WIDTH - LEFT - 10) / Math.max(1, bars.length)
  const drawn = bars.map(({ name, value }, index) => {
    const height = (value / most) * (HEIGHT - TOP - BOTTOM)
    const left = LEFT + index * width + 4
    return `<rect x="${left.toFixed(1)}" y="${(HEIGHT - BOTTOM - height).toFixed(1)}" width="${(width - 8).toFixed(1)}" height="${height.toFixed(1)}" fill="${COLOURS[0]}"/><text x="${left.toFixed(1)}" y="${HEIGHT - 10}">${escaped(name)}</text>`
  })
  return frame(`${scale(most)}${drawn.join('')}`)
}

function legend(line: string, colour: string, index: number): string {
  return `<text x="${WIDTH + 8}" y="${TOP + 12 + index * 15}" fill="${colour}">${escaped(line === NO_VALUE ? '(none)' : line)}</text>`
}

/** The upper end of the axis. If all values are zero, the axis ends at 1. */
function topOf(values: readonly { readonly value: number }[]): number {
  return Math.max(...values.map(({ value }) => value)) || 1
}

function scale(most: number): string {
  const axis = `<path d="M${LEFT} ${TOP}V${HEIGHT - BOTTOM}H${WIDTH - 10}" fill="none" stroke="#888"/>`
  return `${axis}<text x="${LEFT - 6}" y="${TOP + 8}" text-anchor="end">${shown(most, '')}</text><text x="${LEFT - 6}" y="${HEIGHT - BOTTOM}" text-anchor="end">0</text>`
}

function frame(inner: string): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH + 180} ${HEIGHT}" role="img">${inner}</svg>`
}
