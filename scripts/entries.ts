// Checks which programs have their entry, as floors.json lists them.
import { matchesGlob } from 'node:path'
import { entriesOf, type Floors, isTestFile, programs, sourceFiles } from './floors.ts'

export function missingEntries({ entries }: Floors): readonly string[] {
  return entries.missing
}

/** Returns the problems: a folder with source and no entry, or an entry that exists and is still listed as missing. */
export function entryProblems(root: string, floors: Floors): readonly string[] {
  const files = sourceFiles(root).filter((file) => !isTestFile(file))
  const exists = (pattern: string): boolean => files.some((file) => matchesGlob(file, pattern))
  const stale = missingEntries(floors)
    .filter(exists)
    .map((pattern) => `${pattern} exists: take it off floors.json entries.missing`)
  const absent = programs(floors)
    .filter((folder) => files.some((file) => file.startsWith(`${folder}/`)))
    .flatMap((folder) => entriesOf(folder, floors).filter((pattern) => !pattern.includes('*') && !exists(pattern)))
    .filter((pattern) => !missingEntries(floors).includes(pattern))
    .map((pattern) => `${pattern} does not exist, but its folder has source: write it, or list it under entries.missing in floors.json`)
  return [...stale, ...absent]
}

/** Returns the patterns from which knip starts: the entries, and the whole folder of each program whose entry is missing. */
export function knipEntries(floors: Floors): readonly string[] {
  const missing = missingEntries(floors)
  const waived = programs(floors).filter((folder) => entriesOf(folder, floors).some((entry) => missing.includes(entry)))
  // All of shared/ exists for the programs. While a program is missing, what it will use looks dead.
  const shared = waived.length > 0 ? ['shared/**/*.ts'] : []
  return [...programs(floors).flatMap((folder) => entriesOf(folder, floors)), ...waived.map((folder) => `${folder}/**/*.ts`), ...shared]
}
