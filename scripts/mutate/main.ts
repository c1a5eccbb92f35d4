// Asks whether tests notice mistakes: strikes mutants into a seeded sample of a folder's lines, and runs the tests that reach them.
// npm run mutate -- shared/wire [--seed 1] [--lines 200] [--no-record]
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { repositoryRoot } from '../floors.ts'
import { foldersNamed, type Struck } from './folders.ts'
import type { Mutant } from './mutant.ts'
import { readEquivalents, writeOutcome } from './record.ts'
import { filesOf, linesOf, sampleOf } from './sample.ts'
import { strike } from './strike.ts'
import { isListed, judgeFolder } from './verdict.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seed: { type: 'string', default: '1' },
    lines: { type: 'string', default: '200' },
    'no-record': { type: 'boolean', default: false },
  },
})
const named = foldersNamed(positionals)

if (typeof named === 'string') {
  console.error(named)
  process.exitCode = 2
} else {
  for (const struck of named) await strikeFolder(struck)
}

async function strikeFolder(struck: Struck): Promise<void> {
  const { folder, atLeast } = struck
  const seed = Number(values.seed)
  const lines = sampleOf(linesOf(repositoryRoot, filesOf(repositoryRoot, folder)), Number(values.lines), seed)
  const ranges = [...new Set(lines.map(({ file, line }) => `${file}:${line}-${line}`))]
  const listed = readEquivalents()
  const isEquivalent = (mutant: Mutant): boolean => isListed(mutant, codeOf(mutant), listed)
  const { outcome, unnoticed } = await judgeFolder(struck, ranges, { strike, testsIn, isEquivalent })
  const { mutants, killed, equivalent, percent } = outcome
  for (const mutant of unnoticed) console.log(`${mutant.file}:${mutant.line}\n  - ${codeOf(mutant)}\n  + ${mutant.replacement}`)
  console.log(`${folder}: ${killed} of ${mutants} mutants killed, ${equivalent} equivalent: ${percent} % (at least ${atLeast})`)
  if (!values['no-record']) writeOutcome(folder, { seed, date: new Date().toISOString().slice(0, 10), ...outcome })
  if (percent < atLeast) process.exitCode = 1
}

function testsIn(folders: readonly string[]): readonly string[] {
  return folders.flatMap((folder) => globSync(`${folder}/**/*.test.ts`, { cwd: repositoryRoot })).sort()
}

function codeOf({ file, line }: Mutant): string {
  return (readFileSync(join(repositoryRoot, file), 'utf8').split('\n')[line - 1] ?? '').trim()
}
