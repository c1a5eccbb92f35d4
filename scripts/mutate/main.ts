// Asks whether tests notice mistakes: strikes mutants into a seeded sample of a folder's lines, and runs the tests that reach them.
// npm run mutate -- shared/wire [--seed 1] [--lines 200] [--no-record]
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { repositoryRoot } from '../floors.ts'
import { STRUCK, type Struck } from './folders.ts'
import { type Equivalent, type Outcome, readEquivalents, writeOutcome } from './record.ts'
import { filesOf, linesOf, sampleOf } from './sample.ts'
import { type Mutant, strike } from './strike.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seed: { type: 'string', default: '1' },
    lines: { type: 'string', default: '200' },
    'no-record': { type: 'boolean', default: false },
  },
})
const known = STRUCK.map(({ folder }) => folder)
const unknown = positionals.filter((folder) => !known.includes(folder))

if (positionals.length === 0 || unknown.length > 0) {
  console.error(
    `${unknown.length > 0 ? `${unknown.join(', ')} is not one of the folders` : 'name one or more folders'}: ${known.join(', ')}`,
  )
  process.exitCode = 2
} else {
  for (const struck of STRUCK.filter(({ folder }) => positionals.includes(folder))) await strikeFolder(struck)
}

async function strikeFolder(struck: Struck): Promise<void> {
  const { folder, atLeast } = struck
  const seed = Number(values.seed)
  const lines = sampleOf(linesOf(repositoryRoot, filesOf(repositoryRoot, folder)), Number(values.lines), seed)
  const mutants = await fatesOf(struck, [...new Set(lines.map(({ file, line }) => `${file}:${line}-${line}`))])
  const lives = mutants.filter(({ fate }) => fate === 'lives')
  const equivalents = readEquivalents()
  const unnoticed = lives.filter((mutant) => !equivalents.some((each) => isOf(mutant, each)))
  const killed = mutants.length - lives.length
  const equivalent = lives.length - unnoticed.length
  const percent = Math.floor((1000 * killed) / Math.max(1, mutants.length - equivalent)) / 10
  const date = new Date().toISOString().slice(0, 10)
  const outcome: Outcome = { seed, date, mutants: mutants.length, killed, equivalent, percent }
  for (const mutant of unnoticed) console.log(`${mutant.file}:${mutant.line}\n  - ${codeOf(mutant)}\n  + ${mutant.replacement}`)
  console.log(`${folder}: ${killed} of ${mutants.length} mutants killed, ${equivalent} equivalent: ${percent} % (at least ${atLeast})`)
  if (!values['no-record']) writeOutcome(folder, outcome)
  if (percent < atLeast) process.exitCode = 1
}

/** The folder's own tests of parts first, since they are quick; then whole programs and the tests of others, for what is still alive. */
async function fatesOf({ folder, widerTests }: Struck, ranges: readonly string[]): Promise<readonly Mutant[]> {
  const own = (await strike(ranges, testsIn([folder], isQuick))).filter(({ fate }) => fate !== 'invalid')
  const lives = own.filter(({ fate }) => fate === 'lives')
  const wider = [...testsIn([folder], (file) => !isQuick(file)), ...testsIn(widerTests)]
  if (lives.length === 0 || wider.length === 0) return own
  const again = await strike(
    lives.map(({ range }) => range),
    wider,
  )
  const isKilled = ({ range, replacement }: Mutant): boolean =>
    again.some((each) => each.range === range && each.replacement === replacement && each.fate === 'killed')
  return own.map((mutant) => (mutant.fate === 'lives' && isKilled(mutant) ? { ...mutant, fate: 'killed' } : mutant))
}

function testsIn(folders: readonly string[], isWanted: (file: string) => boolean = () => true): readonly string[] {
  return folders
    .flatMap((folder) => globSync(`${folder}/**/*.test.ts`, { cwd: repositoryRoot }))
    .filter(isWanted)
    .sort()
}

function isQuick(file: string): boolean {
  return !file.endsWith('.integration.test.ts')
}

function isOf(mutant: Mutant, { file, code, replacement }: Equivalent): boolean {
  return mutant.file === file && mutant.replacement === replacement && codeOf(mutant) === code
}

function codeOf({ file, line }: Mutant): string {
  return (readFileSync(join(repositoryRoot, file), 'utf8').split('\n')[line - 1] ?? '').trim()
}
