import { beforeAll, describe, expect, it } from 'vitest'
import { drawWorkbook, rowsOf, type ToldRows } from '../../infra/monitor/draw/drawWorkbook.ts'
import { createKusto } from '../../infra/monitor/kusto.ts'
import { readQueries } from '../../infra/monitor/queries.ts'
import { TABS } from '../../infra/monitor/tabs.ts'
import type { Rows } from './rowsOfQuery.ts'
import { playStories } from './stories.ts'

/** The Functions host writes the rows of requests. The stories have none. */
const OF_HOST = 'app-functions'
const REQUEST = { TimeGenerated: '2026-01-01T00:00:00Z', Name: 'events', Success: true, DurationMs: 12, ItemCount: 1 }

describe('the workbook, drawn', () => {
  let rows: Rows
  let withRequests: ToldRows
  beforeAll(async () => {
    rows = await playStories()
    withRequests = (table) => (table === 'AppRequests' ? [REQUEST] : rows(table))
  }, 120_000)

  it('has each panel of the workbook, each with rows after the stories', () => {
    const { html, empty } = drawWorkbook(withRequests, 'a & b')
    expect(empty).toEqual([])
    const items = TABS.flatMap((tab) => tab.items)
    expect(items.filter(({ title }) => !html.includes(`<h3>${title}</h3>`))).toEqual([])
    expect(html.match(/<svg /g)).toHaveLength(items.filter(({ picture }) => picture !== 'table').length)
    expect(html).toContain('<title>a &amp; b</title>')
    expect(html).not.toMatch(/NaN|Infinity|undefined|<script|https?:\/\/(?!www\.w3\.org)/)
    expect(drawWorkbook(() => [], 'x').empty).toHaveLength(items.length)
  })

  it('has no empty cell, no column without a value, and an axis that can be read', () => {
    const { html } = drawWorkbook(withRequests, 'x')
    const cells = [...html.matchAll(/<td>(.*?)<\/td>/g)].map(([, cell = '']) => cell)
    expect(cells.length).toBeGreaterThan(100)
    expect(cells.filter((cell) => cell === '' || cell === '{}' || cell === '[]')).toEqual([])
    for (const [name, query] of readQueries()) {
      const found = rowsOf(query, withRequests)
      const columns = [...new Set(found.flatMap((row) => Object.keys(row)))]
      const empty = columns.filter((column) => found.every((row) => row[column] === undefined || row[column] === ''))
      expect([name, empty]).toEqual([name, []])
    }
    const ends = [...html.matchAll(/text-anchor="end">([^<]*)<\/text>/g)].map(([, text = '']) => text).filter((text) => !text.includes(':'))
    expect(ends.length).toBeGreaterThan(5)
    expect(ends.filter((text) => !/^\d+(\.\d+)?$/.test(text))).toEqual([])
    // Of each axis, the upper end comes first.
    expect(ends.filter((text, index) => index % 2 === 0 && Number(text) <= 0)).toEqual([])
  })

  it('gives the columns that the Kusto language service says of each query', () => {
    const bind = createKusto()
    for (const [name, query] of readQueries()) {
      const [row] = rowsOf(query, name === OF_HOST ? () => [REQUEST] : rows)
      expect([name, Object.keys(row ?? {}).sort()]).toEqual([name, Object.keys(bind(query).columns).sort()])
    }
  })

  it('computes what was told', () => {
    const query = (name: string) => rowsOf(readQueries().get(name) ?? '', rows)
    const told = rows('AppEvents').filter(({ Name }) => Name === 'provisioning.decision')
    expect(
      query('why-by-decision')
        .map(({ pricePerHour }) => pricePerHour)
        .sort(),
    ).toEqual(told.map(({ Measurements }) => Measurements['pricePerHour']).sort())
    const launches = rows('AppEvents').filter(({ Name }) => Name === 'nodeclaim.launch')
    const counted = query('failures-launches').reduce((total, { attempts }) => total + Number(attempts), 0)
    expect(counted).toBe(launches.length)
    const stages = query('latency-trace').flatMap(({ stages: bag }) => Object.keys(bag ?? {}))
    expect(new Set(stages)).toEqual(new Set(['pending', 'window', 'decide', 'claim', 'nic', 'vm', 'boot', 'register', 'initialize']))
  })
})
