import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { filesOf, linesOf, sampleOf, testsIn } from './sample.ts'

let root = ''

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'sample-'))
})
afterEach(() => {
  rmSync(root, { recursive: true, force: true })
})

function write(file: string, ...lines: readonly string[]): void {
  mkdirSync(dirname(join(root, file)), { recursive: true })
  writeFileSync(join(root, file), lines.join('\n'))
}

describe('files that are mutated', () => {
  it('are those of the folder, without tests and what only they use', () => {
    for (const file of ['a/two.ts', 'a/deep/one.ts', 'a/two.test.ts', 'a/types.test-d.ts', 'a/lib.d.ts', 'a/testing/fake.ts', 'b/other.ts'])
      write(file, 'code()')
    expect(filesOf(root, 'a')).toEqual(['a/deep/one.ts', 'a/two.ts'])
  })
})

describe('lines that are mutated', () => {
  it.each([
    ['', false],
    ['  // why', false],
    ['/** What. */', false],
    [' * more', false],
    ["import { a } from './a.ts'", false],
    ['export type A = { readonly b: number }', false],
    ['  })', false],
    ['}', false],
    ['const a = 1', true],
    ['  return a > 1 ? b : c', true],
    ['export function a(): number {', true],
    ['  typeof a === b,', true],
  ])('%j: %j', (text, isCode) => {
    write('a/one.ts', 'first()', text)
    expect(linesOf(root, ['a/one.ts'])).toEqual([{ file: 'a/one.ts', line: 1 }, ...(isCode ? [{ file: 'a/one.ts', line: 2 }] : [])])
  })
})

describe('the sample', () => {
  const lines = Array.from({ length: 100 }, (_, line) => ({ file: 'a.ts', line }))

  it('is as large as asked for, or all there is, and has each line once', () => {
    expect(sampleOf(lines, 30, 1)).toHaveLength(30)
    expect(sampleOf(lines, 500, 1)).toHaveLength(100)
    expect(new Set(sampleOf(lines, 100, 1))).toEqual(new Set(lines))
  })

  it('is the same for one seed, and another for another', () => {
    expect(sampleOf(lines, 30, 7)).toEqual(sampleOf(lines, 30, 7))
    expect(sampleOf(lines, 30, 7)).not.toEqual(sampleOf(lines, 30, 8))
  })

  it('comes from the whole folder', () => {
    const places = sampleOf(lines, 40, 3).map(({ line }) => Math.floor(line / 25))
    expect(new Set(places).size).toBe(4)
  })
})

describe('tests for the mutants', () => {
  it('are those of the folders and files that are named, and of no folder whose name only begins alike', () => {
    for (const file of ['a/one.test.ts', 'a/one.ts', 'ab/two.test.ts', 'c/three.test.ts', 'c/four.test.ts']) write(file, 'test()')
    expect(testsIn(root, ['a', 'c/three.test.ts'])).toEqual(['a/one.test.ts', 'c/three.test.ts'])
  })
})
