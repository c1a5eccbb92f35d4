// npm run workbook: draws the workbook with the telemetry of three stories, as a page in .local.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { repositoryRoot } from '../../../scripts/floors.ts'
import { playStories } from '../../../test/monitor/stories.ts'
import { drawWorkbook } from './drawWorkbook.ts'

const { html, empty } = drawWorkbook(await playStories(), 'Joiner: the workbook after three stories')
const folder = join(repositoryRoot, '.local')
mkdirSync(folder, { recursive: true })
const file = join(folder, 'workbook.html')
writeFileSync(file, html)
console.log(`the workbook is drawn in ${file}${empty.length === 0 ? '' : `; without rows: ${empty.join(', ')}`}`)
