import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseSync } from '@swc/core'
import { describe, expect, it } from 'vitest'
import { isTestFile, repositoryRoot, sourceFiles } from '../../scripts/floors.ts'

const BANNED_NAMES = new Set(['Promise', 'Date', 'PromiseLike', 'setTimeout', 'queueMicrotask'])

/** Names in the source that make a program depend on time or order. The syntax tree is searched, so comments and strings do not count. */
function impurities(source: string): readonly string[] {
  const found = new Set<string>()
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return
    if ('type' in node) {
      if (node.type === 'AwaitExpression') found.add('await')
      if (node.type === 'Identifier' && 'value' in node && BANNED_NAMES.has(String(node.value))) found.add(String(node.value))
    }
    if ('async' in node && node.async === true) found.add('async')
    for (const child of Object.values(node)) visit(child)
  }
  visit(parseSync(source, { syntax: 'typescript', target: 'es2024' }))
  return [...found].sort()
}

describe('engine and model', () => {
  const files = sourceFiles(repositoryRoot).filter((file) => /^shared\/(engine|model)\//.test(file) && !isTestFile(file))

  it('are there', () => expect(files.length).toBeGreaterThan(20))

  it('know no promise and no clock', () => {
    const impure = files
      .map((file) => [file, ...impurities(readFileSync(join(repositoryRoot, file), 'utf8'))])
      .filter((row) => row.length > 1)
    expect(impure).toEqual([])
  })
})

describe('the search for impurities', () => {
  const cases: { readonly [sentence: string]: { readonly source: string; readonly want: readonly string[] } } = {
    'an async function': { source: 'export async function a() {}', want: ['async'] },
    'an async arrow and await': { source: 'export const a = async () => await 1', want: ['async', 'await'] },
    'a promise in a type': { source: 'export type A = Promise<void>', want: ['Promise'] },
    'a date made with new': { source: 'export const a = new Date()', want: ['Date'] },
    'words in comments and texts': { source: "// async Promise\nexport const a = 'await Date'", want: [] },
  }
  for (const [sentence, { source, want }] of Object.entries(cases)) it(`knows ${sentence}`, () => expect(impurities(source)).toEqual(want))
})
