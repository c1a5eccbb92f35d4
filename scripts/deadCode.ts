// Runs knip, after checking that each program has its entry. Without entries there is no dead code to find, and the gate would pass without a check.

import { entryProblems, missingEntries } from './entries.ts'
import { type Floors, loadFloors, repositoryRoot } from './floors.ts'
import { type CommandResult, runCommand } from './runCommand.ts'

export type DeadCodeOutside = {
  /** Runs knip. Exit code 127 means that it could not be started. */
  readonly knip: (args: readonly string[]) => Promise<CommandResult>
  readonly say: (line: string) => void
}

/** Runs the gate. Returns its exit code. */
export async function deadCode(root: string, floors: Floors, { knip, say }: DeadCodeOutside): Promise<number> {
  const problems = entryProblems(root, floors)
  const missing = missingEntries(floors)
  for (const problem of problems) say(problem)
  for (const entry of missing) say(`skipped: dead code behind ${entry}, which is not written yet`)
  // The packages of a program that is not written yet look unused. Packages are only checked once every program exists.
  const scope = missing.length > 0 ? ['--exclude', 'dependencies'] : []
  const { code, output } = await knip(['--no-progress', '--no-config-hints', ...scope])
  say(code === 127 ? notThere(output.trimEnd()) : output.trimEnd())
  return problems.length > 0 ? 1 : code
}

function notThere(why: string): string {
  return `knip is not there (${why}); install the packages with npm ci, and start this as npm run check does, or as npx node scripts/deadCode.ts`
}

if (import.meta.main) {
  const knip = (args: readonly string[]): Promise<CommandResult> => runCommand('knip', args, { cwd: repositoryRoot })
  process.exitCode = await deadCode(repositoryRoot, loadFloors(), { knip, say: (line) => console.log(line) })
}
