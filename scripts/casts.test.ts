import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { countTree, countTrust, unexplainedSuppressions } from './casts.ts'
import { risen } from './ratchet.ts'

/** A constant, so that the texts below do not count as suppressions of this file. */
const SLASHES = '//'
const NONE = { casts: 0, nonNull: 0, suppressions: 0 }

describe('what is taken on trust', () => {
  it.each([
    ['a cast', 'const a = 1 as unknown', { casts: 1 }],
    ['two casts, one in the other', 'const a = (1 as unknown) as string', { casts: 2 }],
    ['a cast of the old form', 'const a = <unknown>1', { casts: 1 }],
    ['a constant', 'const a = [1] as const', {}],
    ['a check of a type', 'const a = 1 satisfies number', {}],
    ['a word', '// "x as y" in words', {}],
    ['what is not null', 'const a = b!.c!', { nonNull: 2 }],
    ['a suppression', `${SLASHES} @ts-expect-error: tried\nconst a: string = 1`, { suppressions: 1 }],
    ['a suppression of the linter', `${SLASHES} oxlint-disable-next-line no-var -- old`, { suppressions: 1 }],
    ['a suppression in a block', `/* ${'eslint-disable'} no-var -- old */`, { suppressions: 1 }],
    ['a suppression of the format', `${SLASHES} biome-ignore format: a table`, { suppressions: 1 }],
    ['a suppression of coverage', `/* ${'v8 ignore'} next -- never */`, { suppressions: 1 }],
    ['a comment about one', `const a = 'oxlint-disable'`, {}],
  ])('%s', (_, source, want) => {
    expect(countTrust(source, 'shim/a.ts')).toEqual({ ...NONE, ...want })
  })

  it.each([
    ['shared/base/a.ts', 0],
    ['shared/wire/a.ts', 0],
    ['test/a.ts', 0],
    ['bench/a.ts', 0],
    ['shim/a.test.ts', 0],
    ['shared/model/a.ts', 1],
    ['local/test/a.ts', 1],
  ])('casts in %s: %i', (path, casts) => {
    expect(countTrust('const a = b! as unknown', path)).toEqual({ ...NONE, nonNull: 1, casts })
  })

  it('adds up over a tree', () => {
    const root = mkdtempSync(join(tmpdir(), 'trust-'))
    onTestFinished(() => rmSync(root, { recursive: true, force: true }))
    writeFileSync(join(root, 'a.ts'), 'export const a = 1 as unknown\n')
    writeFileSync(join(root, 'b.ts'), `${SLASHES} @ts-expect-error: tried\nexport const b = a! as string\n`)
    expect(countTree(root, ['a.ts', 'b.ts'])).toEqual({ casts: 2, nonNull: 1, suppressions: 1 })
  })
})

describe('a suppression', () => {
  it.each([
    ['oxlint-disable-next-line no-var -- legacy', true],
    ['oxlint-disable-next-line typescript/no-var -- legacy', true],
    ['oxlint-disable-line', false],
    ['oxlint-disable-line no-var', false],
    ['oxlint-disable-line no-var -- ', false],
    ['@ts-expect-error: the types lag behind', true],
    ['@ts-expect-error', false],
    ['@ts-ignore the types lag behind', false],
    ['biome-ignore format: a table', true],
    ['biome-ignore format', false],
    ['v8 ignore next -- never runs', true],
    ['v8 ignore next', false],
  ])('%s: %j', (text, isExplained) => {
    expect(unexplainedSuppressions(`const a = 1\n${SLASHES} ${text}\n`)).toHaveLength(isExplained ? 0 : 1)
  })
})

describe('the ratchet', () => {
  it.each(['casts', 'nonNull', 'suppressions'] as const)('holds %s', (key) => {
    expect(risen({ ...NONE, [key]: 2 }, { ...NONE, [key]: 1 })).toEqual([expect.stringMatching(new RegExp(`^${key}: 2\\b.* 1\\b`))])
    expect(risen({ ...NONE, [key]: 1 }, { ...NONE, [key]: 1 })).toEqual([])
    expect(risen(NONE, { ...NONE, [key]: 1 })).toEqual([])
  })
})
