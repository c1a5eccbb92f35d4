import { describe, expect, it } from 'vitest'
import { DIMENSIONS, METRICS } from '../../shared/model/metrics.ts'
import { EVENTS, LOG_FIELDS, SPAN_PROPERTIES, SPANS } from '../../shared/model/telemetryContract.ts'
import { createKusto } from './kusto.ts'
import { readQueries } from './queries.ts'

const bind = createKusto()
const queries = [...readQueries()]

type Named = { readonly properties: readonly string[]; readonly measurements: readonly string[] }

/** Returns the names of the rows that a query reads: the texts that it compares `Name` with. */
function namesIn(query: string): readonly string[] {
  const asked = [...query.matchAll(/\bName (?:==|in) ?(\([^)]*\)|"[^"]*")/g)].map(([, text = '']) => text)
  return asked.flatMap((text) => [...text.matchAll(/"([^"]*)"/g)].map(([, name = '']) => name))
}

function keysIn(query: string, column: string): readonly string[] {
  return [...query.matchAll(new RegExp(`\\b${column}\\.(\\w+)`, 'g'))].map(([, key = '']) => key)
}

function contractOf(table: string, name: string): Named {
  const kinds: { readonly [name: string]: Named | undefined } =
    table === 'AppEvents'
      ? EVENTS
      : table === 'AppDependencies'
        ? Object.fromEntries(Object.keys(SPANS).map((each) => [each, { properties: SPAN_PROPERTIES, measurements: [] }]))
        : Object.fromEntries(Object.entries(METRICS).map(([each, { dimensions }]) => [each, { properties: dimensions, measurements: [] }]))
  const kind = kinds[name]
  if (kind === undefined) throw new Error(`${table} has no rows named ${name}`)
  return kind
}

/** Returns the properties and measurements that the rows of the query can have. If the query compares no names: those of all rows of the table. */
function allowed(query: string): Named {
  const [, table = ''] = /^(App\w+)/m.exec(query) ?? []
  if (table === 'AppTraces') return { properties: Object.keys(LOG_FIELDS), measurements: [] }
  const names = namesIn(query)
  if (names.length === 0 && table === 'AppMetrics') return { properties: Object.keys(DIMENSIONS), measurements: [] }
  const kinds = names.length === 0 && table === 'AppEvents' ? Object.values<Named>(EVENTS) : names.map((name) => contractOf(table, name))
  return { properties: kinds.flatMap(({ properties }) => properties), measurements: kinds.flatMap(({ measurements }) => measurements) }
}

describe.each(queries)('query %s', (_, query) => {
  it('binds against the tables of the workspace and answers with columns', () => {
    const { problems, columns } = bind(query)
    expect(problems).toEqual([])
    expect(Object.keys(columns)).not.toEqual([])
  })

  it('asks only for what the contract lists', () => {
    const { properties, measurements } = allowed(query)
    expect(keysIn(query, 'Properties').filter((key) => !properties.includes(key))).toEqual([])
    expect(keysIn(query, 'Measurements').filter((key) => !measurements.includes(key))).toEqual([])
  })
})

describe('the check', () => {
  it.each([
    ['a column that the table lacks', 'AppEvents | where Nme == "x"'],
    ['a table that the workspace lacks', 'customEvents | count'],
    ['a reserved word as a name', 'AppEvents | extend kind = 1 | where kind > 0 | project last = kind by'],
    ['a function that is not there', 'AppEvents | extend x = tosting(Properties.sku)'],
  ])('finds %s', (_, query) => {
    expect(bind(query).problems).not.toEqual([])
  })

  it('finds an event and a property that nobody sends', () => {
    expect(() => allowed('AppEvents\n| where Name == "nodeclaim.initialised"')).toThrow('no rows named nodeclaim.initialised')
    expect(allowed('AppEvents\n| where Name == "work.failed"').properties).not.toContain('nodeClaim')
  })

  it('covers every event', () => {
    const asked = new Set(queries.flatMap(([, query]) => namesIn(query)))
    expect(Object.keys(EVENTS).filter((name) => !asked.has(name))).toEqual([])
  })
})
