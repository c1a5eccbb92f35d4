import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { casesOf } from './cases.ts'
import { CORPUS_CASES, CORPUS_FILE, corpusNow } from './corpus.ts'

/** The number of differing lines to show. A change of one rule may change hundreds. */
const SHOWN = 10
/** The totals. They are those of all clusters. */
const HEADS = 2

describe('the corpus of random clusters', () => {
  it('is decided to the byte as before, in both placements', { timeout: 600_000 }, () => {
    const cases = Math.min(CORPUS_CASES, casesOf(700))
    const linesOf = (text: string) => (cases === CORPUS_CASES ? text.split('\n') : text.split('\n').slice(HEADS, HEADS + cases))
    const [before, now] = [linesOf(readFileSync(CORPUS_FILE, 'utf8')), linesOf(corpusNow(cases))]
    const changed = now.filter((line, index) => line !== before[index])
    expect(changed.slice(0, SHOWN), `${changed.length} lines differ; test/properties/corpus.ts says what to do`).toEqual([])
    expect(now.length).toBe(before.length)
  })
})
