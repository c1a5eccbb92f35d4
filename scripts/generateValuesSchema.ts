// Writes the values schema of the chart. `npm run generate`
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { VALUES_SCHEMA_FILE, valuesSchemaText } from './chartValues.ts'
import { repositoryRoot } from './floors.ts'

writeFileSync(join(repositoryRoot, VALUES_SCHEMA_FILE), valuesSchemaText())
console.log(`wrote ${VALUES_SCHEMA_FILE}`)
