import { describe, expect, it } from 'vitest'
import { linesOf } from '../karpenterGroup.ts'
import { missingTests } from '../shownTests.ts'
import { RELEASE_GROUPS } from './releaseGroups.ts'

describe('each line of what Karpenter 1.15 changed has one row, and the tests that it names are there', () => {
  it('there are 163 lines', () => {
    expect(Object.values(RELEASE_GROUPS).flatMap(({ kinds }) => linesOf(kinds))).toHaveLength(163)
  })

  for (const [about, { kinds, rows }] of Object.entries(RELEASE_GROUPS)) {
    const count = (wanted: string): number => rows.filter(({ state }) => state === wanted).length
    it(`${about}: ${count('done')} done, ${count('differs')} different, ${count('missing')} missing`, () => {
      expect(rows.map(({ line }) => line)).toEqual(linesOf(kinds))
    })
    for (const row of rows) {
      if (row.state === 'missing') continue
      const { line, what, shown } = row
      it(`${line}: ${what}`, () => {
        expect(Object.values(shown).flat()).not.toEqual([])
        expect(missingTests(shown)).toEqual([])
      })
    }
  }
})
