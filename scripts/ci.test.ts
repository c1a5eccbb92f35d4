import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { repositoryRoot } from './floors.ts'
import { stagesIn, timesOf, totalsOf } from './totals.ts'

const SCRIPT = readFileSync(join(repositoryRoot, '.ci/run'), 'utf8')
const [, STAGE] = /^(stage\(\) \{[^]*?^\})$/m.exec(SCRIPT) ?? []

/** Returns the totals and times of a stage of CI that runs this command. */
function stageOf(command: string) {
  const reports = mkdtempSync(join(tmpdir(), 'ci-'))
  onTestFinished(() => rmSync(reports, { recursive: true, force: true }))
  const script = `reports=${reports}\n${STAGE}\nstage programs bash -c '${command}' || true\n`
  execFileSync('bash', ['-uc', script], { stdio: ['ignore', 'ignore', 'ignore'] })
  const { passed, failed } = totalsOf(reports, { hasPublicData: true, hasKubectl: true, hasGo: true, hasAzd: true, hasPrevious: true })
  return { passed, failed, took: timesOf(reports) }
}

describe('the tests that CI runs', () => {
  const { scripts } = JSON.parse(readFileSync(join(repositoryRoot, 'package.json'), 'utf8'))
  const projectsOf = (script: string): readonly string[] => [...script.matchAll(/--project '?!?(\w+)/g)].flatMap(([, name]) => name ?? [])

  it('are all parts of npm run test:all', () => {
    const parts = String(scripts['test:all']).split(' && ')
    expect(parts).toHaveLength(3)
    expect(parts.filter((part) => !SCRIPT.includes(`${part} `) && !SCRIPT.includes(`${part}\n`))).toEqual([])
  })

  it('are in test:systems where npm test leaves them out', () => {
    expect(projectsOf(scripts['test:systems'])).toEqual(projectsOf(scripts.test))
    expect(projectsOf(scripts.test).length).toBeGreaterThan(1)
  })
})

describe('a stage of CI', () => {
  it('is there', () => expect(STAGE).toContain('stages'))
  it('is found in the script, also where it begins a condition or runs beside others', () =>
    expect(stagesIn(SCRIPT)).toEqual(expect.arrayContaining(['install', 'test', 'systems', 'check', 'rehearse'])))
  it('passes when its command does', () => expect(stageOf('exit 0')).toMatchObject({ passed: 1, failed: 0 }))
  it('says how many seconds it took', () => expect(stageOf('exit 0').took).toMatch(/^programs \d s$/))

  it.each([
    ['ends badly', 'exit 3'],
    ['is killed', 'kill -9 $$'],
    ['aborts', 'kill -ABRT $$'],
    ['is not there', 'no-such-command'],
  ])('fails when its command %s', (_, command) => expect(stageOf(command)).toMatchObject({ passed: 0, failed: 1 }))
})
