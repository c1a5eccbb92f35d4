// Runs knip, after asking that each program has its entry: without entries there is no dead code to find, and the gate would be green for nothing.

import { entryProblems, missingEntries } from './entries.ts'
import { type Floors, loadFloors, repositoryRoot } from './floors.ts'
import { type CommandResult, runCommand } from './runCommand.ts'

export type DeadCodeOutside = {
  /** Runs knip. Code 127: it could not be started at all. */
  readonly knip: (args: readonly string[]) => Promise<CommandResult>
  readonly say: (line: string) => void
}

/** Its exit code. */
export async function deadCode(root: string, floors: Floors, { knip, say }: DeadCodeOutside): Promise<number> {
  const problems = entryProblems(root, floors)
  const missing = missingEntries(floors)
  for (const problem of problems) say(problem)
  for (const entry of missing) say(`skipped: dead code behind ${entry}, which is not written yet`)
  // What an unwritten program will use looks unused: packages are only counted once every program is there.
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
