import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { missingTests } from '../scenarios/karpenterLines/shownTests.ts'
import type { AzureSection } from './catalogue/azureLine.ts'
import { CLASSES } from './catalogue/classes.ts'
import { LAUNCHES } from './catalogue/launches.ts'
import { LIMITS } from './catalogue/limits.ts'
import { MACHINES } from './catalogue/machines.ts'
import { OTHERS } from './catalogue/others.ts'
import { SIZES } from './catalogue/sizes.ts'

const LIST = '../shared/spec/azure-provider.md'

const TESTS = [...SIZES, ...LAUNCHES, ...MACHINES, ...CLASSES, ...OTHERS]
const SECTIONS = [...TESTS, ...LIMITS]
const ROWS = SECTIONS.flatMap(({ about, rows }) => rows.map((row) => ({ about, ...row })))

function idsOf({ lines }: { readonly lines: string }): readonly string[] {
  return lines.split(' ')
}

function linesOf(sections: readonly AzureSection[]): readonly string[] {
  return sections.flatMap(({ kinds }) =>
    Object.entries(kinds).flatMap(([kind, count]) =>
      Array.from({ length: count }, (_, index) => `${kind}-${String(index + 1).padStart(2, '0')}`),
    ),
  )
}

describe('each line of the list of Karpenter’s provider for Azure, and each of its limits', () => {
  it.each(SECTIONS)('has one row: $about', (section) => {
    expect(section.rows.flatMap(idsOf).sort()).toEqual([...linesOf([section])].sort())
  })

  it.each(ROWS)('$about $lines, which is $is, names tests that are there, or its reason', (row) => {
    const { shown = {} } = 'shown' in row ? row : {}
    expect(missingTests(shown)).toEqual([])
    // A name that is too short would be found anywhere.
    expect(
      Object.values(shown)
        .flat()
        .filter((name) => name.length < 12),
    ).toEqual([])
    if (row.is === 'done' || row.is === 'differs') expect(Object.values(shown).flat().length).toBeGreaterThan(0)
    if (row.is !== 'done') expect(row.why.split(' ').length).toBeGreaterThan(5)
  })

  it.skipIf(!existsSync(LIST))(`is a line of the list, and no line is left out (skipped without ${LIST})`, () => {
    const text = readFileSync(LIST, 'utf8')
    const catalogue = text.slice(text.indexOf('\n## 25. '), text.indexOf('\n## 26. '))
    const listed = [...catalogue.matchAll(/^- ([A-Z][A-Z0-9]-\d+) /gm)].map(([, id]) => id)
    expect([...linesOf(TESTS)].sort()).toEqual(listed.sort())
    const limits = text.slice(text.indexOf('\n## 23. '), text.indexOf('\n## 24. '))
    const [, traps = '', more = '', consequences = ''] = limits.split(/\n### /)
    const counts = [traps.match(/^\d+\. /gm)?.length, (more.match(/^\| /gm)?.length ?? 0) - 1, consequences.match(/^\* /gm)?.length]
    expect(LIMITS.map(({ kinds }) => Object.values(kinds)[0])).toEqual(counts)
  })

  it('is counted', () => {
    const count = (sections: readonly AzureSection[]) =>
      Object.fromEntries(
        ['done', 'differs', 'missing', 'notOurs'].map((is) => [
          is,
          sections
            .flatMap(({ rows }) => rows)
            .filter((row) => row.is === is)
            .flatMap(idsOf).length,
        ]),
      )
    expect(count(TESTS)).toEqual({ done: 208, differs: 40, missing: 6, notOurs: 30 })
    expect(count(LIMITS)).toEqual({ done: 31, differs: 5, missing: 4, notOurs: 4 })
  })
})
