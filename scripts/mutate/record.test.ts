import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { repositoryRoot } from '../floors.ts'
import { STRUCK } from './folders.ts'
import { readEquivalents, readOutcomes } from './record.ts'

/** Folders whose tests do not yet notice as many mistakes as they should. The list only gets shorter. */
const NOT_YET = [
  'shim',
  'shared/flows',
  'shared/wire',
  'shared/engine/lifecycle',
  'shared/engine/disruption',
  'test/checker',
  'scripts',
  'local',
]

describe('the last strikes', () => {
  it.each(STRUCK.filter(({ folder }) => !NOT_YET.includes(folder)))('of $folder: at least $atLeast % killed of at least 200', (struck) => {
    const outcome = readOutcomes()[struck.folder]
    expect(outcome?.mutants).toBeGreaterThanOrEqual(200)
    expect(outcome?.percent).toBeGreaterThanOrEqual(struck.atLeast)
  })

  it('are of folders that are struck', () => {
    const folders = STRUCK.map(({ folder }) => folder)
    expect(Object.keys(readOutcomes()).filter((folder) => !folders.includes(folder))).toEqual([])
    expect(NOT_YET.filter((folder) => !folders.includes(folder))).toEqual([])
  })
})

describe('survivors that are called equivalent', () => {
  it('are of code that is still there', () => {
    const isGone = ({ file, code }: { readonly file: string; readonly code: string }): boolean =>
      !readFileSync(join(repositoryRoot, file), 'utf8')
        .split('\n')
        .some((line) => line.trim() === code)
    expect(readEquivalents().filter(isGone)).toEqual([])
  })
})
