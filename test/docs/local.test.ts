/** The page of the embedded stack lists the options of `npm start -- --help`. The help text links to the page. */
import { describe, expect, it } from 'vitest'
import { read } from './pages.ts'

const rows = [...read('docs/local.md').matchAll(/^\| (`--[^|]+) \| ([^|]+) \|/gm)].map(([, names = '', meaning = '']) => ({
  names,
  meaning,
}))
const said = rows.flatMap(({ names }) => [...names.matchAll(/--[\w-]+/g)].map(([name]) => name))
const options = [...read('local/start.ts').matchAll(/\.option\('(--[\w-]+)[^']*', '([^']+)'/g)].map(([, name = '', help = '']) => ({
  name,
  help,
}))

describe('docs/local.md', () => {
  it('says what each option of npm start means, and no other', () => {
    expect(options.length).toBeGreaterThan(5)
    expect([...said].sort()).toEqual(options.map(({ name }) => name).sort())
  })

  it('leads to the page that lists the settings, which is the one that the option names', () => {
    const { meaning = '' } = rows.find(({ names }) => names.startsWith('`--set')) ?? {}
    const [, page = ''] = /\]\(([\w.]+)\)/.exec(meaning) ?? []
    expect(options.find(({ name }) => name === '--set')?.help).toContain(`docs/${page} `)
    expect(read(`docs/${page}`)).toMatch(/^\| `PLACEMENT` \|/m)
  })
})
