/** One run of StrykerJS over chosen ranges of code with chosen tests. */
import { existsSync, mkdirSync, symlinkSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { Stryker } from '@stryker-mutator/core'
import { type Mutant, mutantOf } from './mutant.ts'

/** Where copies of the checkout are made and struck. */
const COPIES = '.local/mutants'

/** `ranges` and `testFiles` as StrykerJS takes them. Mutants inside a range are found by itself. */
export async function strike(ranges: readonly string[], testFiles: readonly string[]): Promise<readonly Mutant[]> {
  placeDataBeside()
  const stryker = new Stryker({
    testRunner: 'vitest',
    plugins: ['@stryker-mutator/vitest-runner'],
    // Programs of other languages that tests load do not bear to be loaded again in a thread of the same process.
    vitest: { configFile: 'scripts/mutate/vitest.config.ts', related: true, pool: 'forks' },
    mutate: [...ranges],
    testFiles: [...testFiles],
    coverageAnalysis: 'perTest',
    // A mistake in a constant of a module takes a new process for each: few, and as easily noticed by reading.
    ignoreStatic: true,
    ignorePatterns: ['dist', 'coverage', '.local'],
    tempDirName: COPIES,
    // The configuration of the compiler is not rewritten: no test compiles.
    tsconfigFile: 'none.json',
    allowEmpty: true,
    // A mistake that hangs keeps its process waiting, not working: several beside each other have use for one core.
    concurrency: 4,
    dryRunTimeoutMinutes: 30,
    // Beyond one and a half times what the tests took without the mutant. What is over it counts as killed: a busy machine must not be.
    timeoutMS: 120_000,
    reporters: ['dots'],
  })
  const results = await stryker.runMutationTest()
  return results.flatMap((result) => mutantOf(process.cwd(), result))
}

/** Public data stands in a folder beside the checkout, where tests look for it: a copy of the checkout needs it beside itself. */
function placeDataBeside(): void {
  mkdirSync(COPIES, { recursive: true })
  if (existsSync('../shared/data') && !existsSync(join(COPIES, 'shared'))) symlinkSync(resolve('../shared'), join(COPIES, 'shared'))
}
