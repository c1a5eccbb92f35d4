import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { check, runSteps, type Step, type StepResult } from './check.ts'
import { repositoryRoot } from './floors.ts'

const node = (name: string, code: number, isTest = false): Step => ({
  name,
  command: 'node',
  args: ['-e', `console.log('skipped: a part'); console.log('all of ${name}'); process.exit(${code})`],
  isTest,
})
const THREE = [node('one', 0), node('two', 3, true), node('three', 0)]

async function run(args: readonly string[], steps: readonly Step[] = THREE) {
  const lines: string[] = []
  const code = await check(args, steps, { root: repositoryRoot, say: (line) => lines.push(line) })
  return { code, said: lines.join('\n') }
}

describe('npm run check', () => {
  it('is content with steps that pass', async () => {
    const { code, said } = await run([], [node('one', 0)])
    expect(code).toBe(0)
    // A step's lines about what it skipped are printed, and no other lines of it.
    expect(said).toMatch(/^ok {3}one +\d+\.\d s\n {5}skipped: a part$/)
  })

  it('stops at the first failure, says all of it and what is not run', async () => {
    const { code, said } = await run([])
    expect(code).toBe(1)
    expect(said).toMatch(/ok {3}one .*\n.*skipped: a part\nFAIL two +\d+\.\d s\nskipped: a part\nall of two\n-- {3}three \(not run/)
  })

  it('goes on where that is asked for, and has failed all the same', async () => {
    const { code, said } = await run(['--keep-going'])
    expect(code).toBe(1)
    expect(said).toMatch(/FAIL two [^]*ok {3}three /)
    expect(said).not.toContain('not run')
  })

  it('leaves tests out where somebody has just run them', async () => {
    const { code, said } = await run(['--no-tests'])
    expect({ code, hasTests: said.includes('two') }).toEqual({ code: 0, hasTests: false })
  })

  it('writes what came of each step', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'check-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const file = join(folder, 'deep/report.json')
    await run(['--report', file])
    const results: readonly StepResult[] = JSON.parse(readFileSync(file, 'utf8'))
    expect(results).toMatchObject([
      { name: 'one', outcome: 'passed', notes: ['skipped: a part'] },
      { name: 'two', outcome: 'failed', notes: ['skipped: a part'] },
      { name: 'three', outcome: 'skipped', ms: 0, notes: [] },
    ])
    expect(results[0]?.ms).toBeGreaterThan(0)
  })

  it('refuses what it does not know', async () => await expect(run(['--no-such-thing'])).rejects.toThrow())
})

describe('a step', () => {
  const outcomeOf = async (step: Step): Promise<StepResult['outcome'] | undefined> =>
    (await runSteps([step], { root: repositoryRoot, keepGoing: false, say: () => undefined }))[0]?.outcome

  it('fails on a command that is not there', async () => {
    expect(await outcomeOf({ name: 'gone', command: 'no-such-command', args: [] })).toBe('failed')
  })

  it('finds the programs of the project, before those of the machine', async () => {
    expect(await outcomeOf({ name: 'tool', command: 'biome', args: ['--version'] })).toBe('passed')
    const which = "process.exit(process.execPath.includes('node_modules') && process.cwd() === process.argv[1] ? 0 : 1)"
    expect(await outcomeOf({ name: 'node', command: 'node', args: ['-e', which, repositoryRoot] })).toBe('passed')
  })
})
