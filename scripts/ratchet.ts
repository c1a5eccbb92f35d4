// Compares the counts of scripts/casts.ts with ratchet.json. They may fall and never rise. `--lower` writes the current counts.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { countTree, type TrustCounts, unexplainedSuppressions } from './casts.ts'
import { repositoryRoot, sourceFiles } from './floors.ts'

const KEYS = ['casts', 'nonNull', 'suppressions'] as const satisfies readonly (keyof TrustCounts)[]

/** Returns one sentence for each count that rose. */
export function risen(now: TrustCounts, allowed: TrustCounts): readonly string[] {
  return KEYS.filter((key) => now[key] > allowed[key]).map(
    (key) =>
      `${key}: ${now[key]}, and ratchet.json allows ${allowed[key]}; write it without, or say in the commit why the number must rise`,
  )
}

/** Compares the tree with its ratchet.json. If `lowers`, writes the current counts where they are lower. Returns the exit code. */
export function ratchet(root: string, lowers: boolean, say: (line: string) => void): number {
  const files = sourceFiles(root)
  const now = countTree(root, files)
  const path = join(root, 'ratchet.json')
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- our own file, three numbers
  const allowed = JSON.parse(readFileSync(path, 'utf8')) as TrustCounts
  const unexplained = files.flatMap((file) =>
    unexplainedSuppressions(readFileSync(join(root, file), 'utf8')).map(
      (line) => `${file}: one rule and a reason on the line: ${line.trim()}`,
    ),
  )
  const errors = [...risen(now, allowed), ...unexplained]
  for (const error of errors) say(error)
  const lower = KEYS.some((key) => now[key] < allowed[key])
  if (lower && lowers) writeFileSync(path, `${JSON.stringify({ ...allowed, ...now }, undefined, 2)}\n`)
  say(
    `${KEYS.map((key) => `${key} ${now[key]} of ${allowed[key]}`).join(', ')}${lower ? '; lower ratchet.json with: node scripts/ratchet.ts --lower' : ''}`,
  )
  return errors.length > 0 ? 1 : 0
}

if (import.meta.main) process.exitCode = ratchet(repositoryRoot, process.argv.includes('--lower'), (line) => console.log(line))
