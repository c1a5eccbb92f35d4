import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { entryProblems, knipEntries, missingEntries } from './entries.ts'
import { entriesOf, type Floors, floorsOf, isTestFile, loadFloors, programs, sourceFiles, walk } from './floors.ts'

function treeOf(...files: readonly string[]): string {
  const root = mkdtempSync(join(tmpdir(), 'floors-'))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  for (const file of files) {
    mkdirSync(dirname(join(root, file)), { recursive: true })
    writeFileSync(join(root, file), '{}')
  }
  return root
}

const floor = (name: string, folder: string) => ({ name, level: 1, folder, imports: [], packages: [], builtins: false })

function floorsWith(missing: readonly string[] = []): Floors {
  const entries: Floors['entries'] = {
    about: 'of programs',
    missing,
    shim: ['shim/main.ts'],
    local: ['local/start.ts', 'local/**/main.ts'],
  }
  return { floors: [floor('base', 'shared/base'), floor('shim', 'shim')], outside: { folders: ['test', 'docs'] }, entries }
}

describe('files of a tree', () => {
  it('are found in order, without what is built, installed or hidden', () => {
    const kept = ['a/deep/one.ts', 'a/types.test-d.ts', 'b.ts', 'c/two.test.ts']
    const root = treeOf(
      ...kept.toReversed(),
      'a/x.d.ts',
      'a/x.md',
      'node_modules/x.ts',
      'a/node_modules/x.ts',
      'dist/x.ts',
      'coverage/x.ts',
      '.hidden/x.ts',
      '.x.ts',
    )
    symlinkSync(join(root, 'a'), join(root, 'link'))
    expect(sourceFiles(root)).toEqual(kept)
    expect(walk(root, (name) => name.endsWith('.md'))).toEqual(['a/x.md'])
  })

  it.each([
    ['a/b.test.ts', true],
    ['a/b.test-d.ts', true],
    ['a/testing/b.ts', true],
    ['a/b.ts', false],
    ['a/testing.ts', false],
    ['a/b.test.ts.md', false],
    ['a/btest.ts', false],
  ])('%s is of tests: %j', (path, want) => expect(isTestFile(path)).toBe(want))
})

describe('a file', () => {
  it.each([
    ['shared/base/a.ts', ['base']],
    ['shared/basement/a.ts', []],
    ['shim/a.ts', ['shim']],
    ['test/a.ts', ['outside']],
    ['tests/a.ts', []],
    ['a.ts', []],
  ])('%s stands on %j', (path, want) => expect(floorsOf(path, floorsWith())).toEqual(want))
})

describe('programs', () => {
  it('are the folders with entries', () => {
    expect(programs(floorsWith())).toEqual(['shim', 'local'])
    expect(programs(loadFloors())).toContain('functions')
  })

  it.each([
    ['shim', ['shim/main.ts']],
    ['docs', []],
    ['missing', []],
    ['about', []],
  ])('in %s begin at %j', (folder, want) => expect(entriesOf(folder, floorsWith(['shim/main.ts']))).toEqual(want))

  it('are looked through from their entries', () => {
    expect(knipEntries(floorsWith())).toEqual(['shim/main.ts', 'local/start.ts', 'local/**/main.ts'])
  })

  it('are looked through as folders, with all that they may share, while an entry is missing', () => {
    expect(missingEntries(floorsWith(['shim/main.ts']))).toEqual(['shim/main.ts'])
    expect(knipEntries(floorsWith(['shim/main.ts']))).toEqual([
      'shim/main.ts',
      'local/start.ts',
      'local/**/main.ts',
      'shim/**/*.ts',
      'shared/**/*.ts',
    ])
  })

  it.each([
    { name: 'is there', files: ['shim/a.ts', 'shim/main.ts'], missing: [], want: [] },
    { name: 'is not there', files: ['shim/a.ts'], missing: [], want: [/^shim\/main\.ts does not exist/] },
    { name: 'is not written yet', files: ['shim/a.ts'], missing: ['shim/main.ts'], want: [] },
    { name: 'is written by now', files: ['shim/main.ts'], missing: ['shim/main.ts'], want: [/^shim\/main\.ts exists/] },
    { name: 'is of a folder without source', files: ['shim/a.test.ts', 'shimmer/a.ts'], missing: [], want: [] },
    { name: 'is a pattern, and another is there', files: ['local/start.ts'], missing: [], want: [] },
    { name: 'is one of several', files: ['local/deep/main.ts'], missing: [], want: [/^local\/start\.ts does not exist/] },
  ])('have what to do said where an entry $name', ({ files, missing, want }) => {
    expect(entryProblems(treeOf(...files), floorsWith(missing))).toEqual(want.map((text) => expect.stringMatching(text)))
  })
})
