import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { TestReport } from './testReport.ts'
import { totalsOf } from './totals.ts'

const WHOLE = { hasPublicData: true, hasKubectl: true }
const TESTS: TestReport = { passed: 7, failed: [], skipped: [], retried: [] }
const NAMED = { file: 'shim/config.test.ts', name: 'settings > are read' }

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'totals-'))
})
afterEach(() => {
  rmSync(folder, { recursive: true, force: true })
})

function ran(stages: string, reports: { readonly [file: string]: unknown } = {}, machine = WHOLE) {
  writeFileSync(join(folder, 'stages'), stages)
  for (const [file, report] of Object.entries(reports)) writeFileSync(join(folder, file), JSON.stringify(report))
  return totalsOf(folder, machine)
}

describe('the totals of a run', () => {
  it('add up what tests and gates came to, and each stage without a report as one', () => {
    const check = [{ outcome: 'passed' }, { outcome: 'failed' }, { outcome: 'skipped' }]
    const all = ran('install 0\ntest 0\ncheck 1\nstory 0\n', { 'tests.json': TESTS, 'check.json': check })
    expect(all).toMatchObject({ passed: 10, failed: 1, skipped: 1, notes: ['stage check failed'] })
  })

  it.each([
    { name: 'has no report, since it crashed', stages: 'test 0', reports: {} },
    { name: 'ended badly though no test failed', stages: 'test 1', reports: { 'tests.json': TESTS } },
    { name: 'has no report and ended badly', stages: 'story 3', reports: {} },
    { name: 'has no exit code', stages: 'install', reports: {} },
    { name: 'was killed', stages: 'systems 137', reports: {} },
  ])('have a failure when a stage $name', ({ stages, reports }) => {
    expect(ran(stages, reports)).toMatchObject({ failed: 1 })
  })

  it('name what failed, and count it once', () => {
    const { failed, notes } = ran('test 1', { 'tests.json': { ...TESTS, failed: [NAMED] } })
    expect({ failed, notes }).toEqual({ failed: 1, notes: ['stage test failed', 'failed: shim/config.test.ts > settings > are read'] })
  })

  it('name what passed at the second try, which is no failure', () => {
    const { passed, failed, notes } = ran('test 0', { 'tests.json': { ...TESTS, retried: [NAMED] } })
    expect({ passed, failed, notes }).toEqual({
      passed: 7,
      failed: 0,
      notes: ['passed at the second try: shim/config.test.ts > settings > are read'],
    })
  })
})

describe('a skip', () => {
  const ofData = { file: 'test/peer/engine.test.ts', name: 'scenarios' }
  const skipping = (skipped: TestReport['skipped']) => ({ 'tests.json': { ...TESTS, skipped } })

  it('that nobody expected is a failure', () => {
    expect(ran('test 0', skipping([NAMED]))).toMatchObject({
      failed: 1,
      skipped: 0,
      notes: ['stage test failed', 'skipped, and nobody expected it: shim/config.test.ts > settings > are read'],
    })
  })

  it('for want of something is expected only where that is wanting', () => {
    expect(ran('test 0', skipping([ofData]), { ...WHOLE, hasPublicData: false })).toMatchObject({ failed: 0, skipped: 1 })
    expect(ran('test 0', skipping([ofData]))).toMatchObject({ failed: 1, skipped: 0 })
  })
})
