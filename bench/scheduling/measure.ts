import type { LoadPlanner, Planned, Planner } from './planner.ts'
import type { Workload, WorkloadInput } from './workload.ts'

export type Measured = {
  /** Milliseconds of one core for each timed run, in order. */
  readonly times: readonly number[]
  readonly wallTimes: readonly number[]
  /** The same until the plan stands. Measured where deciding is fast and happens once. */
  readonly planTimes: readonly number[]
  /** The first run of the process, before the compiler knows the code; not among the times unless it is the only one. */
  readonly coldMs: number
  /** Resident mebibytes of the process before there is an input, code included. */
  readonly emptyMebibytes: number
  /** The same with what is decided about in memory, and the most there was until the last run. */
  readonly loadedMebibytes: number
  readonly peakMebibytes: number
  /** Of the first run. */
  readonly planned: Planned
}

type Timed<Result> = { readonly ms: number; readonly wallMs: number; readonly result: Result }

const MEBIBYTE = 1024 ** 2
/** A workload that takes longer is run fewer times. */
const SLOW_MS = 3_000
const VERY_SLOW_MS = 15_000
const SLOW_RUNS = 3
/** One that takes less is run more often: for the tail's sake, and since the compiler takes some runs to know the code. */
const FAST_MS = 500
const FAST_RUNS = 25

/** Runs the workload on a fresh input each time; where pods arrive, the loaded cluster stays and other pods come. */
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

/** Keeps the planner, or the first input, and nothing else. */
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
  /** Absent: the plan alone is of no interest. */
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
 * The lesser of wall time and of processor time of all threads: neither waiting for others who use the machine nor the compiler's
 * threads beside count, and either way it is no less than what one core would take.
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

/** Pages that are free are given back first: what building the input needed for a while is no memory of the engine. */
function residentMebibytes(): number {
  globalThis.gc?.({ type: 'major', execution: 'sync', flavor: 'last-resort' })
  return process.memoryUsage.rss() / MEBIBYTE
}

/**
 * With `--expose-gc`: what building the input left behind is not collected in the run. Only what is young, as any process does all the
 * time: a full collection would also throw away compiled code that refers to what has died, so that each run would begin half cold.
 */
function collectGarbage(): void {
  globalThis.gc?.({ type: 'minor' })
}
