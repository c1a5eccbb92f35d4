/** Runs StrykerJS once over chosen ranges of code with chosen tests. */
import { existsSync, mkdirSync, symlinkSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { Stryker } from '@stryker-mutator/core'
import { type Mutant, mutantOf } from './mutant.ts'

/** The folder for the copies of the checkout that get the mutants. */
const COPIES = '.local/mutants'

/** Returns the mutants in these ranges. `ranges` and `testFiles` are in StrykerJS's form. StrykerJS itself finds the mutants inside a range. */
export async function runMutants(ranges: readonly string[], testFiles: readonly string[]): Promise<readonly Mutant[]> {
  placeDataBeside()
  const stryker = new Stryker({
    testRunner: 'vitest',
    plugins: ['@stryker-mutator/vitest-runner'],
    // Programs in other languages that tests load cannot be loaded twice in threads of the same process.
    vitest: { configFile: 'scripts/mutate/vitest.config.ts', related: true, pool: 'forks' },
    mutate: [...ranges],
    testFiles: [...testFiles],
    coverageAnalysis: 'perTest',
    // A mutant in a module's constant needs a new process for each. There are few, and reading finds them as easily.
    ignoreStatic: true,
    ignorePatterns: ['dist', 'coverage', '.local'],
    tempDirName: COPIES,
    // The configuration of the compiler is not rewritten: no test compiles.
    tsconfigFile: 'none.json',
    allowEmpty: true,
    // A mutant that hangs keeps its process waiting, not working, so one core has room for several.
    concurrency: 4,
    dryRunTimeoutMinutes: 30,
    // The time that is added to one and a half times the duration without the mutant. A mutant over the limit counts as killed, and a busy machine
    // must not cause that.
    timeoutMS: 120_000,
    reporters: ['dots'],
  })
  const results = await stryker.runMutationTest()
  return results.flatMap((result) => mutantOf(process.cwd(), result))
}

/** Tests look for the public data in a folder beside the checkout. So a copy of the checkout needs it beside itself, too. */
function placeDataBeside(): void {
  mkdirSync(COPIES, { recursive: true })
  if (existsSync('../shared/data') && !existsSync(join(COPIES, 'shared'))) symlinkSync(resolve('../shared'), join(COPIES, 'shared'))
}
