/** Each claim about Joiner on the page has a test: the row links to the test file and names the test's title. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { repositoryRoot } from '../../scripts/floors.ts'
import { read } from './pages.ts'

/** The first row says what the product is. It claims no behaviour, so it needs no test. */
const WHAT_IT_IS = 'runs'

/** The rows of the first table: the subject and the cell about Joiner. */
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
