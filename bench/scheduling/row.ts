import type { StepCounts } from './planner.ts'

/** What is known of one workload. Stages that did not end, or were not asked for, leave their members out. */
export type Row = {
  readonly name: string
  /** Why it was not run, or what ended it. */
  readonly note?: string
  readonly runs: number
  /** Of one core: see `measure`. */
  readonly medianMs: number
  readonly p99Ms: number
  /** Median until the plan stands: who goes where is not yet told, and no claim is drafted. Only where that is measured. */
  readonly planMs: number
  /** Median by the clock on the wall, which others who use the machine make longer. */
  readonly wallMs: number
  readonly coldMs: number
  /** Of all decisions, the first of the process with them. */
  readonly slowestMs: number
  readonly podsPerSecond: number
  readonly pods: number
  readonly unplaced: number
  readonly onExisting: number
  readonly nodes: number
  /** US dollars an hour of the new nodes. */
  readonly price: number
  readonly steps: StepCounts
  /** Resident memory: of the bare process, with the input, at most. */
  readonly emptyMebibytes: number
  readonly loadedMebibytes: number
  readonly peakMebibytes: number
  /** Lower bounds of the price of the pods that were placed. */
  readonly fluid: number
  readonly configuration: number
  /** By no more than this share could column generation have raised the bound, given more time. */
  readonly slack: number
  /** What the independent checker found. */
  readonly problems: readonly string[]
}

export type PartialRow = Pick<Row, 'name'> & Partial<Row>

/** How far the price lies above a bound, as a share of the bound; undefined where there is nothing to compare. */
export function gapOf(price: number | undefined, bound: number | undefined): number | undefined {
  return price === undefined || bound === undefined || bound <= 0 ? undefined : price / bound - 1
}
