import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { repositoryRoot } from '../floors.ts'
import { MUTATED_FOLDERS } from './folders.ts'
import { outcomeOf, readOutcomes, writeOutcome } from './record.ts'
import { filesOf, linesOf } from './sample.ts'

/** Largest growth of a folder since its last run. Beyond it, the folder needs a new run. */
const MOST_GROWN = 1.25

describe('the last runs', () => {
  it.each(MUTATED_FOLDERS)('of $folder: at least $atLeast % killed of at least 200', (target) => {
    const outcome = readOutcomes()[target.folder]
    expect(outcome?.mutants).toBeGreaterThanOrEqual(200)
    expect(outcome?.percent).toBeGreaterThanOrEqual(target.atLeast)
  })

  it.each(MUTATED_FOLDERS)('of $folder are of about the code that is there', ({ folder }) => {
    const then = readOutcomes()[folder]?.lines ?? 0
    const now = linesOf(repositoryRoot, filesOf(repositoryRoot, folder)).length
    expect(now, `lines of ${folder}; at its last run there were ${then}: npm run mutate -- ${folder}`).toBeLessThan(then * MOST_GROWN)
  })

  it('are of folders that are mutated', () => {
    const folders = MUTATED_FOLDERS.map(({ folder }) => folder)
    expect(Object.keys(readOutcomes()).filter((folder) => !folders.includes(folder))).toEqual([])
  })
})

describe('a result', () => {
  const outcome = { seed: 1, date: '2026-01-02', lines: 900, mutants: 200, killed: 160, percent: 80 }

  it('takes the place of the last of its folder, among the others in order', () => {
    const path = join(mkdtempSync(join(tmpdir(), 'record-')), 'results.json')
    onTestFinished(() => rmSync(dirname(path), { recursive: true, force: true }))
    writeFileSync(path, '{}')
    for (const folder of ['shim', 'local', 'test/checker', 'shim'])
      writeOutcome(folder, { ...outcome, seed: folder === 'shim' ? 2 : 1 }, path)
    expect(Object.entries(readOutcomes(path))).toEqual([
      ['local', outcome],
      ['shim', { ...outcome, seed: 2 }],
      ['test/checker', outcome],
    ])
    expect(readFileSync(path, 'utf8')).toMatch(/^\{\n {2}"local": \{\n[^]*\}\n$/)
  })
})

describe('the outcome of a run', () => {
  it('counts mutants that were tried, and rounds down', () => {
    const statuses = ['Killed', 'Timeout', 'Survived', 'NoCoverage', 'Survived', 'Killed', 'Ignored', 'RuntimeError', 'CompileError']
    expect(outcomeOf([...statuses, 'Survived'].map((status) => ({ status })))).toEqual({ mutants: 7, killed: 3, percent: 42.8 })
    expect(outcomeOf([])).toEqual({ mutants: 0, killed: 0, percent: 0 })
  })
})
