import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { repositoryRoot } from '../../scripts/floors.ts'
import { createKusto } from './kusto.ts'
import { readQueries } from './queries.ts'
import { TABS } from './tabs.ts'
import { workbookFile } from './workbook.ts'

const bind = createKusto()
const queries = readQueries()
const items = TABS.flatMap((tab) => tab.items.map((item) => [`${tab.name}: ${item.title}`, item] as const))
const NUMBERS = new Set(['int', 'long', 'real', 'decimal'])

describe.each(items)('tile %s', (_, { of, picture, columns }) => {
  const found = bind(queries.get(of) ?? '').columns

  it('shows columns that its query answers with', () => {
    const named = columns === undefined ? [] : [columns.x, ...columns.y, ...(columns.by === undefined ? [] : [columns.by])]
    expect(named.filter((name) => !(name in found))).toEqual([])
  })

  it('draws numbers, along time where it is a time chart', () => {
    expect(columns === undefined).toBe(picture === 'table')
    expect((columns?.y ?? []).filter((name) => !NUMBERS.has(found[name] ?? ''))).toEqual([])
    if (picture === 'timechart') expect(found[columns?.x ?? '']).toBe('datetime')
  })
})

describe('the workbook', () => {
  it('is what the template loads', () => {
    expect(readFileSync(join(repositoryRoot, 'infra/workbook/workbook.json'), 'utf8'), 'run npm run generate').toBe(workbookFile())
  })

  it('shows every query once at least, and each title once', () => {
    expect([...queries.keys()].filter((name) => !items.some(([, { of }]) => of === name))).toEqual([])
    expect(new Set(items.map(([, { title }]) => title)).size).toBe(items.length)
  })

  it('shows one tab at a time', () => {
    const { items: parts } = JSON.parse(workbookFile()) as {
      readonly items: readonly { readonly type: number; readonly conditionalVisibility?: object }[]
    }
    const groups = parts.filter(({ type }) => type === 12)
    expect(groups.map(({ conditionalVisibility }) => conditionalVisibility)).toEqual(
      TABS.map(({ name }) => ({ parameterName: 'tab', comparison: 'isEqualTo', value: name })),
    )
  })
})
