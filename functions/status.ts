import { type Finding, preflight } from '../shared/engine/preflight/preflight.ts'
import { readStatus } from '../shared/flows/answer/readStatus.ts'
import type { ClusterFacts } from '../shared/model/clusterFacts.ts'
import type { AppDeps } from './appDeps.ts'
import { authorize } from './clusterGate.ts'
import { workBudget } from './deadline.ts'
import type { FunctionApp } from './functionApp.ts'
import { httpProblem } from './httpProblem.ts'
import { linkedStatus } from './linkedStatus.ts'

/** HTTP: whether the app is up (for callers with a key), and the status of one cluster (for its readers). */
export function registerStatus(app: FunctionApp, deps: AppDeps): void {
  app.http('status', {
    methods: ['GET'],
    authLevel: 'function',
    route: 'status',
    handler: async () => ({ status: 200, jsonBody: { status: 'ok', at: deps.clock.now() } }),
  })
  app.http('cluster-status', {
    methods: ['GET'],
    // The token identifies the caller, so a function key is not needed.
    authLevel: 'anonymous',
    route: 'clusters/{cluster}/status',
    handler: async (request) => {
      const signal = workBudget()
      const runtime = await authorize(deps, request, 'read', signal)
      if (!runtime.ok) return httpProblem(runtime.error)
      const { deps: cluster } = runtime.value
      const overrides = deps.clusters.get(cluster.cluster)?.overrides ?? []
      const status = await readStatus(cluster, signal)
      const findings = findingsOf(status.facts?.facts, overrides)
      return { status: 200, jsonBody: { ...linkedStatus(status, cluster.settings.links), overrides, findings } }
    },
  })
}

/** Returns the findings of the preflight for the cluster as it is now. The app does not know its own network mode, so rules about it are left out. */
function findingsOf(facts: ClusterFacts | undefined, overrides: readonly string[]): readonly Finding[] {
  if (facts === undefined) return []
  const [, , subscriptionId = ''] = facts.resourceId.split('/')
  return preflight(facts, { subscriptionId, overrides })
}
