// `npm run workflows`: lints the workflows of GitHub with actionlint, which is built once. The workflows can only run on GitHub.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { CACHE } from '../../local/goPrograms.ts'
import { repositoryRoot } from '../floors.ts'
import { findActionlint, lintObstacle, lintWorkflow } from './lintWorkflows.ts'

const folder = join(repositoryRoot, '.github/workflows')
const obstacle = lintObstacle(CACHE, process.env['PATH'] ?? '')

if (obstacle === undefined) {
  const actionlint = await findActionlint(CACHE, (line) => console.log(line))
  for (const file of readdirSync(folder)) {
    const found = await lintWorkflow(actionlint, readFileSync(join(folder, file), 'utf8'))
    for (const line of found) console.error(line.replace('<stdin>', join('.github/workflows', file)))
    if (found.length > 0) process.exitCode = 1
  }
} else {
  console.log(`skipped: ${obstacle}`)
}
