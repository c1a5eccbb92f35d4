import { settleBounded } from '../shared/base/bounded.ts'
import type { AppDeps, ClusterRuntime } from './appDeps.ts'

/** Clusters whose timers work beside each other. */
const AT_ONCE = 16

/** Runs a timer's work for every cluster; one that fails does not hold up the others, and the timer fails at the end. */
export async function forEachCluster(deps: AppDeps, work: string, run: (runtime: ClusterRuntime) => Promise<unknown>): Promise<void> {
  const runtimes = [...deps.clusters.values()]
  const outcomes = await settleBounded(runtimes, AT_ONCE, run)
  const causes: unknown[] = []
  for (const [index, outcome] of outcomes.entries()) {
    if (outcome.ok) continue
    const cluster = runtimes[index]?.deps.cluster
    deps.telemetry.error(`${work} of ${cluster} failed: ${String(outcome.error)}`, { cluster, work })
    causes.push(outcome.error)
  }
  if (causes.length > 0) throw new AggregateError(causes, `${work} failed for ${causes.length} of ${runtimes.length} clusters`)
}
