import * as z from 'zod'
import { openCluster } from '../../cli/clusterAccess.ts'
import { findingLine, inspectClusters, problemLine } from '../../cli/preflight.ts'
import { defined } from '../../shared/base/defined.ts'
import type { Finding } from '../../shared/engine/preflight/preflight.ts'
import { preflightInstallation } from '../../shared/engine/preflight/preflightInstallation.ts'
import type { ClusterFacts } from '../../shared/model/clusterFacts.ts'
import type { ChartFacts } from '../../shared/model/installFacts.ts'
import { setValues } from './azdValues.ts'
import { keyOfNobody, privateZoneOf } from './clusterDetails.ts'
import { type ClusterParameter, clusterParameter, idOf } from './clusterParameters.ts'
import { costLine } from './costLine.ts'
import { type HookDeps, HookFailure } from './hookDeps.ts'
import { installedChart } from './installedChart.ts'
import { ownChartVersion, readInstallFacts } from './readInstallFacts.ts'
import { registerProviders } from './registerProviders.ts'
import { readWishes, type Wishes } from './wishes.ts'

/**
 * Before anything is made: looks whether Joiner can be installed, and tells the templates what they must know of the clusters. Ends with 1, and nothing
 * made, where something is in the way. Runs before each layer; what is as it was is not written again.
 */
export async function runPreprovision(deps: HookDeps): Promise<number> {
  const { environment, print, access } = deps
  const wishes = readWishes(environment)
  if (!wishes.ok) {
    for (const problem of wishes.error) print(`FAIL  SETTING.INVALID   ${problem}`)
    return 1
  }
  const clusters = clusterIdsOf(wishes.value, environment['JOINER_DEMO_CLUSTER_ID'])
  const { network, subscriptionId } = wishes.value
  const tenantId = environment['AZURE_TENANT_ID'] || undefined
  const { facts, failed } = await inspectClusters(
    clusters,
    { network, subscriptionId, ...defined({ tenantId }) },
    { facts: access.facts, print },
  )
  const install = await readInstallFacts(deps, wishes.value, facts)
  const isFailed = tell(deps, preflightInstallation(install)) || failed
  print(costLine(wishes.value, clusters.length))
  if (isFailed) return refused(deps)
  const isDemoFirst = clusters.length === 0
  if (isDemoFirst) print('ok    the demo cluster is made first, and looked at then')
  const parameters = isDemoFirst ? [] : await describe(deps, wishes.value, facts)
  if (parameters === undefined) return refused(deps)
  await registerProviders(deps, subscriptionId, install.providers)
  if (isDemoFirst) return 0
  const { JOINER_APP_DEPLOYED: deployed = 'false' } = environment
  await setValues(deps, { JOINER_CLUSTER_FACTS: JSON.stringify(parameters), JOINER_APP_DEPLOYED: deployed })
  return 0
}

function refused({ print }: Pick<HookDeps, 'print'>): number {
  print('Nothing was made. Mend what FAIL says and run azd up again.')
  return 1
}

/** Those that were named, and the demo cluster once it is there. */
function clusterIdsOf({ clusterIds, demo }: Wishes, demoId: string | undefined): readonly string[] {
  const all = demo && demoId !== undefined && demoId !== '' ? [...clusterIds, demoId] : clusterIds
  return [...new Map(all.map((id) => [id.toLowerCase(), id])).values()]
}

/** Whether any of them fails. */
function tell({ print }: Pick<HookDeps, 'print'>, findings: readonly Finding[]): boolean {
  for (const finding of findings) print(findingLine(finding))
  return findings.some(({ severity }) => severity === 'fail')
}

async function describe(
  deps: HookDeps,
  { overrides, namespace }: Wishes,
  clusters: readonly ClusterFacts[],
): Promise<readonly ClusterParameter[] | undefined> {
  const described: ClusterParameter[] = []
  const charts: ChartFacts[] = []
  let failed = false
  for (const facts of clusters) {
    const own = overrides[idOf(facts.resourceId)] ?? {}
    const { apiServerAudience: audience } = own
    const server = await openCluster(deps.access, facts.resourceId, typeof audience === 'string' ? { audience } : {})
    if (server.ok) {
      const chart = await installedChart(server.value, namespace)
      if (chart !== undefined) charts.push({ ...chart, cluster: facts.resourceId, ours: ownChartVersion() })
      const privateDnsZoneId = await privateZoneOf(deps, facts)
      const sshPublicKey = facts.sshPublicKey === undefined ? (knownKey(deps.environment, facts.resourceId) ?? keyOfNobody()) : undefined
      described.push(clusterParameter({ facts, server: server.value, privateDnsZoneId, sshPublicKey }, own))
    } else {
      failed = true
      deps.print(problemLine(server.error))
    }
  }
  const place = { environmentName: 'x', providers: [], permissions: [], tools: [], subnets: [], charts }
  const isNewer = tell(deps, preflightInstallation(place))
  return failed || isNewer ? undefined : unlike(described)
}

/** The key that an earlier run made up stays: machines are made with it. */
function knownKey(environment: HookDeps['environment'], resourceId: string): string | undefined {
  const known = z
    .array(z.object({ id: z.string(), overrides: z.object({ sshPublicKey: z.string().optional() }) }))
    .safeParse(parsed(environment))
  return known.data?.find(({ id }) => id === resourceId)?.overrides.sshPublicKey
}

function parsed({ JOINER_CLUSTER_FACTS: text = '[]' }: HookDeps['environment']): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Names are keys of everything that belongs to a cluster. */
function unlike(clusters: readonly ClusterParameter[]): readonly ClusterParameter[] {
  const twice = clusters.find(({ name }, at) => clusters.findIndex((each) => each.name === name) !== at)
  if (twice === undefined) return clusters
  const ids = clusters.filter(({ name }) => name === twice.name).map(({ id }) => id)
  throw new HookFailure(
    `PREFLIGHT.NAME   clusters ${ids.join(' and ')} have the same first 40 letters in their names, and Joiner cannot tell them apart; name one of them`,
  )
}
