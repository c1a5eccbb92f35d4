import type { LoadPlanner, Planned, Planner } from './planner.ts'
import type { Workload, WorkloadInput } from './workload.ts'

export type Measured = {
  /** Milliseconds of one core for each timed run, in order. */
  readonly times: readonly number[]
  readonly wallTimes: readonly number[]
  /** The same, only until the plan is made. Measured where a decision is fast and happens once. */
  readonly planTimes: readonly number[]
  /** Time of the first run of the process, before the code is compiled. It is among `times` only if it is the only run. */
  readonly coldMs: number
  /** Resident memory in MiB before there is an input, code included. */
  readonly emptyMebibytes: number
  /** The same with the input in memory, and the peak until the last run. */
  readonly loadedMebibytes: number
  readonly peakMebibytes: number
  /** The result of the first run. */
  readonly planned: Planned
}

type Timed<Result> = { readonly ms: number; readonly wallMs: number; readonly result: Result }

const MEBIBYTE = 1024 ** 2
/** A workload that takes longer is run fewer times. */
const SLOW_MS = 3_000
const VERY_SLOW_MS = 15_000
const SLOW_RUNS = 3
/** A faster workload is run more often: for the tail, and because the compiler needs some runs. */
const FAST_MS = 500
const FAST_RUNS = 25

/** Runs the workload on a fresh input each time. If pods arrive, the loaded cluster stays and other pods come in each run. */
export function measure(workload: Workload, load: LoadPlanner, runs: number): Measured {
  const emptyMebibytes = residentMebibytes()
  const run = runnerFor(workload, load)
  const loadedMebibytes = residentMebibytes()
  const first = run.decide(0)
  const count = runsFor(first.ms, runs)
  const decided = count === 1 ? [first] : Array.from({ length: count }, (_, index) => run.decide(index + 1))
  const { plan } = run
  const planned = plan !== undefined && first.ms < FAST_MS && count > 1 ? Array.from({ length: count }, plan) : []
  return {
    times: decided.map(({ ms }) => ms),
    wallTimes: decided.map(({ wallMs }) => wallMs),
    planTimes: planned.map(({ ms }) => ms),
    coldMs: first.ms,
    emptyMebibytes,
    loadedMebibytes,
    peakMebibytes: process.resourceUsage().maxRSS / 1024,
    planned: first.result,
  }
}

/** Returns a runner. It keeps only the planner, or the first input. */
function runnerFor(workload: Workload, load: LoadPlanner): Runner {
  const input = workload.build()
  if (input.arrivals !== undefined) return arrivalRunner(load(input.loaded, 'kept'), input.arrivals)
  const rest: WorkloadInput[] = [input]
  const next = () => (rest.pop() ?? workload.build()).loaded
  return {
    decide() {
      const loaded = next()
      return timed(() => load(loaded, 'once').decide([]))
    },
    plan() {
      const loaded = next()
      return timed(() => load(loaded, 'once').plan())
    },
  }
}

type Runner = {
  readonly decide: (event: number) => Timed<Planned>
  /** Undefined if the plan alone is of no interest. */
  readonly plan?: () => Timed<void>
}

function arrivalRunner(planner: Planner, arrivals: NonNullable<WorkloadInput['arrivals']>): Runner {
  return {
    decide(event) {
      const pods = arrivals(event)
      return timed(() => planner.decide(pods))
    },
  }
}

/**
 * Returns the smaller one of wall time and processor time of all threads. So neither waiting for other programs nor the compiler's parallel threads
 * count. Both times are at least what one core would take.
 */
function timed<Result>(work: () => Result): Timed<Result> {
  collectGarbage()
  const usage = process.cpuUsage()
  const startedAt = performance.now()
  const result = work()
  const wallMs = performance.now() - startedAt
  const { user, system } = process.cpuUsage(usage)
  return { ms: Math.min(wallMs, (user + system) / 1000), wallMs, result }
}

function runsFor(firstMs: number, runs: number): number {
  if (firstMs > VERY_SLOW_MS) return 1
  if (firstMs > SLOW_MS) return Math.min(runs, SLOW_RUNS)
  return firstMs < FAST_MS && runs > 1 ? Math.max(runs, FAST_RUNS) : runs
}

/** Returns the resident memory. Free pages are given back first, because memory that only building the input needed is not the engine's. */
function residentMebibytes(): number {
  globalThis.gc?.({ type: 'major', execution: 'sync', flavor: 'last-resort' })
  return process.memoryUsage.rss() / MEBIBYTE
}

/**
 * Collects the garbage of building the input before a run, if the process has `--expose-gc`. Only young objects are collected, as in any process: a
 * full collection would also discard compiled code that refers to dead objects, so that each run would begin half cold.
 */
function collectGarbage(): void {
  globalThis.gc?.({ type: 'minor' })
}
