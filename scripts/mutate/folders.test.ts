import { describe, expect, it } from 'vitest'
import { isTestFile, repositoryRoot, walk } from '../floors.ts'
import { foldersNamed, STRUCK } from './folders.ts'
import { filesOf } from './sample.ts'

const TESTS = walk(repositoryRoot, (name) => name.endsWith('.test.ts'))

describe('a folder that is struck', () => {
  it.each(STRUCK)('$folder has code to strike, and tests wherever it says that some are', ({ folder, widerTests }) => {
    expect(filesOf(repositoryRoot, folder).filter((file) => !isTestFile(file)).length).toBeGreaterThan(0)
    const empty = [folder, ...widerTests].filter((each) => !TESTS.some((file) => file.startsWith(`${each}/`)))
    expect(empty).toEqual([])
  })

  it('is named by whoever asks, and no other', () => {
    expect(foldersNamed(['shim', 'local'])).toMatchObject([{ folder: 'shim' }, { folder: 'local' }])
    expect(foldersNamed(['shim', 'docs'])).toMatch(/^docs is not one of the folders: shim, /)
    expect(foldersNamed([])).toMatch(/^name one or more folders: shim, /)
  })
})
