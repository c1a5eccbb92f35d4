import { describe, expect, it } from 'vitest'
import { evaluateQuery, type Row } from './evaluate.ts'
import { parseQuery } from './parse.ts'

const NOW = 3_600_000
const ROWS: readonly Row[] = [
  { TimeGenerated: 0, Name: 'a', Sum: 4, Properties: { pool: 'x', code: '' } },
  { TimeGenerated: 60_000, Name: 'b', Sum: 1, Properties: { pool: 'y', code: 'E1' } },
  { TimeGenerated: 90_000, Name: 'a', Sum: 2, Properties: { pool: 'x', code: 'E2' } },
  { TimeGenerated: 120_000, Name: 'c', Sum: undefined, Properties: {} },
]
const run = (query: string): readonly Row[] => evaluateQuery(parseQuery(`AppMetrics\n${query}`), ROWS, NOW)

describe('a query', () => {
  it.each<[string, readonly Row[]]>([
    ['| where Name in ("b", "c") and isnotnull(Sum)\n| project Name', [{ Name: 'b' }]],
    ['| where Sum >= 2 or Name == "b"\n| project Sum\n| order by Sum desc', [{ Sum: 4 }, { Sum: 2 }, { Sum: 1 }]],
    [
      '| summarize n = count(), total = sum(Sum) by pool = tostring(Properties.pool)',
      [
        { pool: 'x', n: 2, total: 6 },
        { pool: 'y', n: 1, total: 1 },
        { pool: '', n: 1, total: 0 },
      ],
    ],
    [
      '| where Name == "a"\n| summarize p50 = percentile(Sum, 50), p95 = percentile(Sum, 95), most = max(Sum), least = min(Sum) by bin(TimeGenerated, 1m)',
      [
        { TimeGenerated: 0, p50: 4, p95: 4, most: 4, least: 4 },
        { TimeGenerated: 60_000, p50: 2, p95: 2, most: 2, least: 2 },
      ],
    ],
    [
      '| where isnotempty(tostring(Properties.code))\n| summarize codes = make_set_if(tostring(Properties.code), Sum > 1), bad = countif(Sum > 1)',
      [{ codes: ['E2'], bad: 1 }],
    ],
    ['| where Name == "a"\n| summarize arg_max(TimeGenerated, Sum) by Name', [{ Name: 'a', TimeGenerated: 90_000, Sum: 2 }]],
    [
      '| where Name == "b"\n| project minutes = datetime_diff("minute", now(), TimeGenerated), later = TimeGenerated + 2 * 1s, half = round(Sum / 3, 2)',
      [{ minutes: 59, later: 62_000, half: 0.33 }],
    ],
    ['| summarize mean = sum(Sum) / count(), last = maxif(TimeGenerated, Name == "a")', [{ mean: 1.75, last: 90_000 }]],
    [
      '| where Name == "c"\n| project none = Sum + 1, first = coalesce(Sum, 7), text = tostring(Properties.pool)',
      [{ none: undefined, first: 7, text: '' }],
    ],
  ])('%s', (query, expected) => expect(run(query)).toEqual(expected))

  it('binds as tightly as Kusto does', () => {
    expect(run('| where Name == "b"\n| project v = 2 + 3 * 4 - 6 / 2, w = (2 + 3) * 4')).toEqual([{ v: 11, w: 20 }])
  })

  it.each([
    ['| where Name startswith "x"', 'is not understood'],
    ['| join Other', 'operator join is not understood'],
    ['| extend x = strcat("a")', 'strcat is not understood'],
    ['| summarize x = stdev(Sum)', 'is not understood over a group'],
    ['| project x = tostring(Name', ') is missing'],
    ['| order by Name', 'order is not understood'],
    ['| where Name =~ "x"', 'is not understood'],
  ])('that is not understood is no query that finds nothing: %s', (query, why) => expect(() => run(query)).toThrow(why))

  it('begins with a table', () => expect(() => parseQuery('let x = 1')).toThrow('begins with a table'))
})
