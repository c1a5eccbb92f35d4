import { collectGarbage } from '../shared/flows/collectGarbage.ts'
import { resync } from '../shared/flows/resync.ts'
import type { AppDeps, ClusterRuntime } from './appDeps.ts'
import { workBudget } from './deadline.ts'
import { forEachCluster } from './forEachCluster.ts'
import type { FunctionApp } from './functionApp.ts'

/** Timer: finds all work again from the truth. */
export function registerResync(app: FunctionApp, deps: AppDeps): void {
  app.timer('resync', {
    schedule: '%RESYNC_SCHEDULE%',
    handler: () => forEachCluster(deps, 'resync', (runtime) => resync(runtime.deps, workBudget())),
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
    handler: async () => {
      for (const catalog of deps.catalogs) {
        const age = await catalog.refresh(workBudget())
        deps.telemetry.info(`catalog refreshed: ${age.sizes} machine sizes, ${age.prices} prices`, {
          sizes: age.sizes,
          prices: age.prices,
          fetchedAt: age.fetchedAt,
        })
      }
    },
  })
}

/** Timer: removes what no claim owns. */
export function registerGc(app: FunctionApp, deps: AppDeps): void {
  app.timer('gc', {
    schedule: '%GC_SCHEDULE%',
    handler: () => forEachCluster(deps, 'gc', (runtime) => collectGarbage(runtime.deps, workBudget())),
  })
}

async function ringForDisruption({ deps }: ClusterRuntime): Promise<void> {
  const eventAt = deps.clock.now()
  await deps.queue.ring({ kind: 'doorbell', cluster: deps.cluster, because: 'disruption', eventAt, urgent: true }, 0, workBudget())
}
