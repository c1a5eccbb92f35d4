import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
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
})
