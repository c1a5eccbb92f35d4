import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { TestModule } from 'vitest/node'
import { createTestReporter, parseTestReport } from './testReport.ts'

type Test = { readonly name: string; readonly state: 'passed' | 'failed' | 'skipped' | 'pending'; readonly flaky?: boolean }

/** Returns a test file with the members that the reporter reads. */
function fileOf(file: string, state: string, ...tests: readonly Test[]): TestModule {
  const all = tests.map(({ name, state: own, flaky }) => ({
    fullName: name,
    result: () => ({ state: own }),
    diagnostic: () => (flaky === undefined ? undefined : { flaky }),
  }))
  return { relativeModuleId: file, state: () => state, children: { allTests: () => all } } as unknown as TestModule
}

async function reportOf(modules: readonly TestModule[], errors: readonly string[] = []) {
  const root = mkdtempSync(join(tmpdir(), 'report-'))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  const path = join(root, 'deep/tests.json')
  await createTestReporter(path).onTestRunEnd?.(
    modules,
    errors.map((message) => ({ message })),
    'passed',
  )
  return parseTestReport(JSON.parse(readFileSync(path, 'utf8')))
}

describe('the report of a run', () => {
  it('is nothing of nothing', async () => expect(await reportOf([])).toEqual({ passed: 0, failed: [], skipped: [], retried: [] }))

  it('adds up what passed, and names the rest', async () => {
    const one = fileOf(
      'a.test.ts',
      'failed',
      { name: 'x', state: 'passed' },
      { name: 'y', state: 'failed' },
      { name: 'z', state: 'skipped' },
    )
    const two = fileOf('b.test.ts', 'passed', { name: 'u', state: 'passed', flaky: false }, { name: 'v', state: 'passed', flaky: true })
    expect(await reportOf([one, two])).toEqual({
      passed: 3,
      failed: [{ file: 'a.test.ts', name: 'y' }],
      skipped: [{ file: 'a.test.ts', name: 'z' }],
      retried: [{ file: 'b.test.ts', name: 'v' }],
    })
  })

  it('counts what never ran as skipped', async () => {
    const { passed, skipped } = await reportOf([fileOf('a.test.ts', 'passed', { name: 'x', state: 'pending' })])
    expect({ passed, skipped }).toEqual({ passed: 0, skipped: [{ file: 'a.test.ts', name: 'x' }] })
  })

  it('has a failure for a file that broke without a test that did', async () => {
    const { failed } = await reportOf([fileOf('a.test.ts', 'failed'), fileOf('b.test.ts', 'failed', { name: 'x', state: 'passed' })])
    expect(failed.map(({ file }) => file)).toEqual(['a.test.ts', 'b.test.ts'])
  })

  it('has a failure for what broke outside of any test', async () => {
    expect((await reportOf([fileOf('a.test.ts', 'passed', { name: 'x', state: 'passed' })], ['lost'])).failed).toEqual([
      { file: 'outside of any test', name: 'lost' },
    ])
  })
})
