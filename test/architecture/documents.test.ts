import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parseSync } from '@swc/core'
import { describe, expect, it } from 'vitest'
import { isTestFile, repositoryRoot, sourceFiles, walk } from '../../scripts/floors.ts'
import { PROBLEM_CODES } from '../../shared/model/problem.ts'

const read = (path: string): string => readFileSync(join(repositoryRoot, path), 'utf8')

/** The codes in code style in the first cells of a page's tables. */
function codesIn(page: string): readonly string[] {
  return [...page.matchAll(/^\| `([A-Z][A-Z_.]+)` \|/gm)].map((match) => match[1] ?? '')
}

/** The targets of a page's relative links, without anchors. Code blocks and inline code are skipped. */
function relativeLinks(page: string): readonly string[] {
  const prose = page.replaceAll(/```[\s\S]*?```/g, '').replaceAll(/`[^`\n]*`/g, '')
  const targets = [...prose.matchAll(/\]\(([^)\s]+)(?: "[^"]*")?\)/g)].map((match) => match[1] ?? '')
  return targets.filter((target) => !/^([a-z]+:|#)/.test(target)).map((target) => target.replace(/#.*$/, ''))
}

/** The paths of source files that a page names in code style. */
function namedFiles(page: string): readonly string[] {
  return [...page.matchAll(/`([a-z]+\/[\w./-]+\.ts)`/g)].map((match) => match[1] ?? '')
}

/** Words in code style in the last column of the glossary, in lower case. */
function bannedWords(glossary: string): readonly string[] {
  const cells = glossary
    .split('\n')
    .filter((line) => /^\| .* \|$/.test(line))
    .map((line) => line.split('|').at(-2) ?? '')
  return cells.flatMap((cell) => [...cell.matchAll(/`([A-Za-z]+)`/g)].map((match) => (match[1] ?? '').toLowerCase()))
}

/** The names that a module declares and exports. */
function exportedNames(source: string): readonly string[] {
  const { body } = parseSync(source, { syntax: 'typescript', target: 'es2024' })
  return body.flatMap((item) => (item.type === 'ExportDeclaration' ? declaredNames(item.declaration) : []))
}

function declaredNames(declaration: object): readonly string[] {
  if ('declarations' in declaration && Array.isArray(declaration.declarations))
    return declaration.declarations.map(({ id }) => String(id.value))
  const named = 'identifier' in declaration ? declaration.identifier : 'id' in declaration ? declaration.id : undefined
  return typeof named === 'object' && named !== null && 'value' in named ? [String(named.value)] : []
}

describe('docs/errors.md', () => {
  it('explains every problem code once, and no other', () => {
    expect([...codesIn(read('docs/errors.md'))].sort()).toEqual([...PROBLEM_CODES].sort())
  })

  it('says what each means and what to do', () => {
    const rows = read('docs/errors.md')
      .split('\n')
      .filter((line) => line.startsWith('| `'))
    const cells = rows.map((row) =>
      row
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    )
    expect(cells.filter((row) => row.length !== 3 || row.includes(''))).toEqual([])
  })
})

describe('docs/adr', () => {
  const pages = readdirSync(join(repositoryRoot, 'docs/adr')).filter((name) => name !== 'README.md')
  const list = read('docs/adr/README.md')

  it('names every page by a number of its own', () => {
    expect(pages.filter((name) => !/^\d{4}-[a-z0-9-]+\.md$/.test(name))).toEqual([])
    const numbers = pages.map((name) => name.slice(0, 4))
    expect(new Set(numbers).size).toBe(numbers.length)
    expect(pages.length).toBeGreaterThan(0)
  })

  it('lists every page', () => expect(pages.filter((name) => !list.includes(`[${name.slice(0, 4)}](${name})`))).toEqual([]))

  it('dates every page and keeps it to one', () => {
    const bad = pages.filter(
      (name) => !/^Date: \d{4}-\d\d-\d\d\. State: /m.test(read(`docs/adr/${name}`)) || read(`docs/adr/${name}`).split('\n').length > 70,
    )
    expect(bad).toEqual([])
  })
})

describe('links', () => {
  const pages = walk(repositoryRoot, (name) => name.endsWith('.md'))

  it('are looked for on the pages that are there', () => expect(pages).toContain('docs/architecture.md'))

  it('of one page to another lead somewhere', () => {
    const broken = pages.flatMap((page) =>
      relativeLinks(read(page))
        .filter((target) => !existsSync(join(repositoryRoot, dirname(page), target)))
        .map((target) => `${page} -> ${target}`),
    )
    expect(broken).toEqual([])
  })

  it('of a page to what shows that it is true lead somewhere', () => {
    const gone = pages.flatMap((page) =>
      namedFiles(read(page))
        .filter((file) => !existsSync(join(repositoryRoot, file)))
        .map((file) => `${page} names ${file}`),
    )
    expect(pages.flatMap((page) => namedFiles(read(page)))).toContain('test/properties/differential.test.ts')
    expect(gone).toEqual([])
  })

  it('are told from code and addresses', () => {
    expect(relativeLinks('[a](b.md#c) [d](e.md "f") `[x](y)` [z](https://z) [w](#w)\n```\n[v](v)\n```')).toEqual(['b.md', 'e.md'])
  })
})

describe('words', () => {
  const banned = bannedWords(read('docs/glossary.md'))

  it('that must not be said are found in the glossary', () =>
    expect(banned).toEqual(expect.arrayContaining(['nodegroup', 'vmid', 'blacklist'])))

  it('that must not be said are in no exported name', () => {
    const files = sourceFiles(repositoryRoot).filter((file) => file.startsWith('shared/') && !isTestFile(file))
    const names = files.flatMap((file) => exportedNames(read(file)).map((name) => ({ file, name })))
    expect(names.length).toBeGreaterThan(100)
    expect(names.filter(({ name }) => banned.some((word) => name.toLowerCase().includes(word)))).toEqual([])
  })

  it('are read from every form of export', () => {
    const source =
      'export const a = 1, b = 2\nexport function c() {}\nexport type D = 1\nexport interface E {}\nexport class F {}\nconst g = 1'
    expect(exportedNames(source)).toEqual(['a', 'b', 'c', 'D', 'E', 'F'])
  })
})

describe('AGENTS.md', () => {
  it('stays short', () => expect(read('AGENTS.md').split('\n').length).toBeLessThan(80))
})
