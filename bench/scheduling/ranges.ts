import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod'
import { outcomeOf } from './outcome.ts'
import { costIn, loadStatePlanner, type StepCounts } from './planner.ts'
import { snapshotOf, type Workload } from './workload.ts'

/** The result of a plan, as far as it is the same on every machine. */
export type Counts = {
  readonly unplaced: number
  readonly nodes: number
  readonly price: number
  readonly steps?: StepCounts | undefined
}

export type Ranges = {
  /** The shares by which a figure may be worse than the recorded one. */
  readonly tolerance: { readonly nodes: number; readonly price: number; readonly steps: number }
  readonly workloads: { readonly [workload: string]: Counts }
}

const FILE = join(import.meta.dirname, 'ranges.json')
const Schema = z.object({
  tolerance: z.object({ nodes: z.number(), price: z.number(), steps: z.number() }),
  workloads: z.record(
    z.string(),
    z.object({ unplaced: z.number(), nodes: z.number(), price: z.number(), steps: z.record(z.string(), z.number()).optional() }),
  ),
})

export function readRanges(): Ranges {
  return Schema.parse(JSON.parse(readFileSync(FILE, 'utf8')))
}

export function writeRanges(ranges: Ranges): void {
  writeFileSync(FILE, `${JSON.stringify(ranges, undefined, 2)}\n`)
}

/** Returns the counts of one run. Its time does not matter. */
export function countsOf(workload: Workload): Counts {
  const input = workload.build()
  const planner = loadStatePlanner(input.loaded, input.arrivals === undefined ? 'once' : 'kept')
  // If pods arrive, the cluster has been decided about before.
  if (input.arrivals !== undefined) planner.decide(input.arrivals(1))
  const { decision, steps } = planner.decide(input.arrivals?.(0) ?? [])
  const { unplaced, nodes, price } = outcomeOf(snapshotOf(input, 0), decision)
  return { unplaced, nodes, price: Math.round(price * 1e6) / 1e6, ...(steps === undefined ? {} : { steps }) }
}

/** Returns the counts with all steps as one cost. For many workloads it is enough that the sum has not grown. */
export function inOneFigure({ steps, ...counts }: Counts): Counts {
  return steps === undefined ? counts : { ...counts, steps: { cost: costIn(steps) } }
}

export type Comparison = { readonly problems: readonly string[]; readonly notes: readonly string[] }

/**
 * Compares counts with the recorded ones. A plan that places fewer pods is always worse. A plan that places more pods solves another task, so its
 * price cannot be compared.
 */
export function compare(recorded: Counts, now: Counts, tolerance: Ranges['tolerance']): Comparison {
  if (now.unplaced > recorded.unplaced) return { problems: [`${now.unplaced} pods have no place, it was ${recorded.unplaced}`], notes: [] }
  if (now.unplaced < recorded.unplaced) return { problems: [], notes: [`${now.unplaced} pods have no place, it was ${recorded.unplaced}`] }
  const figures = [
    { name: 'nodes', was: recorded.nodes, is: now.nodes, share: tolerance.nodes },
    { name: '$/h', was: recorded.price, is: now.price, share: tolerance.price },
    ...Object.entries(recorded.steps ?? {}).map(([step, was]) => ({
      name: `steps: ${step}`,
      was,
      is: now.steps?.[step] ?? 0,
      share: tolerance.steps,
    })),
  ]
  const told = figures.map((figure) => ({ ...figure, text: `${figure.name} ${figure.is}, it was ${figure.was}` }))
  return {
    problems: told.filter(({ is, was, share }) => is > was * (1 + share)).map(({ text }) => text),
    notes: told.filter(({ is, was, share }) => is < was * (1 - share)).map(({ text }) => text),
  }
}
