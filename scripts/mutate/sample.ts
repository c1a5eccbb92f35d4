/** A seeded sample of the lines of a folder that a mutant can be in. */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export type Line = { readonly file: string; readonly line: number }

const NO_CODE = /^\s*(?:$|\/\/|\/?\*|import\b|export (?:type|interface)\b|export \{|type\b|interface\b|[)}\]]*,?$)/u
const NOT_STRUCK = /\.test\.ts$|\.test-d\.ts$|\.d\.ts$|(?:^|\/)testing\//u

/** Files of the folder that ship or judge, in the order of their names. Tests and what only they use are left out. */
export function filesOf(root: string, folder: string): readonly string[] {
  return globSync(`${folder}/**/*.ts`, { cwd: root })
    .filter((file) => !NOT_STRUCK.test(file))
    .sort()
}

export function linesOf(root: string, files: readonly string[]): readonly Line[] {
  return files.flatMap((file) =>
    readFileSync(join(root, file), 'utf8')
      .split('\n')
      .flatMap((text, index) => (NO_CODE.test(text) ? [] : [{ file, line: index + 1 }])),
  )
}

/** So many of the lines, by chance that a seed repeats. All of them where there are no more. */
export function sampleOf(lines: readonly Line[], count: number, seed: number): readonly Line[] {
  const next = mulberry32(seed)
  return lines
    .map((line) => ({ line, at: next() }))
    .sort((one, other) => one.at - other.at)
    .slice(0, count)
    .map(({ line }) => line)
}

function mulberry32(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
