import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { repositoryRoot } from '../../../scripts/floors.ts'
import type { Shown } from './karpenterGroup.ts'

export const readTest = (path: string): string => readFileSync(join(repositoryRoot, path), 'utf8')

/** The names that no test of their file has. */
export function missingTests(shown: Shown): readonly string[] {
  return Object.entries(shown).flatMap(([file, names]) => names.filter((name) => !readTest(file).includes(name)))
}
