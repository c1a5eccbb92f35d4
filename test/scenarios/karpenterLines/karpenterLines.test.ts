import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { repositoryRoot, walk } from '../../../scripts/floors.ts'
import { linesOf } from './karpenterGroup.ts'
import { KARPENTER_GROUPS } from './karpenterGroups.ts'
import { missingTests, readTest } from './shownTests.ts'

const below = (folder: string, pass: (name: string) => boolean): readonly string[] =>
  walk(join(repositoryRoot, folder), pass).map((path) => `${folder}/${path}`)
const isTest = (name: string): boolean => name.endsWith('.test.ts') && name !== 'karpenterLines.test.ts'
const isTable = (name: string): boolean => name.endsWith('.ts')
const TESTS = [
  ...['shared', 'functions', 'test'].flatMap((folder) => below(folder, isTest)),
  ...below('test/scenarios', isTable).filter((file) => !/^test\/scenarios\/(karpenterLines|failureStories)\//.test(file)),
  'test/schema/karpenterLines.test.ts',
].map(readTest)

/** The ids at the beginning of test names. */
const NAMED = new Set(
  TESTS.flatMap((text) => [...text.matchAll(/['"`]((?:[A-Z][A-Z0-9]{1,2}-\d{2}[,:]? )+)/g)].flatMap(([, ids = '']) => idsIn(ids))),
)
const KARPENTER_ROWS = KARPENTER_GROUPS.flatMap(({ rows }) => rows)
const ROWS = KARPENTER_ROWS.flatMap(({ lines }) => lines.split(' '))

function idsIn(text: string): readonly string[] {
  return text.match(/[A-Z][A-Z0-9]{1,2}-\d{2}/g) ?? []
}

describe('each line of Karpenter’s own tests is in the name of a test, or says why not', () => {
  for (const { about, kinds } of KARPENTER_GROUPS) {
    it(about, () => {
      expect(linesOf(kinds).filter((id) => !NAMED.has(id) && !ROWS.includes(id))).toEqual([])
    })
  }
})

describe('the lines that are shown under another name, or not at all', () => {
  const known = KARPENTER_GROUPS.flatMap(({ kinds }) => linesOf(kinds))

  it('are lines of the list, once each, and in the name of no test', () => {
    expect(ROWS.filter((id) => !known.includes(id))).toEqual([])
    expect(ROWS.filter((id, index) => ROWS.indexOf(id) !== index || NAMED.has(id))).toEqual([])
  })

  it.each(KARPENTER_ROWS)('$lines: $what', ({ why, shown = {} }) => {
    expect(why !== undefined || Object.keys(shown).length > 0).toBe(true)
    expect(missingTests(shown)).toEqual([])
  })
})
