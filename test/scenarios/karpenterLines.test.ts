import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { repositoryRoot, walk } from '../../scripts/floors.ts'
import { KARPENTER_LINES } from './karpenterLines.ts'

/** The number of lines of each kind in the list of Karpenter's own tests. The numbers begin at 01. */
const LISTED: { readonly [concept: string]: { readonly [kind: string]: number } } = {
  evictions: { EV: 14 },
  'conditions, hashes and counts of pools': { PN: 11 },
  'static pools': { SP: 14, SU: 11, SE: 1 },
  'what is known of a cluster': { CL: 22 },
  'buffers, overlays and foretold requests': { BU: 6, OV: 1, VP: 1 },
  'Events, settings and metrics': { EVT: 6, OPT: 8, SCL: 2, MET: 3 },
  'what an API server takes': { AV: 8 },
}

const read = (path: string): string => readFileSync(join(repositoryRoot, path), 'utf8')
const below = (folder: string, pass: (name: string) => boolean): readonly string[] =>
  walk(join(repositoryRoot, folder), pass).map((path) => `${folder}/${path}`)
const isTest = (name: string): boolean => name.endsWith('.test.ts') && name !== 'karpenterLines.test.ts'
const isTable = (name: string): boolean => name.endsWith('.ts') && name !== 'karpenterLines.ts'
const TESTS = [
  ...['shared', 'functions', 'test'].flatMap((folder) => below(folder, isTest)),
  ...below('test/scenarios', isTable),
  'test/schema/karpenterLines.test.ts',
].map(read)

/** The ids at the beginning of test names. */
const NAMED = new Set(
  TESTS.flatMap((text) => [...text.matchAll(/['"`]((?:[A-Z]{2,3}-\d{2}[,:]? )+)/g)].flatMap(([, ids = '']) => idsIn(ids))),
)
const ROWS = KARPENTER_LINES.flatMap(({ lines }) => lines.split(' '))

function idsIn(text: string): readonly string[] {
  return text.match(/[A-Z]{2,3}-\d{2}/g) ?? []
}

function idsOf(kind: string, count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => `${kind}-${String(index + 1).padStart(2, '0')}`)
}

describe('each line of Karpenter’s own tests is in the name of a test, or says why not', () => {
  for (const [concept, kinds] of Object.entries(LISTED)) {
    it(concept, () => {
      const ids = Object.entries(kinds).flatMap(([kind, count]) => idsOf(kind, count))
      expect(ids.filter((id) => !NAMED.has(id) && !ROWS.includes(id))).toEqual([])
    })
  }
})

describe('the lines that are shown under another name, or not at all', () => {
  const known = Object.values(LISTED).flatMap((kinds) => Object.entries(kinds).flatMap(([kind, count]) => idsOf(kind, count)))

  it('are lines of the list, once each, and in the name of no test', () => {
    expect(ROWS.filter((id) => !known.includes(id))).toEqual([])
    expect(ROWS.filter((id, index) => ROWS.indexOf(id) !== index || NAMED.has(id))).toEqual([])
  })

  it.each(KARPENTER_LINES)('$lines: $what', ({ why, shown = {} }) => {
    expect(why !== undefined || Object.keys(shown).length > 0).toBe(true)
    const gone = Object.entries(shown).flatMap(([file, names]) => names.filter((name) => !read(file).includes(name)))
    expect(gone).toEqual([])
  })
})
