import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { PLANNED_DELETION_COST } from '../shared/model/labels.ts'
import { MACHINE_PREFIX } from '../shared/wire/clusterConfig.ts'
import { NUMBER_SETTINGS } from '../shim/settings.ts'
import { VALUES_SCHEMA_FILE, valueNameOf, valuesSchemaText } from './chartValues.ts'
import { repositoryRoot } from './floors.ts'

describe('the values schema of the chart', () => {
  it(`${VALUES_SCHEMA_FILE} is what the shim's settings give now (npm run generate)`, () => {
    expect(readFileSync(join(repositoryRoot, VALUES_SCHEMA_FILE), 'utf8')).toBe(valuesSchemaText())
  })

  it('has each number the shim reads, with its bounds', () => {
    const { shim, spot } = JSON.parse(valuesSchemaText()).properties
    const bounds = { ...shim.properties.settings.properties, ...spot.properties.settings.properties }
    for (const [name, { mode, least, most }] of Object.entries(NUMBER_SETTINGS)) {
      if (mode !== 'both') expect(bounds).toHaveProperty(valueNameOf(name), expect.objectContaining({ minimum: least, maximum: most }))
    }
  })

  it('allows the deletion cost of pods that the app writes', () => {
    const names = readFileSync(join(repositoryRoot, 'charts/joiner/templates/app/_subjects.tpl'), 'utf8')
    expect(/define "joiner.app.deletionCost" -}}\n(.*)\n/.exec(names)?.[1]).toBe(PLANNED_DELETION_COST)
  })

  it('has no pattern that is too long for an error message', () => {
    const patterns = [...valuesSchemaText().matchAll(/"pattern": "(.*)"/g)].map(([, pattern = '']) => pattern)
    expect(patterns.length).toBeGreaterThan(10)
    // The longest is the pattern of a GUID.
    expect(patterns.filter((pattern) => pattern.length > 80)).toEqual([])
  })

  it('goes with templates that take the same prefixes of machines as JOINER_CLUSTERS does', () => {
    const checks = readFileSync(join(repositoryRoot, 'charts/joiner/templates/_checks.tpl'), 'utf8')
    const [, pattern = '', refused = ''] = /\(not \(regexMatch "(.+)" \$prefix\)\) \(hasPrefix "(\w+)" \$prefix\)/.exec(checks) ?? []
    const isTaken = (prefix: string): boolean => new RegExp(pattern).test(prefix) && !prefix.startsWith(refused)
    expect([pattern, refused]).not.toContain('')
    const letters = fc.string({ unit: fc.constantFrom('a', 'k', 's', 'b', 'z', '0', '-', 'A', '_'), maxLength: 18 })
    const prefixes = fc.oneof(
      letters,
      letters.map((text) => `${text}-`),
      letters.map((text) => `ak${text}-`),
    )
    fc.assert(
      fc.property(prefixes, (prefix) => {
        expect([prefix, isTaken(prefix)]).toEqual([prefix, MACHINE_PREFIX.test(prefix)])
      }),
      { numRuns: 2_000 },
    )
  })
})
