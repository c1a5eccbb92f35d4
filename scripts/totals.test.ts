import { globSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { EXPECTED_SKIPS, thisMachine } from './expectedSkips.ts'
import { repositoryRoot } from './floors.ts'
import type { TestReport } from './testReport.ts'
import { totalsOf } from './totals.ts'

const WHOLE = { hasPublicData: true, hasKubectl: true, hasGo: true, hasAzd: true, hasPrevious: true }
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

  it('have a failure for a stage that left no line', () => {
    writeFileSync(join(folder, 'stages'), 'install 0 1\n')
    const notes = ['stage rehearse did not say how it ended']
    expect(totalsOf(folder, WHOLE, ['install', 'rehearse'])).toMatchObject({ passed: 1, failed: 1, notes })
  })

  it('are read of every stage, whatever others came to', () => {
    const systems = {
      ...TESTS,
      passed: 2,
      failed: [NAMED],
      skipped: [{ file: 'local/a.test.ts', name: 'the lease stays with a holder who lives, however long, and leaves one who died' }],
    }
    const { passed, failed, skipped, notes } = ran('install 0\ntest 0\nsystems 1\ncheck 0\n', {
      'tests.json': TESTS,
      'systems.json': systems,
      'check.json': [],
    })
    expect({ passed, failed, skipped }).toEqual({ passed: 10, failed: 1, skipped: 1 })
    expect(notes).toEqual(['stage systems failed', 'failed: shim/config.test.ts > settings > are read'])
  })

  it('are those of one stage more for each that says nothing of itself', () => {
    expect(ran('a 0\nb 1\nc 0\n')).toMatchObject({ passed: 2, failed: 1, skipped: 0, notes: ['stage b failed'] })
  })

  it('keep a failure that a report has, whatever the exit code', () => {
    expect(ran('test 0', { 'tests.json': { ...TESTS, failed: [NAMED, NAMED] } })).toMatchObject({ failed: 2 })
    expect(ran('check 0', { 'check.json': [{ outcome: 'failed' }, { outcome: 'failed' }] })).toMatchObject({ passed: 0, failed: 2 })
  })

  it('refuse a report of another form', () => {
    expect(() => ran('check 0', { 'check.json': [{ outcome: 'crashed' }] })).toThrow('outcome')
    expect(() => ran('test 0', { 'tests.json': { ...TESTS, passed: '7' } })).toThrow('passed')
  })

  it('name what failed, and count it once', () => {
    const { failed, notes } = ran('test 1', { 'tests.json': { ...TESTS, failed: [NAMED] } })
    expect({ failed, notes }).toEqual({ failed: 1, notes: ['stage test failed', 'failed: shim/config.test.ts > settings > are read'] })
  })

  it('name and count what passed at the second try, which is no failure', () => {
    const { passed, failed, notes } = ran('test 0', { 'tests.json': { ...TESTS, retried: [NAMED] } })
    expect({ passed, failed, notes }).toEqual({
      passed: 7,
      failed: 0,
      notes: ['passed at the second try: shim/config.test.ts > settings > are read', '1 needed a second try'],
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

  it('by its name is expected in some folders, and not in others', () => {
    const name = 'leases > stays with a holder who lives, however long, and leaves one who died'
    expect(ran('test 0', skipping([{ file: 'test/conformance/a.test.ts', name }]))).toMatchObject({ failed: 0, skipped: 1 })
    expect(ran('test 0', skipping([{ file: 'shim/a.test.ts', name }]))).toMatchObject({ failed: 1, skipped: 0 })
    expect(ran('test 0', skipping([{ file: 'test/conformance/a.test.ts', name: 'another' }]))).toMatchObject({ failed: 1, skipped: 0 })
  })

  it('for want of kubectl is expected only where it is wanting', () => {
    const ofKubectl = { file: 'test/e2e/kubectl.test.ts', name: 'get' }
    expect(ran('test 0', skipping([ofKubectl]), { ...WHOLE, hasKubectl: false })).toMatchObject({ failed: 0, skipped: 1 })
    expect(ran('test 0', skipping([ofKubectl]))).toMatchObject({ failed: 1, skipped: 0 })
  })

  it('is of files that are there, and each list has its reason', () => {
    for (const { files, why } of EXPECTED_SKIPS) {
      expect(why).not.toBe('')
      expect(files.filter((glob) => globSync(glob, { cwd: repositoryRoot }).length === 0)).toEqual([])
    }
  })

  it.each([
    ['true', true],
    ['false', false],
    ['/no/such/program', false],
  ])('asks whether there is a kubectl: %s', (program, hasKubectl) => {
    vi.stubEnv('KUBECTL', program)
    onTestFinished(() => void vi.unstubAllEnvs())
    expect(thisMachine()).toMatchObject({ hasKubectl })
  })
})
