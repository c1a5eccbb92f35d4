import { createConcurrencyLimiter, mapBounded, settle, settleBounded } from '../shared/base/concurrency.ts'
import { stableHash } from '../shared/base/stableHash.ts'
import { defined } from '../shared/base/values.ts'
import { type RestState, restStateOf } from '../shared/flows/ledger/rest.ts'
import { collectGarbage } from '../shared/flows/sweep/collectGarbage.ts'
import { resync } from '../shared/flows/sweep/resync.ts'
import { updateTags } from '../shared/flows/sweep/updateTags.ts'
import type { ClusterId } from '../shared/model/ids.ts'
import type { EpochMs } from '../shared/model/units.ts'
import type { AppDeps, ClusterGate } from './appDeps.ts'
import type { Invocation } from './cover.ts'
import { workBudget } from './deadline.ts'
import type { FunctionApp } from './functionApp.ts'
import { type LastRuns, readLastRuns, writeLastRuns } from './lastRuns.ts'
import { reportBacklog } from './reportBacklog.ts'
import { COARSE_WORK, type CoarseWork, decisionsBetweenRuns, dueAt, isDue, patienceAtRest, type Schedule } from './schedules.ts'

/** Number of clusters that are processed at a time. */
const AT_ONCE = 16

type Work = { readonly [Each in CoarseWork]: (gate: ClusterGate) => Promise<unknown> }

/**
 * The only timer. It finds all work again, and does other work that is due, with a time of its own for each cluster. There is one timer only, since
 * each timer function of the platform has its own instances, and each run is paid for.
 */
export function registerTimer(app: FunctionApp, deps: AppDeps): void {
  const inTurn = createConcurrencyLimiter(1)
  const kept: Kept = { remembered: new Map(), retagged: new Set() }
  const work: Work = {
    // One after another, since catalogs of one region share what the first one fetches.
    catalog: (gate) => inTurn(() => refreshCatalog(gate)),
    gc: sweep,
  }
  app.timer('timer', {
    schedule: deps.schedules.resync.expression,
    handler: () => Promise.all([runForAll(deps, work, kept), reportBacklog(deps)]),
  })
}

type Rest = () => Promise<RestState>

/** When work was last done for each cluster, as far as this process knows. */
type Remembered = Map<ClusterId, LastRuns>
/** What the timer keeps between its runs. `retagged`: clusters in which the tags of machines are being changed. */
type Kept = { readonly remembered: Remembered; readonly retagged: Set<ClusterId> }
type Run = Kept & { readonly gate: ClusterGate; readonly work: Work; readonly invocations: Invocation[] }

/**
 * A cluster or kind of work that fails does not hold up the others. The timer fails at the end. The decisions that it asked for are waited for after
 * that, for all clusters at a time.
 */
async function runForAll(deps: AppDeps, work: Work, kept: Kept): Promise<void> {
  const invocations: Invocation[] = []
  const outcomes = await settleBounded([...deps.clusters], AT_ONCE, ([cluster, gate]) =>
    runFor(deps, cluster, { gate, work, invocations, ...kept }),
  )
  await mapBounded(invocations, invocations.length, (invocation) => invocation.end())
  const causes = outcomes.map((outcome) => (outcome.ok ? outcome.value : [outcome.error]))
  const failed = causes.filter(({ length }) => length > 0).length
  if (failed > 0) throw new AggregateError(causes.flat(), `the timer failed for ${failed} of ${outcomes.length} clusters`)
}

/** Returns the errors. All due work runs concurrently, so that a slow answer delays no other work. */
async function runFor(
  deps: AppDeps,
  cluster: ClusterId,
  { gate, work, remembered, retagged, invocations }: Run,
): Promise<readonly unknown[]> {
  const causes: unknown[] = []
  deps.telemetry.measure('cluster.watched', 1, { cluster })
  async function attempt(name: string, run: () => Promise<unknown>): Promise<void> {
    const outcome = await settle(run)
    if (outcome.ok) return
    deps.telemetry.error(`${name} of ${cluster} failed: ${String(outcome.error)}`, { cluster, work: name })
    causes.push(outcome.error)
  }
  const rest = once(async () => restStateOf((await gate.open(workBudget())).deps, workBudget()))
  await Promise.all([
    attempt('resync', () => resyncCluster(deps, gate, rest, invocations)),
    attempt('tags', () => updateTagsOf(gate, rest, retagged)),
    attempt('schedule', () => doWhatIsDue(deps, { cluster, rest, remembered }, (each) => attempt(each, () => work[each](gate)))),
  ])
  return causes
}

/**
 * Does the coarse work that is due. If a process dies during the work, the work stays due. Work that failed waits for its next time. Nothing is read
 * while no work is due as far as this process remembers: work that another process did since then only delays the due time.
 */
async function doWhatIsDue(
  deps: AppDeps,
  { cluster, rest, remembered }: { readonly cluster: ClusterId; readonly rest: Rest; readonly remembered: Remembered },
  run: (work: CoarseWork) => Promise<void>,
): Promise<void> {
  const now = deps.clock.now()
  async function dueBy(last: LastRuns): Promise<readonly CoarseWork[]> {
    const due = COARSE_WORK.filter((each) => isDue(deps.schedules[each], last[each], now, shareOf(cluster, each)))
    // In a cluster at rest no garbage arises.
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

/** Returns a function that calls `ask` once and shares the answer. Used for one run of the timer. */
function once<Value>(ask: () => Promise<Value>): () => Promise<Value> {
  let asked: Promise<Value> | undefined
  return () => {
    asked ??= ask()
    return asked
  }
}

/** Returns a constant number from 0 to 1 for each cluster and kind of work. */
function shareOf(cluster: ClusterId, work: CoarseWork): number {
  return Number.parseInt(stableHash([cluster, work]).slice(0, 8), 16) / 2 ** 32
}

async function resyncCluster({ schedules, clock }: AppDeps, gate: ClusterGate, rest: Rest, invocations: Invocation[]): Promise<void> {
  const { cover, deps } = await gate.open(workBudget())
  invocations.push(cover.open())
  await resync(deps, workBudget(), { laterDecisions: decisionsBetweenRuns(schedules, clock.now()), rest })
}

/** Changes the tags of machines. Nothing is read for a cluster at rest, unless the last run left something: a changed class ends its rest. */
async function updateTagsOf(gate: ClusterGate, rest: Rest, retagged: Set<ClusterId>): Promise<void> {
  if (!retagged.has(gate.id) && (await rest()) === 'resting') return
  const { deps } = await gate.open(workBudget())
  const { left } = await updateTags(deps, workBudget())
  if (left > 0) retagged.add(gate.id)
  else retagged.delete(gate.id)
}

/** Reads the facts of the cluster from Azure, which stay as they were if Azure does not answer. Then fetches sizes, prices and quota that are due. */
async function refreshCatalog(gate: ClusterGate): Promise<void> {
  await gate.facts.refresh(workBudget())
  const { deps } = await gate.open(workBudget())
  const { sizes, prices, fetchedAt } = await deps.catalog.refresh(workBudget())
  const fields = defined({ cluster: gate.id, sizes, prices, fetchedAt })
  deps.telemetry.info(`catalog refreshed: ${sizes} machine sizes, ${prices} prices`, fields)
}

/** Removes what no claim owns. */
async function sweep(gate: ClusterGate): Promise<void> {
  const { deps } = await gate.open(workBudget())
  await collectGarbage(deps, workBudget())
}
