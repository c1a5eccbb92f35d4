// Measures one workload in a process of its own. Prints each stage as a line of JSON, so that a stage that takes too long can be cut off without
// losing the others: node --expose-gc bench/scheduling/measureChild.ts <workload> <runs> <bound seconds>
import { quantile } from '../quantiles.ts'
import { measure } from './measure.ts'
import { outcomeOf } from './outcome.ts'
import { loadStatePlanner } from './planner.ts'
import type { Row } from './row.ts'
import { snapshotOf } from './workload.ts'
import { WORKLOADS } from './workloads.ts'

const [, , name, runs = '7', boundSeconds = '30'] = process.argv
const workload = WORKLOADS.find((each) => each.name === name)
if (workload === undefined) throw new Error(`no workload is called ${name}`)

const { times, wallTimes, planTimes, planned, ...figures } = measure(workload, loadStatePlanner, Number(runs))
const snapshot = snapshotOf(workload.build(), 0)
const outcome = outcomeOf(snapshot, planned.decision)
const medianMs = quantile(times, 0.5)
say({
  ...figures,
  ...outcome,
  runs: times.length,
  medianMs,
  p99Ms: quantile(times, 0.99),
  slowestMs: Math.max(figures.coldMs, ...times),
  wallMs: quantile(wallTimes, 0.5),
  ...(planTimes.length === 0 ? {} : { planMs: quantile(planTimes, 0.5) }),
  podsPerSecond: outcome.pods / (medianMs / 1000),
  ...(planned.steps === undefined ? {} : { steps: planned.steps }),
})

/** First fit is asked for as many pods at most. */
const MOST_FOR_FIRST_FIT = 10_000

if (outcome.pods <= MOST_FOR_FIRST_FIT && outcome.unplaced === 0 && outcome.onExisting === 0) {
  const asFirstFit = { ...snapshot, settings: { ...snapshot.settings, placement: 'firstFit' } } as const
  const firstFit = outcomeOf(asFirstFit, loadStatePlanner(asFirstFit, 'once').decide([]).decision)
  if (firstFit.unplaced === 0) say({ firstFit: firstFit.price })
}

// Imported only now, so that solver and checker do not count as memory of the engine.
const { boundProblem } = await import('./bounds/boundProblem.ts')
const { loadSolver } = await import('./bounds/linearProgram.ts')
const { fluidBound } = await import('./bounds/fluidBound.ts')
const problem = boundProblem(snapshot, planned.decision)
const fluid = fluidBound(await loadSolver(), problem)
say({ fluid: fluid.bound })

if (Number(boundSeconds) > 0) {
  const { configurationBound } = await import('./bounds/configurationBound.ts')
  const { bound, ...told } = configurationBound(await loadSolver(), problem, fluid, Number(boundSeconds))
  say({ configuration: bound, ...told })
}

// This stage comes last, because it may take longest.
const { checkPlan } = await import('../../test/checker/checkPlan.ts')
say({ problems: checkPlan(snapshot, planned.decision).slice(0, 20) })

function say(stage: Partial<Row>): void {
  process.stdout.write(`${JSON.stringify(stage)}\n`)
}
