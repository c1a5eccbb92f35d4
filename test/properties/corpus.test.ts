import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { CORPUS_FILE, corpusNow } from './corpus.ts'

/** The number of differing lines to show. A change of one rule may change hundreds. */
const SHOWN = 10

describe('the corpus of random clusters', () => {
  it('is decided to the byte as before, in both placements', { timeout: 600_000 }, () => {
    const before = readFileSync(CORPUS_FILE, 'utf8').split('\n')
    const now = corpusNow().split('\n')
    const changed = now.filter((line, index) => line !== before[index])
    expect(changed.slice(0, SHOWN), `${changed.length} lines differ; test/properties/corpus.ts says what to do`).toEqual([])
    expect(now.length).toBe(before.length)
  })
})
