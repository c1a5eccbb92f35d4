// Everything that is looked at before an installation: the one place for the command and for the hook of azd. Nothing is changed.
import { defined } from '../../shared/base/defined.ts'
import type { Result } from '../../shared/base/result.ts'
import { type Finding, preflight } from '../../shared/engine/preflight/preflight.ts'
import { preflightInstallation } from '../../shared/engine/preflight/preflightInstallation.ts'
import type { ClusterFacts } from '../../shared/model/clusterFacts.ts'
import type { ChartFacts, InstallFacts } from '../../shared/model/installFacts.ts'
import { Fault, type Problem } from '../../shared/model/problem.ts'
import { type ClusterAccess, openCluster } from '../clusterAccess.ts'
import { idOf } from '../clusterName.ts'
import { type InstallationCost, installationCost } from '../cost/installationCost.ts'
import type { InspectDeps } from './inspectDeps.ts'
import { installedChart } from './installedChart.ts'
import { ownChartVersion, readInstallFacts, type Unread } from './readInstallFacts.ts'
import type { Wishes } from './wishes.ts'

export type InspectedCluster = {
  readonly resourceId: string
  /** Absent: it could not be read, as `problem` says. */
  readonly facts?: ClusterFacts
  /** Its API server; absent where something stands in the way of the cluster. */
  readonly server?: ClusterAccess
  readonly problem?: Problem
  readonly findings: readonly Finding[]
}

export type Inspection = {
  readonly clusters: readonly InspectedCluster[]
  /** Of what is beside the clusters, and of the charts in them. */
  readonly installation: readonly Finding[]
  /** What nobody told: it was not looked at. */
  readonly unread: readonly Unread[]
  readonly providers: InstallFacts['providers']
  readonly cost: InstallationCost
  /** Something is in the way: nothing should be made. */
  readonly failed: boolean
}

/** Looks at the clusters that are wished for, and at the place that Joiner is to be installed in. */
export async function inspect(deps: InspectDeps, wishes: Wishes): Promise<Inspection> {
  const clusters: InspectedCluster[] = []
  const charts: ChartFacts[] = []
  const untold: Unread[] = []
  for (const resourceId of clusterIdsOf(wishes, deps.environment['JOINER_DEMO_CLUSTER_ID'])) {
    const cluster = await inspectCluster(deps, wishes, resourceId)
    const chart = await chartOf(cluster.server, wishes.namespace)
    clusters.push(chart.ok ? cluster : { ...cluster, problem: chart.error })
    if (!chart.ok || chart.value === undefined) continue
    if (chart.value === 'untold') untold.push({ what: `chart in ${idOf(resourceId)}`, why: 'the API server does not tell' })
    else charts.push({ ...chart.value, cluster: resourceId, ours: ownChartVersion() })
  }
  const { facts, unread } = await readInstallFacts(
    deps,
    wishes,
    clusters.flatMap((each) => each.facts ?? []),
  )
  const installation = preflightInstallation({ ...facts, charts })
  const findings = [...installation, ...clusters.flatMap((each) => each.findings)]
  const failed = findings.some(({ severity }) => severity === 'fail') || clusters.some(({ problem }) => problem !== undefined)
  const cost = installationCost(wishes, clusters.length)
  return { clusters, installation, unread: [...unread, ...untold], providers: facts.providers, cost, failed }
}

/** Those that were named, and the demo cluster once it is there. */
function clusterIdsOf({ clusterIds, demo }: Wishes, demoId: string | undefined): readonly string[] {
  const all = demo && demoId !== undefined && demoId !== '' ? [...clusterIds, demoId] : clusterIds
  return [...new Map(all.map((id) => [id.toLowerCase(), id])).values()]
}

async function inspectCluster({ access, environment }: InspectDeps, wishes: Wishes, resourceId: string): Promise<InspectedCluster> {
  const read = await access.facts(resourceId)
  if (!read.ok) return { resourceId, problem: read.error, findings: [] }
  const { network, subscriptionId, overrides } = wishes
  const tenantId = environment['AZURE_TENANT_ID'] || undefined
  const findings = preflight(read.value, { network, subscriptionId, ...defined({ tenantId }) })
  if (findings.some(({ severity }) => severity === 'fail')) return { resourceId, facts: read.value, findings }
  const { apiServerAudience: audience } = overrides[idOf(resourceId)] ?? {}
  const server = await openCluster(access, resourceId, typeof audience === 'string' ? { audience } : {})
  return { resourceId, facts: read.value, findings, ...(server.ok ? { server: server.value } : { problem: server.error }) }
}

type FoundChart = Awaited<ReturnType<typeof installedChart>>

/** Whoever installs must reach the API server from here: Helm does. */
async function chartOf(server: ClusterAccess | undefined, namespace: string): Promise<Result<FoundChart, Problem>> {
  if (server === undefined) return { ok: true, value: undefined }
  try {
    return { ok: true, value: await installedChart(server, namespace) }
  } catch (cause) {
    if (cause instanceof Fault) return { ok: false, error: { ...cause.problem, message: cause.message } }
    throw cause
  }
}
