import { beforeAll, describe, expect, it } from 'vitest'
import { readQueries } from '../../infra/monitor/queries.ts'
import { METRICS } from '../../shared/model/metrics.ts'
import { EVENTS, MEASUREMENTS } from '../../shared/model/telemetryContract.ts'
import { findRows, type Rows } from './rowsOfQuery.ts'
import { playStories } from './stories.ts'

/** Queries for the rows that the Functions host itself writes. */
const OF_HOST = ['app-functions']

/** Above every value in the stories: they take minutes, their machines cost less than a dollar, and an offering is blocked for an hour at most. */
const LARGEST = { s: 3_700, 'USD/h': 1, pods: 100, sizes: 10_000 }

describe('after a story and a story of faults', () => {
  let rows: Rows
  beforeAll(async () => {
    rows = await playStories()
  }, 120_000)

  it.each([...readQueries()].filter(([name]) => !OF_HOST.includes(name)))(
    'query %s has rows, and a value of each key that it reads',
    (_, query) => {
      const found = findRows(query, rows)
      expect(found.rows.length).toBeGreaterThan(0)
      expect(found.without).toEqual([])
    },
  )

  it.each(Object.entries(EVENTS))('event %s is told with a value of each of its fields', (event, { properties, measurements }) => {
    const told = rows('AppEvents').filter(({ Name }) => Name === event)
    expect(properties.filter((name) => !told.some(({ Properties }) => Properties[name] !== undefined))).toEqual([])
    expect(measurements.filter((name) => !told.some(({ Measurements }) => Measurements[name] !== undefined))).toEqual([])
  })

  it.each(Object.entries(LARGEST))('measurements in %s are in this unit', (unit, largest) => {
    const names = Object.entries(MEASUREMENTS).flatMap(([name, shape]) => (shape.unit === unit ? [name] : []))
    const values = rows('AppEvents').flatMap(({ Measurements }) => names.flatMap((name) => Measurements[name] ?? []))
    expect(values).not.toEqual([])
    for (const value of values) expect(value).toBeGreaterThanOrEqual(0)
    expect(Math.max(...values)).toBeLessThan(largest)
    expect(Math.max(...values)).toBeGreaterThan(0)
  })

  it('each metric is told, but for the losses of telemetry and what a setting asks for', () => {
    const told = new Set(rows('AppMetrics').map(({ Name }) => Name))
    // Reboots: test/crash/reboots.test.ts. Nodes that go first: shared/flows/reports/claimMetrics.test.ts.
    expect(Object.keys(METRICS).filter((name) => !told.has(name))).toEqual([
      'karpenter_voluntary_disruption_terminate_first_decisions_total',
      'karpenter_nodes_reboots_total',
      'karpenter_nodes_reboot_duration_seconds',
      'karpenter_nodes_reboot_recovery_duration_seconds',
      'telemetry.dropped',
    ])
  })
})

describe('the check', () => {
  const none: Rows = () => []
  it('finds a key that no row has', () => {
    expect(findRows('AppEvents\n| where Name == "x"\n| extend a = Properties.sku', none)).toEqual({ rows: [], without: ['Properties.sku'] })
  })
  it('passes over no condition that it does not understand', () => {
    expect(() => findRows('AppEvents\n| where Name startswith "x"', none)).toThrow('is not understood')
  })
})
