/** One run of StrykerJS over chosen ranges of code with chosen tests. */
import { Stryker } from '@stryker-mutator/core'

export type Mutant = {
  readonly file: string
  readonly line: number
  /** The range, as StrykerJS takes it: file:line:column-line:column. */
  readonly range: string
  readonly replacement: string
  readonly fate: 'killed' | 'lives' | 'invalid'
}

/** `ranges` and `testFiles` as StrykerJS takes them. Mutants inside a range are found by itself. */
export async function strike(ranges: readonly string[], testFiles: readonly string[]): Promise<readonly Mutant[]> {
  const stryker = new Stryker({
    testRunner: 'vitest',
    plugins: ['@stryker-mutator/vitest-runner'],
    vitest: { configFile: 'scripts/mutate/vitest.config.ts', related: true },
    mutate: [...ranges],
    testFiles: [...testFiles],
    coverageAnalysis: 'perTest',
    // A mistake in a constant of a module takes a new process for each: few, and as easily noticed by reading.
    ignoreStatic: true,
    ignorePatterns: ['dist', 'coverage', '.local'],
    tempDirName: '.local/mutants',
    // The configuration of the compiler is not rewritten: no test compiles.
    tsconfigFile: 'none.json',
    allowEmpty: true,
    concurrency: 1,
    dryRunTimeoutMinutes: 30,
    // Beyond one and a half times what the tests took without the mutant. What is over it counts as killed: a busy machine must not be.
    timeoutMS: 30_000,
    reporters: ['dots'],
  })
  const results = await stryker.runMutationTest()
  return results.flatMap(({ fileName, location: { start, end }, replacement, status }) => {
    const file = fileName.replace(`${process.cwd()}/`, '')
    const fate = fateOf(status)
    const range = `${file}:${start.line}:${start.column}-${end.line}:${end.column}`
    return fate === undefined ? [] : [{ file, line: start.line, range, replacement, fate }]
  })
}

/** Undefined: it was not tried. */
function fateOf(status: string): Mutant['fate'] | undefined {
  if (status === 'Killed' || status === 'Timeout') return 'killed'
  if (status === 'Survived' || status === 'NoCoverage') return 'lives'
  return status === 'Ignored' ? undefined : 'invalid'
}
