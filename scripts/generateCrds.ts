// Writes the definitions of the custom resources into their chart. `npm run generate`
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { CRD_FOLDER, crdFiles } from './crdFiles.ts'
import { repositoryRoot } from './floors.ts'

mkdirSync(join(repositoryRoot, CRD_FOLDER), { recursive: true })
for (const { path, text } of crdFiles()) {
  writeFileSync(join(repositoryRoot, path), text)
  console.log(`wrote ${path}`)
}
