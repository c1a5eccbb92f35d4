/** Judges how many mutants of a folder its tests notice. */
import type { MutationTarget } from './folders.ts'
import type { Mutant } from './mutant.ts'
import type { Equivalent, Outcome } from './record.ts'

export type MutationVerdict = {
  readonly outcome: Omit<Outcome, 'seed' | 'date' | 'lines'>
  /** Mutants that survived and are not listed as equivalent. */
  readonly unnoticed: readonly Mutant[]
}

export type Outside = {
  readonly runMutants: (ranges: readonly string[], testFiles: readonly string[]) => Promise<readonly Mutant[]>
  /** Returns the test files in these folders, and the files that are named themselves. */
  readonly testsIn: (places: readonly string[]) => readonly string[]
  readonly isEquivalent: (mutant: Mutant) => boolean
}

/**
 * Judges a folder. Its own quick tests run first. If they do not kill enough mutants, its integration tests and the tests of other folders run
 * against the survivors.
 */
export async function judgeFolder(
  { folder, atLeast, widerTests }: MutationTarget,
  ranges: readonly string[],
  { runMutants, testsIn, isEquivalent }: Outside,
): Promise<MutationVerdict> {
  const tests = testsIn([folder])
  const own = (await runMutants(ranges, tests.filter(isQuick))).filter(({ fate }) => fate !== 'invalid')
  const verdict = verdictOf(own, isEquivalent)
  const wider = [...tests.filter((file) => !isQuick(file)), ...testsIn(widerTests)]
  if (verdict.outcome.percent >= atLeast || wider.length === 0) return verdict
  const lives = own.filter(({ fate }) => fate === 'lives').map(({ range }) => range)
  const killed = new Set((await runMutants(lives, wider)).filter(({ fate }) => fate === 'killed').map(markOf))
  return verdictOf(
    own.map((mutant) => (killed.has(markOf(mutant)) ? { ...mutant, fate: 'killed' } : mutant)),
    isEquivalent,
  )
}

/** Returns the verdict on the tried mutants. Equivalent mutants do not count. */
export function verdictOf(mutants: readonly Mutant[], isEquivalent: (mutant: Mutant) => boolean): MutationVerdict {
  const lives = mutants.filter(({ fate }) => fate === 'lives')
  const unnoticed = lives.filter((mutant) => !isEquivalent(mutant))
  const killed = mutants.length - lives.length
  const equivalent = lives.length - unnoticed.length
  const percent = Math.floor((1000 * killed) / Math.max(1, mutants.length - equivalent)) / 10
  return { outcome: { mutants: mutants.length, killed, equivalent, percent }, unnoticed }
}

/** Reports whether the mutant is listed as equivalent. `code` is the line of the mutant. */
export function isListed({ file, replacement }: Mutant, code: string, listed: readonly Equivalent[]): boolean {
  return listed.some((each) => each.file === file && each.replacement === replacement && each.code === code)
}

function isQuick(file: string): boolean {
  return !file.endsWith('.integration.test.ts')
}

function markOf({ range, replacement }: Mutant): string {
  return `${range} ${replacement}`
}
