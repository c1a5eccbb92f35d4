import { settle } from '../shared/base/bounded.ts'
import { collectGarbage } from '../shared/flows/collectGarbage.ts'
import { resync } from '../shared/flows/resync.ts'
import type { AppDeps, ClusterRuntime } from './appDeps.ts'
import { workBudget } from './deadline.ts'
import { forgetExplanations } from './explanations.ts'
import { forEachCluster } from './forEachCluster.ts'
import type { FunctionApp } from './functionApp.ts'

/** Timer: finds all work again from the truth. */
export function registerResync(app: FunctionApp, deps: AppDeps): void {
  app.timer('resync', {
    schedule: '%RESYNC_SCHEDULE%',
    handler: () => forEachCluster(deps, 'resync', ({ deps: of, steps }) => resync(of, workBudget(), steps.step)),
  })
}

/** Timer: has every cluster look for nodes not worth their money. The decision itself is made under the cluster's lease. */
export function registerDisruption(app: FunctionApp, deps: AppDeps): void {
  app.timer('disruption', {
    schedule: '%DISRUPTION_SCHEDULE%',
    handler: () => forEachCluster(deps, 'disruption', ringForDisruption),
  })
}

/** Timer: fetches sizes, prices and quota where they are due. */
export function registerCatalog(app: FunctionApp, deps: AppDeps): void {
  app.timer('catalog', {
    schedule: '%CATALOG_SCHEDULE%',
    handler: () => refreshCatalogs(deps),
  })
}

/** Timer: removes what no claim owns. */
export function registerGc(app: FunctionApp, deps: AppDeps): void {
  app.timer('gc', {
    schedule: '%GC_SCHEDULE%',
    handler: () =>
      forEachCluster(deps, 'gc', async (runtime) => {
        await collectGarbage(runtime.deps, workBudget())
        await forgetExplanations(deps, runtime.deps.cluster, workBudget())
      }),
  })
}

async function ringForDisruption({ deps }: ClusterRuntime): Promise<void> {
  const eventAt = deps.clock.now()
  await deps.queue.ring({ kind: 'doorbell', cluster: deps.cluster, because: 'disruption', eventAt, urgent: true }, 0, workBudget())
}

/** One after another, since those of one region share what the first fetches. One that fails does not hold up the others, and the timer fails at the end. */
async function refreshCatalogs({ catalogs, telemetry }: AppDeps): Promise<void> {
  const causes: unknown[] = []
  for (const catalog of catalogs) {
    const outcome = await settle(() => catalog.refresh(workBudget()))
    if (outcome.ok) {
      const { sizes, prices, fetchedAt } = outcome.value
      telemetry.info(`catalog refreshed: ${sizes} machine sizes, ${prices} prices`, { sizes, prices, fetchedAt })
      continue
    }
    telemetry.error(`a catalog was not refreshed: ${String(outcome.error)}`, { work: 'catalog' })
    causes.push(outcome.error)
  }
  if (causes.length > 0) throw new AggregateError(causes, `catalog failed for ${causes.length} of ${catalogs.length} clusters`)
}
