// Adds up the results of CI: `node scripts/totals.ts FOLDER` prints `N passed, N failed, N skipped` as its last line. A stage that failed without a
// failure in its report (a crash, a coverage threshold, a missing report) counts as one more failure. So does each test that was skipped and should
// not have been. Tests that needed a second try are named.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod'
import { type Machine, thisMachine, unexpectedSkips } from './expectedSkips.ts'
import { repositoryRoot } from './floors.ts'
import { type Named, parseTestReport } from './testReport.ts'

/** The totals. `notes` holds lines for a person. */
export type Totals = { readonly passed: number; readonly failed: number; readonly skipped: number; readonly notes: readonly string[] }

const Steps = z.array(z.object({ outcome: z.enum(['passed', 'failed', 'skipped']) }))
const NOTHING: Totals = { passed: 0, failed: 0, skipped: 0, notes: [] }

export function testTotals(report: unknown, machine: Machine): Totals {
  const { passed, failed, skipped, retried } = parseTestReport(report)
  const unexpected = unexpectedSkips(skipped, machine)
  const say = (what: string, tests: readonly Named[]): readonly string[] => tests.map(({ file, name }) => `${what}: ${file} > ${name}`)
  return {
    passed,
    failed: failed.length + unexpected.length,
    skipped: skipped.length - unexpected.length,
    notes: [
      ...say('failed', failed),
      ...say('skipped, and nobody expected it', unexpected),
      ...say('passed at the second try', retried),
      ...(retried.length > 0 ? [`${retried.length} needed a second try`] : []),
    ],
  }
}

export function stepTotals(report: unknown): Totals {
  const outcomes = Steps.parse(report).map((step) => step.outcome)
  const count = (outcome: string): number => outcomes.filter((each) => each === outcome).length
  return { passed: count('passed'), failed: count('failed'), skipped: count('skipped'), notes: [] }
}

/** Returns the totals of one stage from its exit code and its report. A stage without a report counts as one test that passed or failed. */
export function stageTotals(code: number, report: Totals | undefined): Totals {
  if (report === undefined) return { ...NOTHING, passed: code === 0 ? 1 : 0, failed: code === 0 ? 0 : 1 }
  return code !== 0 && report.failed === 0 ? { ...report, failed: 1 } : report
}

function add(first: Totals, second: Totals): Totals {
  return {
    passed: first.passed + second.passed,
    failed: first.failed + second.failed,
    skipped: first.skipped + second.skipped,
    notes: [...first.notes, ...second.notes],
  }
}

const REPORTS: { readonly [stage: string]: { readonly file: string; readonly read: (report: unknown, machine: Machine) => Totals } } = {
  test: { file: 'tests.json', read: testTotals },
  systems: { file: 'systems.json', read: testTotals },
  check: { file: 'check.json', read: stepTotals },
}

/**
 * Returns the totals of a folder. It holds a file `stages` with a line of name, exit code and seconds for each stage, and the reports of the stages
 * that write one. `wanted` names the stages that must be there. A stage whose shell was killed leaves no line, and counts as a failure.
 */
export function totalsOf(folder: string, machine: Machine, wanted: readonly string[] = []): Totals {
  const stages = stagesOf(folder)
  const lost = wanted.filter((stage) => !stages.some(([name]) => name === stage))
  const ofLost: Totals = { ...NOTHING, failed: lost.length, notes: lost.map((stage) => `stage ${stage} did not say how it ended`) }
  return stages.reduce((total, [stage = '', code = '1']) => {
    const own = stageTotals(Number(code), reportOf(folder, stage, machine))
    return add(total, own.failed > 0 ? { ...own, notes: [`stage ${stage} failed`, ...own.notes] } : own)
  }, ofLost)
}

/** Returns the stages that the script of CI runs. */
export function stagesIn(script: string): readonly string[] {
  return [...script.matchAll(/^\s*(?:if ! )?stage (\w+) /gm)].flatMap(([, name]) => name ?? [])
}

/** Returns how long each stage took, in a line for a person. */
export function timesOf(folder: string): string {
  return stagesOf(folder)
    .map(([stage, , seconds]) => `${stage} ${seconds} s`)
    .join(', ')
}

function stagesOf(folder: string): readonly (readonly string[])[] {
  const lines = readFileSync(join(folder, 'stages'), 'utf8').trim().split('\n')
  return lines.map((line) => line.split(' '))
}

function reportOf(folder: string, stage: string, machine: Machine): Totals | undefined {
  const report = REPORTS[stage]
  if (report === undefined) return undefined
  const path = join(folder, report.file)
  if (!existsSync(path)) return { ...NOTHING, failed: 1 }
  return report.read(JSON.parse(readFileSync(path, 'utf8')), machine)
}

if (import.meta.main) {
  const folder = process.argv[2] ?? '.local/ci'
  const { passed, failed, skipped, notes } = totalsOf(
    folder,
    thisMachine(),
    stagesIn(readFileSync(join(repositoryRoot, '.ci/run'), 'utf8')),
  )
  console.log(timesOf(folder))
  for (const note of notes) console.log(note)
  console.log(`${passed} passed, ${failed} failed, ${skipped} skipped`)
  process.exitCode = failed > 0 ? 1 : 0
}
