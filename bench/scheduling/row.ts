import type { StepCounts } from './planner.ts'

/** What is known of one workload. The members of stages that did not end, or were not requested, are missing. */
export type Row = {
  readonly name: string
  /** Why it was not run, or why it ended. */
  readonly note?: string
  readonly runs: number
  /** Time on one core: see `measure`. */
  readonly medianMs: number
  readonly p99Ms: number
  /** Median time until the plan is made: pods are not named yet, and no claims are drafted. Only where that is measured. */
  readonly planMs: number
  /** Median wall time, which other programs on the machine make longer. */
  readonly wallMs: number
  readonly coldMs: number
  /** The slowest of all decisions, the first one of the process included. */
  readonly slowestMs: number
  readonly podsPerSecond: number
  readonly pods: number
  readonly unplaced: number
  readonly onExisting: number
  readonly nodes: number
  /** US dollars an hour of the new nodes. */
  readonly price: number
  readonly steps: StepCounts
  /** Resident memory in MiB: of the bare process, with the input, and the peak. */
  readonly emptyMebibytes: number
  readonly loadedMebibytes: number
  readonly peakMebibytes: number
  /** The price of first fit's plan of the same pods. Only of some workloads, since first fit can be slow. */
  readonly firstFit: number
  /** Lower bounds of the price of the pods that were placed. */
  readonly fluid: number
  readonly configuration: number
  /** More time for column generation could have raised the bound by at most this share. */
  readonly slack: number
  /** Mistakes that the independent checker found. */
  readonly problems: readonly string[]
}

export type PartialRow = Pick<Row, 'name'> & Partial<Row>

/** Returns how far the price is above a bound, as a share of the bound. Undefined if there is nothing to compare. */
export function gapOf(price: number | undefined, bound: number | undefined): number | undefined {
  return price === undefined || bound === undefined || bound <= 0 ? undefined : price / bound - 1
}
