// Checks whether tests notice mistakes: puts mutants into a seeded sample of a folder's lines, and runs the tests that reach them.
// npm run mutate -- shared/wire [--seed 1] [--lines 200] [--no-record]
import { repositoryRoot } from '../floors.ts'
import { RESULTS, readEquivalents } from './record.ts'
import { mutateAll, orderOf } from './run.ts'
import { runMutants } from './runMutants.ts'

const order = orderOf(process.argv.slice(2))
if (typeof order === 'string') {
  console.error(order)
  process.exitCode = 2
} else {
  process.exitCode = await mutateAll(order, {
    root: repositoryRoot,
    runMutants,
    listed: readEquivalents(),
    results: RESULTS,
    today: new Date().toISOString().slice(0, 10),
    say: (line) => console.log(line),
  })
}
