import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { SETTINGS } from '../../functions/config.ts'
import { isTestFile, repositoryRoot, sourceFiles } from '../../scripts/floors.ts'
import { EVENTS, METRICS } from '../../shared/model/telemetryContract.ts'

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
/** First arguments of calls of a method of telemetry, as they are written. */
const toldBy = (method: string): readonly string[] =>
  sources.flatMap((path) =>
    [...read(path).matchAll(new RegExp(`(?:telemetry|series)\\.${method}\\(\\s*'([^']+)'`, 'g'))].map(([, name = '']) => name),
  )

describe('docs/operations.md', () => {
  it('has a row for each setting of the function app, and no other', () => {
    expect([...namesIn(rowsBelow('## Settings of the function app'))].sort()).toEqual(Object.keys(SETTINGS.shape).sort())
  })

  it('says of each what it is for', () => {
    expect(rowsBelow('## Settings of the function app').filter(([name = '', meaning = '']) => name === '' || meaning === '')).toEqual([])
  })
})

describe('the telemetry contract', () => {
  it('lists no metric that nothing measures, and no event that nothing tells', () => {
    expect([...new Set([...toldBy('measure'), ...toldBy('add')])].sort()).toEqual(Object.keys(METRICS).sort())
    expect([...new Set(toldBy('event'))].sort()).toEqual(Object.keys(EVENTS).sort())
  })
})
