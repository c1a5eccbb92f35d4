/** The outcome of the last run for each folder, in a file beside this one. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod'

const Outcome = z.strictObject({
  seed: z.int(),
  date: z.iso.date(),
  /** Lines of the folder that can hold a mutant. */
  lines: z.int(),
  mutants: z.int(),
  killed: z.int(),
  /** Share of killed mutants, in percent. */
  percent: z.number(),
})
const Outcomes = z.record(z.string(), Outcome)

export type Outcome = z.infer<typeof Outcome>

const RESULTS = join(import.meta.dirname, 'results.json')

export function readOutcomes(path = RESULTS): Readonly<Record<string, Outcome>> {
  return Outcomes.parse(JSON.parse(readFileSync(path, 'utf8')))
}

export function writeOutcome(folder: string, outcome: Outcome, path = RESULTS): void {
  const all = { ...readOutcomes(path), [folder]: outcome }
  const sorted = Object.fromEntries(Object.entries(all).sort(([one], [other]) => (one < other ? -1 : 1)))
  writeFileSync(path, `${JSON.stringify(sorted, undefined, 2)}\n`)
}

/** Returns the counts of a run of StrykerJS. Mutants that were not tried, or that do not run, do not count. */
export function outcomeOf(results: readonly { readonly status: string }[]): Pick<Outcome, 'mutants' | 'killed' | 'percent'> {
  const count = (...statuses: readonly string[]): number => results.filter(({ status }) => statuses.includes(status)).length
  const killed = count('Killed', 'Timeout')
  const mutants = killed + count('Survived', 'NoCoverage')
  return { mutants, killed, percent: Math.floor((1000 * killed) / Math.max(1, mutants)) / 10 }
}
