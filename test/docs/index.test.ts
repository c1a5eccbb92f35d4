import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { repositoryRoot } from '../../scripts/floors.ts'
import { read } from './pages.ts'

const index = read('docs/README.md')
const linked = [...index.matchAll(/\]\(([^)#]+)\)/g)].map(([, target = '']) => target)
/** The pages for a person who installs and runs Joiner, in reading order. */
const ORDER = ['concepts', 'install', 'upgrade', 'operate', 'troubleshoot', 'migrate', 'compare', 'reference', '../CONTRIBUTING', 'local']

describe('docs/README.md', () => {
  it('leads to every page', () => {
    const pages = ['', 'local/'].flatMap((folder) =>
      readdirSync(join(repositoryRoot, 'docs', folder))
        .filter((name) => name.endsWith('.md'))
        .map((name) => `${folder}${name}`),
    )
    expect(pages.length).toBeGreaterThan(20)
    expect(pages.filter((page) => page !== 'README.md' && !linked.includes(page))).toEqual([])
  })

  it('has them in the order of their use, and the emulators last', () => {
    const places = ORDER.map((page) => linked.indexOf(`${page}.md`))
    expect(places).toEqual([...places].sort((first, second) => first - second))
    expect(places).not.toContain(-1)
    const lastOthers = linked.findLastIndex((page) => !page.startsWith('local'))
    expect(linked.findIndex((page) => page.startsWith('local'))).toBeGreaterThan(lastOthers)
  })
})
