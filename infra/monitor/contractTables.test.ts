import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { repositoryRoot } from '../../scripts/floors.ts'
import { DIMENSIONS, METRICS } from '../../shared/model/metrics.ts'
import { EVENTS, MEASUREMENTS, PROPERTIES } from '../../shared/model/telemetryContract.ts'
import { withTables } from './contractTables.ts'

describe('docs/monitoring.md', () => {
  it('has the tables of the contract', () => {
    const page = readFileSync(join(repositoryRoot, 'docs/monitoring.md'), 'utf8')
    expect(page, 'run npm run generate').toBe(withTables(page))
  })
})

describe('the contract', () => {
  it('lists no property, measurement or dimension that nothing has', () => {
    const events = Object.values(EVENTS)
    const used = (lists: readonly (readonly string[])[]): readonly string[] => [...new Set(lists.flat())].sort()
    expect(used(events.map(({ properties }) => properties))).toEqual(Object.keys(PROPERTIES).sort())
    expect(used(events.map(({ measurements }) => measurements))).toEqual(Object.keys(MEASUREMENTS).sort())
    expect(used(Object.values(METRICS).map(({ dimensions }) => dimensions))).toEqual(Object.keys(DIMENSIONS).sort())
  })

  it('names no claim, node or pod in a metric, and no decision but by its kind', () => {
    expect(Object.keys(DIMENSIONS).filter((name) => /claim|node$|pod$|id$/i.test(name))).toEqual([])
    expect(DIMENSIONS.decision).toMatch(/^of a move: `delete`, `replace`/)
  })
})
