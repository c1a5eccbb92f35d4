/** The outcome of the last run for each folder, and the survivors that no test could notice. Both are in files beside this one. */
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
  /** Mutants that survived and are listed as equivalent. */
  equivalent: z.int(),
  /** Share of killed mutants among those that are not equivalent, in percent. */
  percent: z.number(),
})
const Outcomes = z.record(z.string(), Outcome)
const Equivalents = z.array(
  z.strictObject({
    file: z.string(),
    /** The line of code, without leading and trailing blanks. */
    code: z.string(),
    /** The text that replaced a part of the line. */
    replacement: z.string(),
    why: z.string().min(20),
  }),
)

export type Outcome = z.infer<typeof Outcome>
export type Equivalent = z.infer<typeof Equivalents>[number]

export const RESULTS = join(import.meta.dirname, 'results.json')
const EQUIVALENTS = join(import.meta.dirname, 'equivalents.json')

export function readOutcomes(path = RESULTS): Readonly<Record<string, Outcome>> {
  return Outcomes.parse(JSON.parse(readFileSync(path, 'utf8')))
}

export function writeOutcome(folder: string, outcome: Outcome, path = RESULTS): void {
  const all = { ...readOutcomes(path), [folder]: outcome }
  const sorted = Object.fromEntries(Object.entries(all).sort(([one], [other]) => (one < other ? -1 : 1)))
  writeFileSync(path, `${JSON.stringify(sorted, undefined, 2)}\n`)
}

export function readEquivalents(): readonly Equivalent[] {
  return Equivalents.parse(JSON.parse(readFileSync(EQUIVALENTS, 'utf8')))
}
