// What telemetry costs in bytes, series and time: the app's own telemetry and Azure's exporter, against an ingestion endpoint in this process, in
// virtual time where time passes. npm run bench:telemetry [-- --json]
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import Table from 'cli-table3'
import { type Figure, isMissed, telemetryFigures } from './telemetryFigures.ts'
import { startFigure } from './telemetryStart.ts'

const { values } = parseArgs({ options: { json: { type: 'boolean', default: false } } })
const figures: readonly Figure[] = [...(await telemetryFigures()), await startFigure(join(import.meta.dirname, '..'))]
if (values.json) console.log(JSON.stringify(figures))
else {
  const table = new Table({ head: ['what', 'figure', 'gate', 'aim', ''], style: { head: [], border: [] } })
  for (const figure of figures) {
    const { what, value, gate, aim, unit } = figure
    table.push([what, `${round(value)} ${unit}`, `${gate} ${unit}`, `${aim} ${unit}`, isMissed(figure) ? 'MISSED' : ''])
  }
  console.log(table.toString())
}
process.exitCode = figures.some(isMissed) ? 1 : 0

function round(value: number): string {
  return value.toFixed(value < 10 ? 2 : 0)
}
