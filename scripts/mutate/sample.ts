/** Takes a seeded sample of the lines of a folder that can hold a mutant, and finds the tests for it. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createRandom } from '../../test/agreement/random.ts'
import { isTestFile, sourceFiles, walk } from '../floors.ts'

export type Line = { readonly file: string; readonly line: number }

const NO_CODE = /^\s*(?:$|\/\/|\/?\*|import\b|export (?:type|interface)\b|export \{|type\b|interface\b|[)}\]]*,?$)/u

/** A rehearsal is a test of the product: its steps show whether it finds mistakes. */
const REHEARSAL = 'scripts/rehearse/'

/** Returns the files of the folder without tests, their helpers and the rehearsal, sorted by name. */
export function filesOf(root: string, folder: string): readonly string[] {
  return sourceFiles(root).filter((file) => file.startsWith(`${folder}/`) && !file.startsWith(REHEARSAL) && !isTestFile(file))
}

export function linesOf(root: string, files: readonly string[]): readonly Line[] {
  return files.flatMap((file) =>
    readFileSync(join(root, file), 'utf8')
      .split('\n')
      .flatMap((text, index) => (NO_CODE.test(text) ? [] : [{ file, line: index + 1 }])),
  )
}

/** Returns a random sample of `count` lines, the same for the same seed. Returns all lines if there are not more. */
export function sampleOf(lines: readonly Line[], count: number, seed: number): readonly Line[] {
  const random = createRandom(seed)
  return lines
    .map((line) => ({ line, at: random.int(2 ** 32) }))
    .sort((one, other) => one.at - other.at)
    .slice(0, count)
    .map(({ line }) => line)
}

/** Returns the test files that are named or are below a named folder, sorted by name. */
export function testsIn(root: string, places: readonly string[]): readonly string[] {
  return walk(root, (name) => name.endsWith('.test.ts')).filter((file) =>
    places.some((place) => file === place || file.startsWith(`${place}/`)),
  )
}
