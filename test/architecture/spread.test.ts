import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseSync } from '@swc/core'
import { describe, expect, it } from 'vitest'
import { isTestFile, repositoryRoot, sourceFiles } from '../../scripts/floors.ts'

/** These methods take any number of arguments and put each on the stack. A list of a hundred thousand items would overflow the stack. */
const TAKING_MANY: ReadonlySet<string> = new Set([
  'push',
  'unshift',
  'splice',
  'toSpliced',
  'concat',
  'max',
  'min',
  'hypot',
  'assign',
  'of',
  'fromCharCode',
  'fromCodePoint',
])

/** The calls of these methods with a spread list. */
function spreads(source: string): readonly string[] {
  const found: string[] = []
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return
    const name = methodOf(node)
    if (name !== undefined && TAKING_MANY.has(name) && hasSpread(node)) found.push(name)
    for (const child of Object.values(node)) visit(child)
  }
  visit(parseSync(source, { syntax: 'typescript', target: 'es2024' }))
  return found
}

function methodOf(node: object): string | undefined {
  if (!('type' in node) || node.type !== 'CallExpression' || !('callee' in node)) return undefined
  const property = memberOf(node.callee, 'property')
  return property !== undefined && 'value' in property ? String(property.value) : undefined
}

function memberOf(node: unknown, name: string): object | undefined {
  const member: unknown = typeof node === 'object' && node !== null ? Reflect.get(node, name) : undefined
  return typeof member === 'object' && member !== null ? member : undefined
}

function hasSpread(call: object): boolean {
  const list: unknown = Reflect.get(call, 'arguments')
  return Array.isArray(list) && list.some((each: unknown) => memberOf(each, 'spread') !== undefined)
}

describe('what ships', () => {
  const files = sourceFiles(repositoryRoot).filter((file) => /^(shared|functions|shim)\//.test(file) && !isTestFile(file))

  it('is there', () => expect(files.length).toBeGreaterThan(100))

  it('spreads no list into a call: addAll, replaceAll, leastOf and largestOf of shared/base/lists.ts take lists of any length', () => {
    const spreading = files
      .map((file) => [file, ...spreads(readFileSync(join(repositoryRoot, file), 'utf8'))])
      .filter((row) => row.length > 1)
    expect(spreading).toEqual([])
  })
})

describe('the search for lists that are spread', () => {
  const cases: { readonly [sentence: string]: { readonly source: string; readonly want: readonly string[] } } = {
    'a list pushed': { source: 'a.push(...b)', want: ['push'] },
    'a list spliced in': { source: 'a.splice(0, a.length, ...b)', want: ['splice'] },
    'the least of a list': { source: 'Math.min(0, ...b.map((each) => each.c))', want: ['min'] },
    'one call inside another': { source: 'a.push(Math.max(...b))', want: ['max'] },
    'a list in a list': { source: 'a.push([...b])', want: [] },
    'arguments one by one': { source: 'a.push(1, 2, 3)', want: [] },
  }
  for (const [sentence, { source, want }] of Object.entries(cases)) it(`knows ${sentence}`, () => expect(spreads(source)).toEqual(want))
})
