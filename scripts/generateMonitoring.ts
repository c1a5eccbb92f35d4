// Writes the tables of docs/monitoring.md from the telemetry contract.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { withTables } from '../infra/monitor/contractTables.ts'
import { repositoryRoot } from './floors.ts'

const page = join(repositoryRoot, 'docs/monitoring.md')
writeFileSync(page, withTables(readFileSync(page, 'utf8')))
