/** What the page says of Joiner, a test shows: its row links to the file and names the title. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { repositoryRoot } from '../../scripts/floors.ts'
import { read } from './pages.ts'

/** A row that says what is compared, and nothing that it does. */
const WHAT_IT_IS = 'runs'

/** Of the first table: what it is about, and the cell of Joiner. */
const [table = ''] = /^\| \| Joiner \|[\s\S]*?\n\n/m.exec(read('docs/compare.md')) ?? []
const rows = [...table.matchAll(/^\| ([^|]+) \| ([^|]+) \|/gm)]
  .map(([, what = '', joiner = '']) => ({ what, joiner, tests: testsOf(joiner) }))
  .filter(({ what, joiner }) => what !== WHAT_IT_IS && joiner !== '**no**')

describe('docs/compare.md', () => {
  it('is read', () => expect(rows.length).toBeGreaterThan(13))

  it.each(rows)('$what', ({ joiner, tests }) => {
    expect(tests, joiner).not.toEqual([])
    for (const { file, title } of tests) {
      expect(existsSync(join(repositoryRoot, file)), file).toBe(true)
      expect(read(file)).toContain(title)
    }
  })
})

function testsOf(cell: string): readonly { readonly file: string; readonly title: string }[] {
  return [...cell.matchAll(/\[test\]\(\.\.\/([\w./-]+\.test\.ts) "([^"]+)"\)/g)].map(([, file = '', title = '']) => ({ file, title }))
}
