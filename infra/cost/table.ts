import { type CostLine, costLines, totalOf } from '../../cli/cost/lines.ts'
import { IDLE, LOAD, SCENARIOS } from '../../cli/cost/scenarios.ts'
import type { Installation, Volumes } from '../../cli/cost/usage.ts'

export type Section = { readonly title: string; readonly installation: Installation; readonly volumes: Volumes }

const HEADINGS = ['what', 'a month', 'unit', 'price', 'free', '$ a month', 'driven by'] as const

/** Returns the bill of one installation as lines of text, the total last. */
export function billText({ title, installation, volumes }: Section): readonly string[] {
  const lines = costLines(installation, volumes)
  const rows = [HEADINGS, ...lines.map(cells), ['total', '', '', '', '', dollars(totalOf(lines)), '']]
  const widths = HEADINGS.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  const isNumber = (column: number): boolean => column === 1 || column === 4 || column === 5
  return [
    title,
    ...rows.map((row) =>
      row
        .map((cell, column) => (isNumber(column) ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0)))
        .join('  ')
        .trimEnd(),
    ),
  ]
}

/** Returns the table of the README: dollars a month for one cluster, idle and with the load that the README describes. */
export function summaryTable(): readonly string[] {
  const cost = (installation: Installation, volumes: Volumes): string => dollars(totalOf(costLines(installation, volumes)))
  return [
    '| | idle | with load |',
    '|---|---|---|',
    ...SCENARIOS.map(({ name, installation }) => `| ${name} | $${cost(installation, IDLE)} | $${cost(installation, LOAD)} |`),
  ]
}

function cells({ what, quantity, unit, usdPer, per, free, usd, drivenBy }: CostLine): readonly string[] {
  const price = `$${plain(usdPer)}${per === 1 ? '' : ` per ${counted(per)}`}`
  return [what, counted(quantity), unit, price, free === 0 ? '' : counted(free), dollars(usd), drivenBy]
}

/** Prints a small price without an exponent. */
function plain(usd: number): string {
  return usd.toFixed(6).replace(/\.?0+$/, '')
}

function counted(quantity: number): string {
  const digits = quantity < 10 && !Number.isInteger(quantity) ? 2 : 0
  return quantity.toFixed(digits).replace(/\B(?=(\d{3})+(?!\d))(?<!\.\d*)/g, ',')
}

function dollars(usd: number): string {
  return usd.toFixed(2)
}
