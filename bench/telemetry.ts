// Measures what telemetry costs in bytes, series and time: the app's own telemetry and Azure's exporter, against an ingestion endpoint in this
// process, in virtual time. npm run bench:telemetry [-- --json]
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { printFigures } from './figures.ts'
import { telemetryFigures } from './telemetryFigures.ts'
import { startFigure } from './telemetryStart.ts'

const { values } = parseArgs({ options: { json: { type: 'boolean', default: false } } })
printFigures([...(await telemetryFigures()), await startFigure(join(import.meta.dirname, '..'))], values.json)
