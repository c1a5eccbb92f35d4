/** Each row of the page names the test that shows it. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { repositoryRoot } from '../../scripts/floors.ts'
import { read } from './pages.ts'

const rows = [...read('docs/operate.md').matchAll(/^\| (.+?) \| (.+) \|$/gm)].filter(([, what]) => what !== 'what happens')

describe('docs/operate.md', () => {
  it('is read', () => expect(rows.length).toBeGreaterThan(15))

  it.each(rows.map(([, what = '', shownBy = '']) => ({ what, shownBy })))('$what', ({ shownBy }) => {
    const [, file = '', title = ''] = /^`([\w./-]+\.test\.ts)`: (.+)$/.exec(shownBy) ?? []
    expect(existsSync(join(repositoryRoot, file)), shownBy).toBe(true)
    expect(read(file)).toContain(title)
  })
})
