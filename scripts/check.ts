// `npm run check`: runs every gate, cheapest first, and prints one line each. Stops at the first failure. `--no-tests` leaves out the tests, for a
// caller that has just run them. `--keep-going` runs the rest as well. `--report FILE` writes the outcome as JSON.
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import { repositoryRoot } from './floors.ts'
import { runCommand } from './runCommand.ts'

export type Step = { readonly name: string; readonly command: string; readonly args: readonly string[]; readonly isTest?: boolean }
export type StepResult = {
  readonly name: string
  readonly outcome: 'passed' | 'failed' | 'skipped'
  readonly ms: number
  readonly notes: readonly string[]
}

export const STEPS: readonly Step[] = [
  { name: 'format', command: 'biome', args: ['check', '--error-on-warnings', '.'] },
  { name: 'lock file', command: 'node', args: ['scripts/lockPlatforms.ts'] },
  { name: 'types', command: 'tsc', args: ['-p', 'tsconfig.json'] },
  { name: 'types of the core, no platform', command: 'tsc', args: ['-p', 'tsconfig.core.json'] },
  { name: 'lint', command: 'oxlint', args: ['--deny-warnings'] },
  { name: 'floors', command: 'node', args: ['scripts/cruise.ts'] },
  { name: 'dead code', command: 'node', args: ['scripts/deadCode.ts'] },
  { name: 'workflows', command: 'node', args: ['scripts/workflows/main.ts'] },
  { name: 'infra', command: 'node', args: ['infra/check/main.ts'] },
  { name: 'npm test, coverage', command: 'npm', args: ['test', '--', '--coverage', '--reporter=dot'], isTest: true },
  { name: 'plans of the bench in range', command: 'node', args: ['bench/scheduling/checkRanges.ts'] },
  { name: 'casts and suppressions', command: 'node', args: ['scripts/ratchet.ts'] },
  { name: 'bundles', command: 'node', args: ['scripts/build.ts'] },
]

/** Runs the steps in order. After a failure the rest is skipped, unless `keepGoing`. */
export async function runSteps(
  steps: readonly Step[],
  { root, keepGoing, say }: { readonly root: string; readonly keepGoing: boolean; readonly say: (line: string) => void },
): Promise<readonly StepResult[]> {
  const results: StepResult[] = []
  const env = { ...process.env, PATH: `${join(root, 'node_modules/.bin')}:${process.env['PATH'] ?? ''}` }
  for (const step of steps) {
    if (!keepGoing && results.some((result) => result.outcome === 'failed')) {
      results.push({ name: step.name, outcome: 'skipped', ms: 0, notes: [] })
      continue
    }
    const { code, output, ms } = await runCommand(step.command, step.args, { cwd: root, env })
    // A step that did less than its name says must show it.
    const notes = output.split('\n').filter((line) => line.startsWith('skipped:'))
    results.push({ name: step.name, outcome: code === 0 ? 'passed' : 'failed', ms, notes })
    say(`${code === 0 ? 'ok  ' : 'FAIL'} ${step.name.padEnd(32)} ${(ms / 1000).toFixed(1)} s`)
    if (code === 0) for (const note of notes) say(`     ${note}`)
    else say(output.trimEnd())
  }
  return results
}

/** Runs the steps that the arguments select. Returns the exit code. */
export async function check(
  args: readonly string[],
  all: readonly Step[],
  { root, say }: { readonly root: string; readonly say: (line: string) => void },
): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: { 'no-tests': { type: 'boolean' }, 'keep-going': { type: 'boolean' }, report: { type: 'string' } },
  })
  const steps = all.filter((step) => values['no-tests'] !== true || step.isTest !== true)
  const results = await runSteps(steps, { root, keepGoing: values['keep-going'] === true, say })
  for (const { name } of results.filter((result) => result.outcome === 'skipped')) say(`--   ${name} (not run: an earlier step failed)`)
  if (values.report !== undefined) {
    mkdirSync(dirname(values.report), { recursive: true })
    writeFileSync(values.report, JSON.stringify(results, undefined, 2))
  }
  return results.every((result) => result.outcome === 'passed') ? 0 : 1
}

if (import.meta.main)
  process.exitCode = await check(process.argv.slice(2), STEPS, { root: repositoryRoot, say: (line) => console.log(line) })
