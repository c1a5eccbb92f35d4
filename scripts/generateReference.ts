// Writes docs/reference.md from the schemas of settings, clusters and values. `npm run generate`
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { repositoryRoot } from './floors.ts'
import { REFERENCE_FILE, referencePage } from './reference/page.ts'

writeFileSync(join(repositoryRoot, REFERENCE_FILE), referencePage())
console.log(`wrote ${REFERENCE_FILE}`)
