// Runs knip, after asking that each program has its entry: without entries there is no dead code to find, and the gate would be green for nothing.

import { entryProblems, missingEntries } from './entries.ts'
import { loadFloors, repositoryRoot } from './floors.ts'
import { runCommand } from './runCommand.ts'

const floors = loadFloors()
const problems = entryProblems(repositoryRoot, floors)
for (const problem of problems) console.error(problem)
for (const entry of missingEntries(floors)) console.log(`skipped: dead code behind ${entry}, which is not written yet`)
// What an unwritten program will use looks unused: packages are only counted once every program is there.
const scope = missingEntries(floors).length > 0 ? ['--exclude', 'dependencies'] : []
const { code, output } = await runCommand('knip', ['--no-progress', '--no-config-hints', ...scope], { cwd: repositoryRoot })
// 127: it could not be started at all.
if (code === 127)
  console.error(
    `knip is not there (${output.trimEnd()}); install the packages with npm ci, and start this as npm run check does, or as npx node scripts/deadCode.ts`,
  )
else console.log(output.trimEnd())
process.exitCode = problems.length > 0 ? 1 : code
