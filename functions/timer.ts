import { mapBounded, settle, settleBounded } from '../shared/base/bounded.ts'
import { defined } from '../shared/base/defined.ts'
import { stableHash } from '../shared/base/stableHash.ts'
import { createTurnstile } from '../shared/base/turnstile.ts'
import { type Restfulness, restfulness } from '../shared/flows/ledger/rest.ts'
import { collectGarbage } from '../shared/flows/sweep/collectGarbage.ts'
import { resync } from '../shared/flows/sweep/resync.ts'
import type { ClusterId } from '../shared/model/ids.ts'
import type { EpochMs } from '../shared/model/units.ts'
import type { AppDeps, ClusterGate } from './appDeps.ts'
import { workBudget } from './deadline.ts'
import { forgetExplanations } from './explanations.ts'
import type { FunctionApp } from './functionApp.ts'
import { type LastRuns, readLastRuns, writeLastRuns } from './lastRuns.ts'
import { COARSE_WORK, type CoarseWork, dueAt, isDue, looksBetweenRuns, patienceAtRest, type Schedule } from './schedules.ts'
import { tellBacklog } from './tellBacklog.ts'

/** Clusters that are worked for beside each other. */
const AT_ONCE = 16

type Work = { readonly [Each in CoarseWork]: (gate: ClusterGate) => Promise<unknown> }

/**
 * The only timer. It finds all work again from the truth, and does what else has come due, each cluster at its own time. Each timer function
 * of the platform has its own instances, and each run of one is paid for: that is why there is one.
 */
export function registerTimer(app: FunctionApp, deps: AppDeps): void {
  const inTurn = createTurnstile(1)
  const remembered: Remembered = new Map()
  const work: Work = {
    // One after another, since catalogs of one region share what the first fetches.
    catalog: (gate) => inTurn(() => refreshCatalog(gate)),
    gc: (gate) => sweep(deps, gate),
  }
  app.timer('timer', {
    schedule: deps.schedules.resync.expression,
    handler: () => Promise.all([runForAll(deps, work, remembered), tellBacklog(deps)]),
  })
}

type Rest = () => Promise<Restfulness>

/** When work was last done for each cluster, as far as this process knows. */
type Remembered = Map<ClusterId, LastRuns>
type Run = { readonly gate: ClusterGate; readonly work: Work; readonly remembered: Remembered }

/** A cluster or a piece of work that fails does not hold up the others, and the timer fails at the end. */
async function runForAll(deps: AppDeps, work: Work, remembered: Remembered): Promise<void> {
  const outcomes = await settleBounded([...deps.clusters], AT_ONCE, ([cluster, gate]) => runFor(deps, cluster, { gate, work, remembered }))
  const causes = outcomes.map((outcome) => (outcome.ok ? outcome.value : [outcome.error]))
  const failed = causes.filter(({ length }) => length > 0).length
  if (failed > 0) throw new AggregateError(causes.flat(), `the timer failed for ${failed} of ${outcomes.length} clusters`)
}

/** What failed. All due work runs beside each other, so that a slow answer to one keeps no other. */
async function runFor(deps: AppDeps, cluster: ClusterId, { gate, work, remembered }: Run): Promise<readonly unknown[]> {
  const causes: unknown[] = []
  deps.telemetry.measure('cluster.watched', 1, { cluster })
  async function attempt(name: string, run: () => Promise<unknown>): Promise<void> {
    const outcome = await settle(run)
    if (outcome.ok) return
    deps.telemetry.error(`${name} of ${cluster} failed: ${String(outcome.error)}`, { cluster, work: name })
    causes.push(outcome.error)
  }
  const rest = once(async () => restfulness((await gate.open(workBudget())).deps, workBudget()))
  await Promise.all([
    attempt('resync', () => resyncCluster(deps, gate, rest)),
    attempt('schedule', () => doWhatIsDue(deps, { cluster, rest, remembered }, (each) => attempt(each, () => work[each](gate)))),
  ])
  return causes
}

/**
 * A process that dies in the middle leaves the work due; work that failed waits for its next time. While nothing is due as far as this process
 * remembers, nothing is read: what another process has done since makes nothing due earlier.
 */
async function doWhatIsDue(
  deps: AppDeps,
  { cluster, rest, remembered }: { readonly cluster: ClusterId; readonly rest: Rest; readonly remembered: Remembered },
  run: (work: CoarseWork) => Promise<void>,
): Promise<void> {
  const now = deps.clock.now()
  async function dueBy(last: LastRuns): Promise<readonly CoarseWork[]> {
    const due = COARSE_WORK.filter((each) => isDue(deps.schedules[each], last[each], now, shareOf(cluster, each)))
    // Where nothing comes and goes nothing is left over.
    const mayWait = due.includes('gc') && mayWaitAtRest(deps.schedules.gc, last.gc) && (await rest()) === 'resting'
    return mayWait ? due.filter((each) => each !== 'gc') : due
  }
  const mayWaitAtRest = (schedule: Schedule, since: EpochMs | undefined): boolean =>
    since !== undefined && since <= now && now < dueAt(schedule, since, shareOf(cluster, 'gc')) + patienceAtRest(schedule, since)
  const before = remembered.get(cluster)
  if (before !== undefined && (await dueBy(before)).length === 0) return
  const last = await readLastRuns(deps.documents, cluster, workBudget())
  remembered.set(cluster, last)
  const due = await dueBy(last)
  if (due.length === 0) return
  await mapBounded(due, COARSE_WORK.length, run)
  const done = { ...last, ...Object.fromEntries(due.map((each) => [each, now])) }
  await writeLastRuns(deps.documents, cluster, done, workBudget())
  remembered.set(cluster, done)
}

/** Asked once in a run of the timer, by whoever needs it first. */
function once<Value>(ask: () => Promise<Value>): () => Promise<Value> {
  let asked: Promise<Value> | undefined
  return () => {
    asked ??= ask()
    return asked
  }
}

/** From 0 to 1, of each cluster and work its own and always the same. */
function shareOf(cluster: ClusterId, work: CoarseWork): number {
  return Number.parseInt(stableHash([cluster, work]).slice(0, 8), 16) / 2 ** 32
}

async function resyncCluster({ schedules, clock }: AppDeps, gate: ClusterGate, rest: Rest): Promise<void> {
  const { deps, steps } = await gate.open(workBudget())
  await resync(deps, workBudget(), steps.step, looksBetweenRuns(schedules, clock.now()), rest)
}

/** Reads what Azure says of the cluster, which is as it was where Azure says nothing; then fetches sizes, prices and quota where they are due. */
async function refreshCatalog(gate: ClusterGate): Promise<void> {
  await gate.facts.refresh(workBudget())
  const { deps } = await gate.open(workBudget())
  const { sizes, prices, fetchedAt } = await deps.catalog.refresh(workBudget())
  const fields = defined({ cluster: gate.id, sizes, prices, fetchedAt })
  deps.telemetry.info(`catalog refreshed: ${sizes} machine sizes, ${prices} prices`, fields)
}

/** Removes what no claim owns, and answers that nobody waits for any more. */
async function sweep(deps: AppDeps, gate: ClusterGate): Promise<void> {
  const { deps: of } = await gate.open(workBudget())
  await collectGarbage(of, workBudget())
  await forgetExplanations(deps, of.cluster, workBudget())
}
