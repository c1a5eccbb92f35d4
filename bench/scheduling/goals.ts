import { largestOf, leastOf } from '../../shared/base/lists.ts'
import { quantile } from '../quantiles.ts'
import { gapOf, type PartialRow } from './row.ts'
import { PLACELESS } from './workloads/adversarial.ts'
import { OWNED_RULES } from './workloads/owners.ts'

/** A figure the engine is held to: the gate must be met, the aim is what the problem allows. */
export type Goal = {
  /** A name, or what the names of several begin with, and `*`: then it is about all of them together. */
  readonly workload: string
  readonly figure: Figure
  readonly gate: number
  readonly aim: number
}

type Figure = keyof typeof FIGURES

/** Each of one core. Of speeds more is better, of everything else less. Of several workloads the worst counts, unless the reading says otherwise. */
const FIGURES = {
  'pods/s': { of: (row: PartialRow) => row.podsPerSecond, isMoreBetter: true },
  'ms, median': { of: (row: PartialRow) => row.medianMs, isMoreBetter: false },
  // What Cluster Autoscaler's estimator does: it counts machines, and names neither them nor pods.
  'ms, median, to the plan': { of: (row: PartialRow) => row.planMs, isMoreBetter: false },
  'ms, median of medians': { of: (row: PartialRow) => row.medianMs, isMoreBetter: false, over: medianOf },
  'ms, slowest decision': { of: (row: PartialRow) => row.slowestMs, isMoreBetter: false },
  'ms, p99': { of: (row: PartialRow) => row.p99Ms, isMoreBetter: false },
  '% above fluid bound': { of: (row: PartialRow) => percent(gapOf(row.price, row.fluid)), isMoreBetter: false },
  '% above configuration bound': {
    of: (row: PartialRow) => percent(gapOf(row.price, row.configuration ?? row.fluid)),
    isMoreBetter: false,
  },
  'MiB, loaded': { of: (row: PartialRow) => row.loadedMebibytes, isMoreBetter: false },
  'price, % apart': { of: (row: PartialRow) => row.price, isMoreBetter: false, over: apart },
} satisfies { readonly [figure: string]: Reading }

type Reading = {
  readonly of: (row: PartialRow) => number | undefined
  readonly isMoreBetter: boolean
  /** What several workloads come to together; the worst of them where absent. */
  readonly over?: (figures: readonly number[]) => number
}

/** Gates of the price of the diverse mix, in percent above the fluid bound. */
const DIVERSE = [
  ['500', 15],
  ['1k', 6],
  ['2k', 15],
  ['5k', 15],
  ['10k', 7],
  ['20k', 6],
] as const

export const GOALS: readonly Goal[] = [
  { workload: 'kb-diverse-1k', figure: 'pods/s', gate: 25_000, aim: 60_000 },
  { workload: 'kb-diverse-10k', figure: 'pods/s', gate: 40_000, aim: 60_000 },
  { workload: 'kb-diverse-20k', figure: 'pods/s', gate: 40_000, aim: 60_000 },
  { workload: 'kb-pref-4k-respect', figure: 'pods/s', gate: 6_000, aim: 60_000 },
  ...DIVERSE.map(([size, gate]) => ({ workload: `kb-diverse-${size}`, figure: '% above fluid bound', gate, aim: 4 }) as const),
  { workload: 'kb-generic-5k', figure: '% above fluid bound', gate: 3, aim: 0.5 },
  { workload: 'az-micro-300', figure: '% above configuration bound', gate: 4, aim: 1.5 },
  { workload: 'az-openb-cpu', figure: '% above configuration bound', gate: 4, aim: 1 },
  { workload: 'az-openb-all', figure: '% above configuration bound', gate: 2, aim: 1 },
  { workload: 'ca-estimate-51k', figure: 'ms, median', gate: 10, aim: 0.5 },
  { workload: 'ca-estimate-51k', figure: 'ms, median, to the plan', gate: 10, aim: 0.5 },
  { workload: 'inc-1', figure: 'ms, p99', gate: 50, aim: 5 },
  { workload: 'inc-1', figure: 'MiB, loaded', gate: 300, aim: 120 },
  { workload: 'adversarial-*', figure: 'ms, median of medians', gate: 2_000, aim: 1_000 },
  { workload: 'adversarial-*', figure: 'ms, slowest decision', gate: 5_000, aim: 2_000 },
  ...OWNED_RULES.map((rule) => ({ workload: `owners-${rule}-*`, figure: 'price, % apart', gate: 2, aim: 0.5 }) as const),
]

/** Workloads of which some pods can go nowhere, whatever the engine does. */
const PODS_WITHOUT_A_PLACE: { readonly [workload: string]: number } = { 'inc-unsat-15k': 15_000, ...PLACELESS }

export type Verdict = {
  readonly measured: number | undefined
  /** Measured by limit; below one is better, also for speeds. */
  readonly gateRatio: number | undefined
  readonly aimRatio: number | undefined
  /** Pods that should have a place have none: the figure is of another task. */
  readonly missing: number
  readonly isGateMet: boolean
  readonly isAimMet: boolean
}

/** The workloads of the rows that a goal is about. */
export function rowsOf({ workload }: Goal, rows: readonly PartialRow[]): readonly PartialRow[] {
  if (!workload.endsWith('*')) return rows.filter(({ name }) => name === workload)
  return rows.filter(({ name }) => name.startsWith(workload.slice(0, -1)))
}

/** Compares the measured rows of a goal's workloads with its limits. */
export function judge(goal: Goal, rows: readonly PartialRow[]): Verdict {
  const { measured, isMoreBetter } = measuredIn(rows, FIGURES[goal.figure])
  const ratio = (limit: number): number | undefined =>
    measured === undefined ? undefined : isMoreBetter ? limit / measured : measured / limit
  const [gateRatio, aimRatio] = [ratio(goal.gate), ratio(goal.aim)]
  const missing = rows.reduce((sum, row) => sum + missingPods(row), 0)
  return {
    measured,
    gateRatio,
    aimRatio,
    missing,
    isGateMet: missing === 0 && gateRatio !== undefined && gateRatio <= 1,
    isAimMet: missing === 0 && aimRatio !== undefined && aimRatio <= 1,
  }
}

function measuredIn(rows: readonly PartialRow[], { of, isMoreBetter, over = isMoreBetter ? leastOf : largestOf }: Reading) {
  const found = rows.map(of)
  const figures = found.filter((each) => each !== undefined)
  const isWhole = figures.length > 0 && figures.length === found.length
  return { measured: isWhole ? over(figures) : undefined, isMoreBetter }
}

function medianOf(figures: readonly number[]): number {
  return quantile(figures, 0.5)
}

/** Between the least and the most, in percent of the least. */
function apart(figures: readonly number[]): number {
  return Math.max(0, 100 * (largestOf(figures) / leastOf(figures) - 1))
}

/** Pods without a place that could have one. */
export function missingPods({ name, unplaced = 0 }: PartialRow): number {
  return Math.max(0, unplaced - (PODS_WITHOUT_A_PLACE[name] ?? 0))
}

function percent(share: number | undefined): number | undefined {
  return share === undefined ? undefined : Math.max(0, 100 * share)
}
