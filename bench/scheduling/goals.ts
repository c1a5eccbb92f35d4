import { largestOf, leastOf } from '../../shared/base/lists.ts'
import { POOL_FAMILIES } from '../../test/adversarial/poolFamilies.ts'
import { quantile } from '../quantiles.ts'
import { gapOf, type PartialRow } from './row.ts'
import { UNSCHEDULABLE_COUNTS } from './workloads/adversarial.ts'
import { OWNED_RULES } from './workloads/owners.ts'

/** A figure with its limits for the engine: the gate must be met, and the aim is what the problem allows. */
export type Goal = {
  /** The name of a workload, or the common beginning of several names and `*`. Then the goal is about all of them together. */
  readonly workload: string
  readonly figure: Figure
  readonly gate: number
  readonly aim: number
}

type Figure = keyof typeof FIGURES

/**
 * All figures are for one core. For speeds more is better, for all others less is better. Of several workloads the worst counts, unless `over` is
 * given.
 */
const FIGURES = {
  'pods/s': { of: (row: PartialRow) => row.podsPerSecond, isMoreBetter: true },
  'ms, median': { of: (row: PartialRow) => row.medianMs, isMoreBetter: false },
  // Comparable to Cluster Autoscaler's estimator: it counts machines, and names neither machines nor pods.
  'ms, median, to the plan': { of: (row: PartialRow) => row.planMs, isMoreBetter: false },
  'ms, median of medians': { of: (row: PartialRow) => row.medianMs, isMoreBetter: false, over: medianOf },
  'ms, slowest decision': { of: (row: PartialRow) => row.slowestMs, isMoreBetter: false },
  'ms, p99': { of: (row: PartialRow) => row.p99Ms, isMoreBetter: false },
  '% above fluid bound': { of: (row: PartialRow) => percent(gapOf(row.price, row.fluid)), isMoreBetter: false },
  '% above configuration bound': {
    of: (row: PartialRow) => percent(gapOf(row.price, row.configuration ?? row.fluid)),
    isMoreBetter: false,
  },
  // A process of the app often makes few decisions, and its first one before any code is compiled.
  'first decision, times the median': { of: coldRatio, isMoreBetter: false },
  nodes: { of: (row: PartialRow) => row.nodes, isMoreBetter: false },
  'of the price of first fit': { of: ({ price, firstFit }: PartialRow) => price && firstFit && price / firstFit, isMoreBetter: false },
  'MiB, loaded': { of: (row: PartialRow) => row.loadedMebibytes, isMoreBetter: false },
  'price, % apart': { of: (row: PartialRow) => row.price, isMoreBetter: false, over: apart },
} satisfies { readonly [figure: string]: Reading }

type Reading = {
  readonly of: (row: PartialRow) => number | undefined
  readonly isMoreBetter: boolean
  /** Combines the figures of several workloads. The worst counts if undefined. */
  readonly over?: (figures: readonly number[]) => number
}

/** Gates for the price of the diverse mix, in percent above the fluid bound. */
const DIVERSE = [
  ['500', 15],
  ['1k', 6],
  ['2k', 15],
  ['5k', 15],
  ['10k', 7],
  ['20k', 6],
] as const

/** Worlds of many pools or ports, where work may come to the product of pods and pools. */
const CLIFFS = POOL_FAMILIES.map(({ name }) => name)

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
  { workload: 'az-spot-1k', figure: '% above configuration bound', gate: 4, aim: 2 },
  ...['kb-diverse-1k', 'az-micro-300', 'az-openb-cpu', 'az-openb-all', 'az-spot-1k', 'owners-mixed-20'].map(
    (workload) => ({ workload, figure: 'of the price of first fit', gate: 0.97, aim: 0.9 }) as const,
  ),
  { workload: 'owners-mixed-20', figure: 'nodes', gate: 420, aim: 320 },
  { workload: 'ca-estimate-51k', figure: 'ms, median', gate: 10, aim: 0.5 },
  { workload: 'ca-estimate-51k', figure: 'ms, median, to the plan', gate: 10, aim: 0.5 },
  { workload: 'inc-1', figure: 'ms, p99', gate: 50, aim: 5 },
  { workload: 'inc-1', figure: 'MiB, loaded', gate: 300, aim: 120 },
  { workload: 'adversarial-*', figure: 'ms, median of medians', gate: 2_000, aim: 1_000 },
  { workload: 'adversarial-*', figure: 'ms, slowest decision', gate: 5_000, aim: 2_000 },
  ...CLIFFS.map((world) => ({ workload: `adversarial-${world}`, figure: 'ms, median', gate: 2_000, aim: 1_000 }) as const),
  ...['1k', '10k', '20k'].map(
    (size) => ({ workload: `kb-diverse-${size}`, figure: 'first decision, times the median', gate: 2, aim: 1.5 }) as const,
  ),
  ...OWNED_RULES.map((rule) => ({ workload: `owners-${rule}-*`, figure: 'price, % apart', gate: 2, aim: 0.5 }) as const),
]

/** Number of pods that fit nowhere, whatever the engine does, by workload. */
const PODS_WITHOUT_A_PLACE: { readonly [workload: string]: number } = { 'inc-unsat-15k': 15_000, ...UNSCHEDULABLE_COUNTS }

export type JudgedGoal = {
  readonly measured: number | undefined
  /** The measured value divided by the limit, or the inverse for speeds: below one is always better. */
  readonly gateRatio: number | undefined
  readonly aimRatio: number | undefined
  /** Pods without a node that could have one. If there are any, the figure is not comparable. */
  readonly missing: number
  readonly isGateMet: boolean
  readonly isAimMet: boolean
}

/** Returns the rows of the workloads that a goal is about. */
export function rowsOf({ workload }: Goal, rows: readonly PartialRow[]): readonly PartialRow[] {
  if (!workload.endsWith('*')) return rows.filter(({ name }) => name === workload)
  return rows.filter(({ name }) => name.startsWith(workload.slice(0, -1)))
}

/** Compares the measured rows of a goal's workloads with its limits. */
export function judge(goal: Goal, rows: readonly PartialRow[]): JudgedGoal {
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

/** How many times the median the first decision of the process takes. */
function coldRatio({ coldMs, medianMs }: PartialRow): number | undefined {
  return coldMs === undefined || medianMs === undefined ? undefined : coldMs / medianMs
}

function medianOf(figures: readonly number[]): number {
  return quantile(figures, 0.5)
}

/** Returns the distance between the least and the largest figure, in percent of the least. */
function apart(figures: readonly number[]): number {
  return Math.max(0, 100 * (largestOf(figures) / leastOf(figures) - 1))
}

/** Returns the number of pods without a node that could have one. */
export function missingPods({ name, unplaced = 0 }: PartialRow): number {
  return Math.max(0, unplaced - (PODS_WITHOUT_A_PLACE[name] ?? 0))
}

function percent(share: number | undefined): number | undefined {
  return share === undefined ? undefined : Math.max(0, 100 * share)
}
