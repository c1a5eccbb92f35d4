import Table from 'cli-table3'

/** A measured value with its upper limit (gate) and its target (aim), if it has them. */
export type Figure = {
  readonly what: string
  readonly value: number
  readonly unit: string
  readonly gate?: number
  readonly aim?: number
}

/** Reports whether the value is above its gate. NaN misses every gate. */
export function isMissed({ value, gate }: Figure): boolean {
  return gate !== undefined && !(value <= gate)
}

/** Prints a table, or one line of JSON. With `keepGates`, a missed gate sets the exit code to 1. Gates hold for one size of cluster. */
export function printFigures(figures: readonly Figure[], json: boolean, keepGates = true): void {
  process.exitCode = keepGates && figures.some(isMissed) ? 1 : 0
  if (json) return console.log(JSON.stringify(figures))
  const table = new Table({ head: ['what', 'figure', 'gate', 'aim', ''], style: { head: [], border: [] } })
  for (const figure of figures) {
    const { what, value, gate, aim, unit } = figure
    const limit = (each: number | undefined): string => (each === undefined ? '' : `${each} ${unit}`)
    table.push([what, `${round(value)} ${unit}`, limit(gate), limit(aim), isMissed(figure) ? 'MISSED' : ''])
  }
  console.log(table.toString())
}

function round(value: number): string {
  return value.toFixed(value < 10 ? 2 : 0)
}
