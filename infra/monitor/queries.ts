import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const FOLDER = join(import.meta.dirname, '..', 'queries')

/** Returns every query by its name, which is the name of its file. */
export function readQueries(): ReadonlyMap<string, string> {
  const files = readdirSync(FOLDER).filter((file) => file.endsWith('.kql'))
  return new Map(files.sort().map((file) => [file.replace(/\.kql$/, ''), readFileSync(join(FOLDER, file), 'utf8')]))
}
