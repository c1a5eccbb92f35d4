// Adds up what CI ran: `node scripts/totals.ts FOLDER` prints `N passed, N failed, N skipped` as its last line. A stage that ended badly without a
// failure of its own in the reports (a crash, a coverage threshold, a report that is not there) counts as one failure more.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod'

export type Totals = { readonly passed: number; readonly failed: number; readonly skipped: number }

const Tests = z.object({ numPassedTests: z.number(), numFailedTests: z.number(), numPendingTests: z.number(), numTodoTests: z.number() })
const Steps = z.array(z.object({ outcome: z.enum(['passed', 'failed', 'skipped']) }))

export function testTotals(report: unknown): Totals {
  const { numPassedTests, numFailedTests, numPendingTests, numTodoTests } = Tests.parse(report)
  return { passed: numPassedTests, failed: numFailedTests, skipped: numPendingTests + numTodoTests }
}

export function stepTotals(report: unknown): Totals {
  const outcomes = Steps.parse(report).map((step) => step.outcome)
  const count = (outcome: string): number => outcomes.filter((each) => each === outcome).length
  return { passed: count('passed'), failed: count('failed'), skipped: count('skipped') }
}

/** One stage: its exit code together with what its report says. A stage without a report is one thing that passed or failed. */
export function stageTotals(code: number, report: Totals | undefined): Totals {
  if (report === undefined) return { passed: code === 0 ? 1 : 0, failed: code === 0 ? 0 : 1, skipped: 0 }
  return code !== 0 && report.failed === 0 ? { ...report, failed: 1 } : report
}

export function add(first: Totals, second: Totals): Totals {
  return { passed: first.passed + second.passed, failed: first.failed + second.failed, skipped: first.skipped + second.skipped }
}

const REPORTS: { readonly [stage: string]: { readonly file: string; readonly read: (report: unknown) => Totals } } = {
  test: { file: 'tests.json', read: testTotals },
  systems: { file: 'systems.json', read: testTotals },
  check: { file: 'check.json', read: stepTotals },
}

function totalsOf(folder: string): Totals {
  const stages = readFileSync(join(folder, 'stages'), 'utf8').trim().split('\n')
  return stages.reduce<Totals>(
    (total, line) => {
      const [stage = '', code = '1'] = line.split(' ')
      return add(total, stageTotals(Number(code), reportOf(folder, stage)))
    },
    { passed: 0, failed: 0, skipped: 0 },
  )
}

function reportOf(folder: string, stage: string): Totals | undefined {
  const report = REPORTS[stage]
  if (report === undefined) return undefined
  const path = join(folder, report.file)
  if (!existsSync(path)) return { passed: 0, failed: 1, skipped: 0 }
  return report.read(JSON.parse(readFileSync(path, 'utf8')))
}

if (import.meta.main) {
  const { passed, failed, skipped } = totalsOf(process.argv[2] ?? '.local/ci')
  console.log(`${passed} passed, ${failed} failed, ${skipped} skipped`)
  process.exitCode = failed > 0 ? 1 : 0
}
