// Checks whether tests notice mistakes: puts mutants into a seeded sample of a folder's lines, and runs the tests that reach them.
// npm run mutate -- shared/wire [--seed 1] [--lines 200] [--no-record]
// StrykerJS prints the mutants that no test notices, and sets the exit code to 1 if a folder is below its least share.
import { existsSync, mkdirSync, symlinkSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { Stryker } from '@stryker-mutator/core'
import { repositoryRoot } from '../floors.ts'
import type { MutationTarget } from './folders.ts'
import { type Order, orderOf } from './order.ts'
import { outcomeOf, writeOutcome } from './record.ts'
import { filesOf, linesOf, sampleOf, testsIn } from './sample.ts'

/** The folder for the copies of the checkout that get the mutants. */
const COPIES = '.local/mutants'

async function mutate({ folder, atLeast, widerTests }: MutationTarget, { seed, lines, records }: Order): Promise<void> {
  const all = linesOf(repositoryRoot, filesOf(repositoryRoot, folder))
  const stryker = new Stryker({
    testRunner: 'vitest',
    plugins: ['@stryker-mutator/vitest-runner'],
    // Programs in other languages that tests load cannot be loaded twice in threads of the same process.
    vitest: { configFile: 'scripts/mutate/vitest.config.ts', related: true, pool: 'forks' },
    mutate: sampleOf(all, lines, seed).map(({ file, line }) => `${file}:${line}-${line}`),
    testFiles: [...testsIn(repositoryRoot, [folder, ...widerTests])],
    coverageAnalysis: 'perTest',
    // A mutant in a module's constant needs a new process for each. There are few, and reading finds them as easily.
    ignoreStatic: true,
    ignorePatterns: ['dist', 'coverage', '.local'],
    tempDirName: COPIES,
    // The configuration of the compiler is not rewritten: no test compiles.
    tsconfigFile: 'none.json',
    // A mutant that hangs keeps its process waiting, not working, so one core has room for several.
    concurrency: 4,
    dryRunTimeoutMinutes: 30,
    // The time that is added to one and a half times the duration without the mutant. A mutant over the limit counts as killed, and a busy machine
    // must not cause that.
    timeoutMS: 120_000,
    thresholds: { high: 100, low: atLeast, break: atLeast },
    reporters: ['dots', 'clear-text'],
    clearTextReporter: { allowColor: false, logTests: false, reportTests: false },
  })
  const outcome = outcomeOf(await stryker.runMutationTest())
  if (records) writeOutcome(folder, { seed, date: new Date().toISOString().slice(0, 10), lines: all.length, ...outcome })
}

/** Tests look for the public data in a folder beside the checkout. So a copy of the checkout needs it beside itself, too. */
function placeDataBeside(): void {
  mkdirSync(COPIES, { recursive: true })
  if (existsSync('../shared/data') && !existsSync(join(COPIES, 'shared'))) symlinkSync(resolve('../shared'), join(COPIES, 'shared'))
}

const order = orderOf(process.argv.slice(2))
if (typeof order === 'string') {
  console.error(order)
  process.exitCode = 2
} else {
  placeDataBeside()
  for (const target of order.folders) await mutate(target, order)
}
