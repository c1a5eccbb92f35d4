import { DIMENSIONS, METRICS } from '../../shared/model/metrics.ts'
import { EVENTS, LOG_FIELDS, MEASUREMENTS, PROPERTIES, SPANS } from '../../shared/model/telemetryContract.ts'

/** Returns the tables of `docs/monitoring.md`, by the heading above each. */
function contractTables(): { readonly [heading: string]: string } {
  return {
    Events: table(
      ['event', 'when', 'properties', 'measurements'],
      Object.entries(EVENTS).map(([name, { about, properties, measurements }]) => [
        code(name),
        about,
        codes(properties),
        codes(measurements),
      ]),
    ),
    'Properties of events': table(['property', 'meaning'], rowsOf(PROPERTIES)),
    'Measurements of events': table(
      ['measurement', 'unit', 'meaning'],
      Object.entries(MEASUREMENTS).map(([name, { unit, about }]) => [code(name), unit, about]),
    ),
    Metrics: table(
      ['metric', 'unit', 'kind', 'dimensions', 'from', 'to'],
      Object.entries(METRICS).map(([name, { unit, kind, dimensions, from, to }]) => [code(name), unit, kind, codes(dimensions), from, to]),
    ),
    Traces: table(
      ['span', 'from', 'to'],
      Object.entries(SPANS).map(([name, { from, to }]) => [code(name), from, to]),
    ),
    'Dimensions of metrics': table(['dimension', 'meaning'], rowsOf(DIMENSIONS)),
    'Lines of the log': table(['field', 'meaning'], rowsOf(LOG_FIELDS)),
  }
}

/** Returns the page with each table replaced by the current one, below its heading. */
export function withTables(page: string): string {
  return Object.entries(contractTables()).reduce((text, [heading, rows]) => {
    const lines = text.split('\n')
    const start = lines.indexOf(`## ${heading}`)
    if (start === -1) throw new Error(`docs/monitoring.md has no heading "## ${heading}"`)
    const first = lines.findIndex((line, index) => index > start && line.startsWith('|'))
    const next = lines.findIndex((line, index) => index > start && line.startsWith('## '))
    if (first === -1 || (next !== -1 && first > next)) throw new Error(`docs/monitoring.md has no table below "## ${heading}"`)
    const length = lines.slice(first).findIndex((line) => !line.startsWith('|'))
    return lines.toSpliced(first, length, rows).join('\n')
  }, page)
}

function rowsOf(meanings: { readonly [name: string]: string }): readonly (readonly string[])[] {
  return Object.entries(meanings).map(([name, meaning]) => [code(name), meaning])
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}

function code(name: string): string {
  return `\`${name}\``
}

function codes(names: readonly string[]): string {
  return names.map(code).join(', ')
}
