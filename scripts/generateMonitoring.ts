// Writes the tables of docs/monitoring.md from the telemetry contract. Writes the alerts and the workbook, which the template reads.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { alertsFile } from '../infra/monitor/alerts.ts'
import { withTables } from '../infra/monitor/contractTables.ts'
import { workbookFile } from '../infra/monitor/workbook.ts'
import { repositoryRoot } from './floors.ts'

const page = join(repositoryRoot, 'docs/monitoring.md')
writeFileSync(page, withTables(readFileSync(page, 'utf8')))
writeFileSync(join(repositoryRoot, 'infra/alerts/alerts.json'), alertsFile())
writeFileSync(join(repositoryRoot, 'infra/workbook/workbook.json'), workbookFile())
