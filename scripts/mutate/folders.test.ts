import { describe, expect, it } from 'vitest'
import { isTestFile, repositoryRoot } from '../floors.ts'
import { foldersNamed, MUTATED_FOLDERS } from './folders.ts'
import { filesOf, testsIn } from './sample.ts'

describe('a folder that is mutated', () => {
  it.each(MUTATED_FOLDERS)('$folder has code to mutate, and tests wherever it says that some are', ({ folder, widerTests }) => {
    expect(filesOf(repositoryRoot, folder).filter((file) => !isTestFile(file)).length).toBeGreaterThan(0)
    const empty = [folder, ...widerTests].filter((each) => testsIn(repositoryRoot, [each]).length === 0)
    expect(empty).toEqual([])
  })

  it('is named by whoever asks, and no other', () => {
    expect(foldersNamed(['shim', 'local'])).toMatchObject([{ folder: 'shim' }, { folder: 'local' }])
    expect(foldersNamed(['shim', 'docs'])).toMatch(/^docs is not one of the folders: shim, /)
    expect(foldersNamed([])).toMatch(/^name one or more folders: shim, /)
  })
})
