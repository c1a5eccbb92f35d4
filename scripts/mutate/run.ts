/** Runs `npm run mutate`: reads its arguments, prints and records the outcome. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { walk } from '../floors.ts'
import { foldersNamed, type MutationTarget } from './folders.ts'
import type { Mutant } from './mutant.ts'
import { type Equivalent, type Outcome, writeOutcome } from './record.ts'
import { filesOf, linesOf, sampleOf } from './sample.ts'
import { isListed, judgeFolder, type Outside } from './verdict.ts'

export type Order = {
  readonly folders: readonly MutationTarget[]
  readonly seed: number
  /** Largest number of lines of each folder that get mutants. */
  readonly lines: number
  readonly records: boolean
}

export type MutationRun = {
  readonly root: string
  readonly runMutants: Outside['runMutants']
  readonly listed: readonly Equivalent[]
  /** The file with the last outcomes. */
  readonly results: string
  /** A date such as 2026-01-31. */
  readonly today: string
  readonly say: (line: string) => void
}

/** Returns the order of the arguments, or a sentence about what is wrong with them. */
export function orderOf(args: readonly string[]): Order | string {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      seed: { type: 'string', default: '1' },
      lines: { type: 'string', default: '200' },
      'no-record': { type: 'boolean', default: false },
    },
  })
  const folders = foldersNamed(positionals)
  if (typeof folders === 'string') return folders
  const seed = Number(values.seed)
  const lines = Number(values.lines)
  if (!Number.isSafeInteger(seed)) return `--seed ${values.seed} is no whole number`
  if (!Number.isSafeInteger(lines) || lines < 1) return `--lines ${values.lines} is no whole number of at least 1`
  return { folders, seed, lines, records: !values['no-record'] }
}

/**
 * Tries mutants in each folder, prints those that its tests do not notice, and records the outcome. Returns the exit code: 1 if a folder is below its
 * least share.
 */
export async function mutateAll(order: Order, run: MutationRun): Promise<number> {
  let below = 0
  for (const target of order.folders) {
    const { percent } = await mutateFolder(target, order, run)
    if (percent < target.atLeast) below += 1
  }
  return below > 0 ? 1 : 0
}

async function mutateFolder(
  target: MutationTarget,
  { seed, lines, records }: Order,
  { root, runMutants, listed, results, today, say }: MutationRun,
) {
  const all = linesOf(root, filesOf(root, target.folder))
  const sample = sampleOf(all, lines, seed)
  const ranges = sample.map(({ file, line }) => `${file}:${line}-${line}`)
  const codeOf = ({ file, line }: Mutant): string => (readFileSync(join(root, file), 'utf8').split('\n')[line - 1] ?? '').trim()
  const isEquivalent = (mutant: Mutant): boolean => isListed(mutant, codeOf(mutant), listed)
  const { outcome, unnoticed } = await judgeFolder(target, ranges, { runMutants, testsIn: (places) => testsIn(root, places), isEquivalent })
  for (const mutant of unnoticed) say(`${mutant.file}:${mutant.line}\n  - ${codeOf(mutant)}\n  + ${mutant.replacement}`)
  const { mutants, killed, equivalent, percent } = outcome
  say(`${target.folder}: ${killed} of ${mutants} mutants killed, ${equivalent} equivalent: ${percent} % (at least ${target.atLeast})`)
  const dated: Outcome = { seed, date: today, lines: all.length, ...outcome }
  if (records) writeOutcome(target.folder, dated, results)
  return dated
}

/** Returns the test files that are named or are below a named folder, sorted by name. */
export function testsIn(root: string, places: readonly string[]): readonly string[] {
  return walk(root, (name) => name.endsWith('.test.ts')).filter((file) =>
    places.some((place) => file === place || file.startsWith(`${place}/`)),
  )
}
