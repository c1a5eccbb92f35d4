import { parsedJson } from '../../shared/base/json.ts'
import type { Result } from '../../shared/base/result.ts'
import { defined, ownValue } from '../../shared/base/values.ts'
import { chooseHealthTopic } from '../../shared/engine/preflight/healthTopic.ts'
import { type Finding, preflight } from '../../shared/engine/preflight/preflight.ts'
import { preflightInstallation } from '../../shared/engine/preflight/preflightInstallation.ts'
import type { ClusterFacts } from '../../shared/model/clusterFacts.ts'
import type { ChartFacts, InstallFacts, ProvisionerFacts } from '../../shared/model/installFacts.ts'
import { Fault, type Problem } from '../../shared/model/problem.ts'
import { member } from '../armCall.ts'
import { type ClusterAccess, openCluster } from '../clusterAccess.ts'
import { idOf } from '../clusterName.ts'
import { type InstallationCost, installationCost } from '../cost/installationCost.ts'
import type { InspectDeps, Unread } from './inspectDeps.ts'
import { installedChart } from './installedChart.ts'
import type { InstallOptions } from './installOptions.ts'
import { type FoundProvisioners, otherProvisioners } from './otherProvisioners.ts'
import { ownChartVersion, readInstallFacts } from './readInstallFacts.ts'
import { readTenant } from './readTenant.ts'

// All checks before an installation, for both the command and the azd hook. Nothing is changed.

export type InspectedCluster = {
  readonly resourceId: string
  /** Undefined if the facts could not be read. Then `problem` says why. */
  readonly facts?: ClusterFacts
  /** Access to its API server. Undefined if the cluster has a failed finding, or if the API server could not be opened. */
  readonly server?: ClusterAccess
  readonly problem?: Problem
  readonly findings: readonly Finding[]
}

export type Inspection = {
  readonly clusters: readonly InspectedCluster[]
  /** Findings about everything but the clusters, and about the charts in them. */
  readonly installation: readonly Finding[]
  /** What could not be read and was therefore not checked. */
  readonly unread: readonly Unread[]
  readonly providers: InstallFacts['providers']
  /** The topic of health events as the template takes it. Undefined if it is not known. */
  readonly healthTopicId?: string
  readonly cost: InstallationCost
  /** True if something prevents the installation. */
  readonly failed: boolean
}

/** Checks the chosen clusters and the target of the installation. */
export async function inspect(deps: InspectDeps, wishes: InstallOptions): Promise<Inspection> {
  const clusters: InspectedCluster[] = []
  const charts: ChartFacts[] = []
  const provisioners: ProvisionerFacts[] = []
  const untold: Unread[] = []
  const tenantId = await readTenant(deps, wishes.subscriptionId, untold)
  for (const resourceId of clusterIdsOf(wishes, deps.environment['JOINER_DEMO_CLUSTER_ID'])) {
    const cluster = await inspectCluster(deps, { ...wishes, ...defined({ tenantId }) }, resourceId)
    const inside = await insideOf(cluster.server, wishes.namespace, deps.access.clock.now())
    clusters.push(inside.ok ? cluster : { ...cluster, problem: inside.error })
    if (!inside.ok || inside.value === undefined) continue
    const { chart, others } = inside.value
    if (chart === 'untold') untold.push({ what: `chart in ${idOf(resourceId)}`, why: 'the API server does not tell' })
    else if (chart !== undefined) charts.push({ ...chartFacts(chart, deps.environment, wishes), cluster: resourceId })
    for (const each of others.found) provisioners.push({ ...each, cluster: resourceId })
    for (const why of others.untold) untold.push({ what: `other provisioners in ${idOf(resourceId)}`, why })
  }
  const { facts, unread } = await readInstallFacts(
    deps,
    wishes,
    clusters.flatMap((each) => each.facts ?? []),
  )
  const installation = preflightInstallation({ ...facts, charts, provisioners })
  const findings = [...installation, ...clusters.flatMap((each) => each.findings)]
  const failed = findings.some(({ severity }) => severity === 'fail') || clusters.some(({ problem }) => problem !== undefined)
  const cost = installationCost(wishes, clusters.length)
  const healthTopicId = facts.systemTopics === undefined ? undefined : chooseHealthTopic(facts.systemTopics).healthTopicId
  return { clusters, installation, unread: [...unread, ...untold], providers: facts.providers, ...defined({ healthTopicId }), cost, failed }
}

type InstalledChart = Exclude<Inside['chart'], 'untold' | undefined>

/**
 * The chart as it is installed, and the other app that it posts to, if there is one. `JOINER_APP_ENDPOINT` names the app of the environment after the
 * first deployment. `JOINER_CHART_VALUES` may name the same app by another host. Without an environment, no app is compared.
 */
function chartFacts(
  { endpoint, ...chart }: InstalledChart,
  { JOINER_APP_ENDPOINT: own, JOINER_CHART_VALUES: more }: InspectDeps['environment'],
  { environmentName }: InstallOptions,
): Omit<ChartFacts, 'cluster'> {
  const hosts = [own, member(parsedJson(more), 'endpoint')].map(hostOf)
  const isOther = environmentName !== undefined && Boolean(endpoint) && !hosts.includes(hostOf(endpoint))
  return { ...chart, ours: ownChartVersion(), ...defined({ otherApp: isOther ? endpoint : undefined }) }
}

/** The host of an address. A text that is no address stays as it is. */
function hostOf(text: unknown): unknown {
  return typeof text === 'string' && URL.canParse(text) ? new URL(text).host : text
}

/** Returns the chosen clusters, and the demo cluster once it exists. */
function clusterIdsOf({ clusterIds, demo }: InstallOptions, demoId: string | undefined): readonly string[] {
  const all = demo && demoId !== undefined && demoId !== '' ? [...clusterIds, demoId] : clusterIds
  return [...new Map(all.map((id) => [id.toLowerCase(), id])).values()]
}

async function inspectCluster(
  { access }: InspectDeps,
  wishes: InstallOptions & { readonly tenantId?: string },
  resourceId: string,
): Promise<InspectedCluster> {
  const read = await access.facts(resourceId)
  if (!read.ok) return { resourceId, problem: read.error, findings: [] }
  const { network, subscriptionId, overrides, tenantId } = wishes
  const set = ownValue(overrides, idOf(resourceId)) ?? {}
  const findings = preflight(read.value, { network, subscriptionId, overrides: Object.keys(set), ...defined({ tenantId }) })
  if (findings.some(({ severity }) => severity === 'fail')) return { resourceId, facts: read.value, findings }
  const { apiServerAudience: audience } = set
  const server = await openCluster(access, resourceId, typeof audience === 'string' ? { audience } : {})
  return { resourceId, facts: read.value, findings, ...(server.ok ? { server: server.value } : { problem: server.error }) }
}

type Inside = { readonly chart: Awaited<ReturnType<typeof installedChart>>; readonly others: FoundProvisioners }

/** Reads what is in the cluster. The API server must be reachable from here, since Helm needs it. */
async function insideOf(server: ClusterAccess | undefined, namespace: string, now: number): Promise<Result<Inside | undefined, Problem>> {
  if (server === undefined) return { ok: true, value: undefined }
  try {
    return { ok: true, value: { chart: await installedChart(server, namespace), others: await otherProvisioners(server, now) } }
  } catch (cause) {
    if (cause instanceof Fault) return { ok: false, error: { ...cause.problem, message: cause.message } }
    throw cause
  }
}
