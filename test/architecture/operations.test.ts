import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { SETTINGS } from '../../functions/config.ts'
import { isTestFile, repositoryRoot, sourceFiles } from '../../scripts/floors.ts'

const read = (path: string): string => readFileSync(join(repositoryRoot, path), 'utf8')
const page = read('docs/operations.md')

/** The first table below a heading: its rows, cell by cell. */
function rowsBelow(heading: string): readonly (readonly string[])[] {
  const from = page.indexOf(`\n${heading}\n`)
  const lines = page.slice(from).split('\n')
  const first = lines.findIndex((line) => line.startsWith('|'))
  const length = lines.slice(first).findIndex((line) => !line.startsWith('|'))
  const table = lines.slice(first + 2, first + length)
  return table.map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  )
}

/** Names in code style in the first cells; a row may name several. */
function namesIn(rows: readonly (readonly string[])[]): readonly string[] {
  return rows.flatMap(([first = '']) => [...first.matchAll(/`([^`]+)`/g)].map((match) => match[1] ?? ''))
}

const sources = ['shared', 'functions'].flatMap((folder) =>
  sourceFiles(join(repositoryRoot, folder))
    .filter((path) => !isTestFile(path))
    .map((path) => join(folder, path)),
)
/** First arguments of calls of `measure`, as they are written. */
const measured = sources.flatMap((path) => [...read(path).matchAll(/\.measure\(\s*([^,]+),/g)].map((match) => match[1] ?? ''))

describe('docs/operations.md', () => {
  it('has a row for each setting of the function app, and no other', () => {
    expect([...namesIn(rowsBelow('## Settings of the function app'))].sort()).toEqual(Object.keys(SETTINGS.shape).sort())
  })

  it('has a row for each measure of the function app, and no other', () => {
    const names = measured.map((written) => /^'([^']+)'$/.exec(written)?.[1] ?? `a measure must be named by a text: ${written}`)
    expect(names.length).toBeGreaterThan(0)
    expect([...namesIn(rowsBelow('## What the app writes'))].sort()).toEqual([...new Set(names)].sort())
  })

  it('says of each what it is for', () => {
    const rows = [...rowsBelow('## Settings of the function app'), ...rowsBelow('## What the app writes')]
    expect(rows.filter(([name = '', meaning = '']) => name === '' || meaning === '')).toEqual([])
  })
})
