/**
 * Writes the result of a test run into a file for `scripts/totals.ts`: how many tests passed, and which failed, were skipped or needed a second try.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Reporter, TestCase, TestModule } from 'vitest/node'
import * as z from 'zod'

const Names = z.array(z.strictObject({ file: z.string(), name: z.string() }))
const Report = z.strictObject({
  passed: z.int(),
  failed: Names,
  skipped: Names,
  /** Tests that passed in a second try. */
  retried: Names,
})

export type TestReport = z.infer<typeof Report>
export type Named = z.infer<typeof Names>[number]

export function parseTestReport(json: unknown): TestReport {
  return Report.parse(json)
}

/** Creates a reporter that writes the report when all tests have ended. A run without a report did not end. */
export function createTestReporter(path: string): Reporter {
  return {
    onTestRunEnd(modules, unhandled) {
      const outside = unhandled.map(({ message }) => ({ file: 'outside of any test', name: message }))
      const report = modules.map(reportOf).reduce(joined, { ...NOTHING, failed: outside })
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(path, JSON.stringify(report, undefined, 2))
    },
  }
}

const NOTHING: TestReport = { passed: 0, failed: [], skipped: [], retried: [] }

function reportOf(module: TestModule): TestReport {
  const file = module.relativeModuleId
  const tests = [...module.children.allTests()]
  const named = (isOne: (test: TestCase) => boolean): Named[] => tests.filter(isOne).map((test) => ({ file, name: test.fullName }))
  // A file that cannot be loaded, or a suite whose setup fails, has no failed test.
  const broken = module.state() === 'failed' && tests.every((test) => test.result().state !== 'failed')
  return {
    passed: tests.filter((test) => test.result().state === 'passed').length,
    failed: [...named((test) => test.result().state === 'failed'), ...(broken ? [{ file, name: 'the file itself' }] : [])],
    // A test that never ran did not pass: a hook before it failed, or the run was cut short.
    skipped: named((test) => test.result().state === 'skipped' || test.result().state === 'pending'),
    retried: named((test) => test.diagnostic()?.flaky === true),
  }
}

function joined(first: TestReport, second: TestReport): TestReport {
  return {
    passed: first.passed + second.passed,
    failed: [...first.failed, ...second.failed],
    skipped: [...first.skipped, ...second.skipped],
    retried: [...first.retried, ...second.retried],
  }
}
